/* SPDX-License-Identifier: MIT */
/* test_row_parts.c: rows read in parts against a model: each row once in each pass, in the part to
 * which it belongs; parts in order; the first error in that order; progress. For any number of
 * threads, blocks, parts, passes and failures. */
#include "scan/row_parts.h"
#include "support/allocator.h"
#include "support/made_table.h"
#include "support/test.h"
#include <pthread.h>
#include <stdlib.h>

#define ROWS_MOST 500
#define PASSES_MOST 3
#ifdef DVT_SANITIZED
#define ROUNDS 300
#else
#define ROUNDS 3000
#endif

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % below;
}

/* The result of a part. */
typedef struct result {
    int64_t pass, first, rows;
    int64_t *memory; /* kept from part to part */
} result;

typedef struct model {
    dvi_row_parts parts;
    int64_t bad_pass, bad_row; /* `add` fails at this row; -1: it does not */
    bool skips;                /* every third part needs no reading */
    pthread_t caller;
    int32_t columns[PASSES_MOST];

    int64_t taken, pass, next; /* parts; the row after them */
    int64_t reports, reported, stop_at;
    bool is_sound;
} model;

static bool is_skipped(const model *m, int64_t first)
{
    return m->skips && (first - m->parts.origin) / m->parts.part_rows % 3 == 1;
}

static void choose(void *ctx, int64_t pass, dv_cursor_options *options)
{
    model *m = ctx;
    options->columns = &m->columns[pass];
    options->columns_count = 1;
    options->threads = 1;
}

static dv_status begin(void *ctx, const dvi_row_part *part, dv_error *err)
{
    const model *m = ctx;
    result *r = part->place;
    const bool is_skipped_part = is_skipped(m, part->first);
    (void)err;
    if (!r->memory)
        r->memory = malloc(sizeof *r->memory);
    *r->memory = part->first;
    r->pass = part->pass;
    r->first = part->first;
    r->rows = is_skipped_part ? part->end - part->first : 0;
    return is_skipped_part ? DV_END : DV_OK;
}

static dv_status add(void *ctx, const dvi_row_part *part, const dv_batch *batch, int64_t row,
                     dv_error *err)
{
    const model *m = ctx;
    result *r = part->place;
    const dv_column_view *column = dv_batch_column(batch, 0);
    const int64_t *values = column->as.fixed.values.data;
    if (part->pass == m->bad_pass && row <= m->bad_row && m->bad_row < row + batch->rows) {
        dv_error_set(err, DV_ERR_LIMIT, "a bad row");
        return DV_ERR_LIMIT;
    }
    bool is_right = row == r->first + r->rows;
    for (int64_t i = 0; i < batch->rows; i++)
        is_right &= values[i] == 10 * (row + i) + part->pass;
    r->rows += is_right ? batch->rows : ROWS_MOST;
    return DV_OK;
}

static dv_status take(void *ctx, const dvi_row_part *part, dv_error *err)
{
    model *m = ctx;
    const result *r = part->place;
    (void)err;
    if (m->taken++ > 0 && m->next == m->parts.end) {
        m->next = m->parts.first;
        m->pass++;
    }
    m->is_sound &= pthread_equal(m->caller, pthread_self()) && part->pass == m->pass &&
                   part->first == m->next && r->pass == m->pass && r->first == m->next &&
                   r->first + r->rows == part->end && *r->memory == r->first;
    m->is_sound &=
        part->end == m->parts.end || (part->end - m->parts.origin) % m->parts.part_rows == 0;
    m->next = part->end;
    return DV_OK;
}

static bool report(void *ctx, int64_t done, int64_t all)
{
    model *m = ctx;
    m->is_sound &= pthread_equal(m->caller, pthread_self()) && done >= m->reported &&
                   all == m->parts.passes * (m->parts.end - m->parts.first);
    m->reported = done;
    return ++m->reports != m->stop_at;
}

static void free_place(void *ctx, void *place)
{
    (void)ctx;
    free(((result *)place)->memory);
}

static void draw_model(model *m, dvt_made_table *table, uint64_t *state)
{
    *m = (model){.is_sound = true, .bad_pass = -1, .caller = pthread_self()};
    dvi_row_parts *p = &m->parts;
    table->rows = 1 + (int64_t)draw(state, ROWS_MOST);
    table->block_rows = 1 + (int64_t)draw(state, 40);
    table->bad_row = draw(state, 4) == 0 ? (int64_t)draw(state, ROWS_MOST) : -1;
    *p = (dvi_row_parts){.ctx = m,
                         .place_nbytes = sizeof(result),
                         .free_place = free_place,
                         .choose = choose,
                         .begin = begin,
                         .add = add,
                         .take = take,
                         .lost = "nothing"};
    p->first = (int64_t)draw(state, (uint64_t)table->rows);
    p->end = p->first + (int64_t)draw(state, (uint64_t)(table->rows - p->first + 1));
    p->origin = draw(state, 2) ? p->first : 0;
    p->part_rows = 1 + (int64_t)draw(state, draw(state, 2) ? 20 : 300);
    p->passes = 1 + (int64_t)draw(state, PASSES_MOST);
    p->threads = 1 + (int32_t)draw(state, 5);
    p->window = (int64_t)draw(state, 9);
    p->reports_batches = draw(state, 2);
    m->skips = draw(state, 4) == 0;
    m->stop_at = draw(state, 5) == 0 ? 1 + (int64_t)draw(state, 30) : 0;
    m->next = p->first;
    if (draw(state, 4) == 0) {
        m->bad_pass = (int64_t)draw(state, PASSES_MOST);
        m->bad_row = (int64_t)draw(state, ROWS_MOST);
    }
    for (int32_t k = 0; k < PASSES_MOST; k++)
        m->columns[k] = k;
}

/* The status of a part, by the model. */
static dv_status status_of(const model *m, const dvt_made_table *table, int64_t pass, int64_t first,
                           int64_t end)
{
    if (is_skipped(m, first))
        return DV_OK;
    for (int64_t row = first; row < end; row++) {
        int64_t to = (row / table->block_rows + 1) * table->block_rows; /* the batch ends */
        to = to < end ? to : end;
        if (table->bad_row >= row && table->bad_row < to)
            return DV_ERR_CORRUPT;
        if (pass == m->bad_pass && m->bad_row == row)
            return DV_ERR_LIMIT;
    }
    return DV_OK;
}

/* The rows of all passes before the first part that fails. */
static int64_t rows_before(const model *m, const dvt_made_table *table, dv_status *status_out)
{
    const dvi_row_parts *p = &m->parts;
    int64_t rows = 0;
    for (int64_t pass = 0; pass < p->passes; pass++)
        for (int64_t from = p->first, to; from < p->end; from = to) {
            to = p->origin + ((from - p->origin) / p->part_rows + 1) * p->part_rows;
            to = to < p->end ? to : p->end;
            *status_out = status_of(m, table, pass, from, to);
            if (*status_out != DV_OK)
                return rows;
            rows += to - from;
        }
    return rows;
}

static int64_t values[PASSES_MOST][ROWS_MOST];

static dvt_made_table made(void)
{
    dvt_made_table table = {.columns = PASSES_MOST, .in_blocks = true};
    for (int32_t k = 0; k < PASSES_MOST; k++) {
        for (int64_t i = 0; i < ROWS_MOST; i++)
            values[k][i] = 10 * i + k;
        table.column[k] = dvt_made_fixed(dv_type_of(DV_KIND_I8), values[k], ROWS_MOST);
    }
    return table;
}

Test(row_parts, do_what_the_model_says)
{
    dvt_made_table table = made();
    uint64_t state = 1;
    for (int round = 0; round < ROUNDS; round++) {
        model m;
        dv_error err = DV_ERROR_INIT;
        draw_model(&m, &table, &state);
        dv_view *view = dvt_made_table_open(&table, NULL);
        const dv_progress progress = {report, &m};
        m.parts.view = view;
        m.parts.progress = &progress;
        dv_status want = DV_OK;
        const int64_t rows = rows_before(&m, &table, &want);
        const dv_status status = dvi_row_parts_read(&m.parts, &err);
        const bool is_stopped = m.stop_at > 0 && m.reports == m.stop_at;
        cr_assert(m.is_sound, "round %d", round);
        if (is_stopped) /* or the error before */
            cr_expect(status == DV_ERR_STOPPED || status == want, "round %d: %d", round, status);
        else
            cr_expect_eq(status, want, "round %d: %d, not %d", round, status, want);
        cr_expect_eq(err.status, status < 0 ? status : DV_OK);
        const int64_t all = m.parts.end - m.parts.first,
                      taken = m.pass * all + m.next - m.parts.first;
        cr_expect(is_stopped ? taken <= rows : taken == rows, "round %d: %d of %d", round,
                  (int)taken, (int)rows);
        cr_expect(status != DV_OK || m.reported == m.parts.passes * all);
        dv_view_release(&view);
    }
}

/* Allocation k fails, for every k: a part that fails ahead comes again, and gives what it would
 * have given. */
Test(row_parts, each_allocation_may_fail)
{
    dvt_made_table table = made();
    uint64_t state = 7;
    int failures = 0;
    for (int round = 0; round < 30; round++) {
        for (int64_t k = 1, is_done = 0; !is_done; k++) {
            model m;
            uint64_t again = state;
            dvt_allocator counted;
            draw_model(&m, &table, &again);
            table.bad_row = m.bad_pass = -1;
            m.stop_at = 0;
            dvt_allocator_init(&counted, 0);
            dv_view *view = dvt_made_table_open(&table, &counted.allocator);
            const dv_progress progress = {report, &m};
            m.parts.view = view;
            m.parts.progress = &progress;
            counted.fail_at = counted.asked + k;
            const dv_status status = dvi_row_parts_read(&m.parts, NULL);
            is_done = counted.asked < counted.fail_at;
            cr_assert(m.is_sound);
            cr_expect(status == DV_OK || (status == DV_ERR_MEMORY && !is_done));
            failures += status != DV_OK;
            counted.fail_at = 0;
            dv_view_release(&view);
            cr_expect_eq(counted.live, 0);
        }
        draw(&state, 2);
    }
    cr_expect_gt(failures, 30);
}
