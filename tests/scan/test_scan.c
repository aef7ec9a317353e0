/* SPDX-License-Identifier: MIT */
/* test_scan.c: reading against a model: which rows come, in which order, with which error after
 * which of them, for any chain of views, range of rows, batch size, number of threads, stop and
 * failing allocation. */
#include "support/again.h"
#include "support/allocator.h"
#include "support/drawn_scan.h"
#include "support/many_rows.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef DVT_SANITIZED
#define SEEDS 500
#define FAILING_SEEDS 60
#else
#define SEEDS 3000
#define FAILING_SEEDS 600
#endif

static int64_t draw(uint64_t *state, int64_t below)
{
    return (int64_t)(dvt_draw(state) % (uint64_t)below);
}

/* Stops after `most` reports. */
typedef struct stop {
    int64_t reports, most;
} stop;

static bool report(void *ctx, int64_t done, int64_t total)
{
    stop *s = ctx;
    (void)done, (void)total;
    return ++s->reports <= s->most;
}

/* How rows are read. */
typedef struct manner {
    dv_cursor_options options;
    int64_t batches_most; /* then the cursor is closed */
    stop stop;
} manner;

static manner draw_manner(const dvt_scan *scan, uint64_t *state)
{
    manner m = {.options = DV_CURSOR_OPTIONS_INIT, .batches_most = INT64_MAX};
    dv_cursor_options *o = &m.options;
    o->threads = (int32_t)(1 + draw(state, 8));
    o->batch_rows = draw(state, 3) == 0 ? 1 + draw(state, 90) : 0;
    o->ids = draw(state, 2) == 0;
    if (draw(state, 3) == 0) {
        o->first_row = draw(state, scan->rows.n + 1);
        o->end_row = draw(state, 2) ? o->first_row + draw(state, scan->rows.n + 2) : -1;
    }
    if (draw(state, 4) == 0)
        m.batches_most = draw(state, 5);
    if (draw(state, 4) == 0) {
        m.stop.most = draw(state, 9);
        o->progress = (dv_progress){report, NULL};
    }
    return m;
}

static void check_batch(const dvt_scan *scan, const dvt_rows *right, const dv_batch *batch,
                        int64_t at, bool ids)
{
    const dv_column_view *a = dv_batch_column(batch, 0);
    int64_t wrong = -1;
    for (int64_t i = 0; i < batch->rows && wrong < 0; i++) {
        int64_t value;
        memcpy(&value, (const char *)a->as.fixed.values.data + 8 * (size_t)i, 8);
        const dv_u128 id = right->id[at + i];
        if (value != right->a[at + i] ||
            (ids && (batch->ids[i].lo != id.lo || batch->ids[i].hi != id.hi)))
            wrong = i;
    }
    cr_assert_lt(wrong, 0, "%s: row %lld", scan->chain, (long long)(at + wrong));
    cr_assert_eq(batch->position, at, "%s", scan->chain);
}

/* Read as the manner says, and check each batch. *rows_out: how many came. */
static dv_status read_rows(const dvt_scan *scan, const dvt_rows *right, manner *m,
                           int64_t *rows_out, dv_error *err)
{
    dv_cursor *cursor;
    int64_t at = 0;
    int32_t column;
    m->options.progress.ctx = &m->stop;
    m->options.columns = &column;
    m->options.columns_count = 1;
    cr_assert_eq(dv_schema_find(dv_view_schema(scan->view), dv_text_of("a"), &column), DV_OK);
    dv_status status = dv_cursor_open(&cursor, scan->view, &m->options, err);
    for (int64_t n = 0; status == DV_OK && n < m->batches_most; n++) {
        const dv_batch *batch;
        status = dv_cursor_next(cursor, &batch, err);
        if (status != DV_OK)
            break;
        cr_assert(batch->rows > 0 && at + batch->rows <= right->n, "%s: %lld of %lld rows",
                  scan->chain, (long long)(at + batch->rows), (long long)right->n);
        check_batch(scan, right, batch, at, m->options.ids);
        at += batch->rows;
    }
    dv_cursor_close(&cursor);
    *rows_out = at;
    return status;
}

static dvt_rows copy_rows(const dvt_rows *rows)
{
    const size_t n = (size_t)rows->n + 1;
    dvt_rows copy = *rows;
    copy.a = calloc(n, sizeof *copy.a);
    copy.id = calloc(n, sizeof *copy.id);
    memcpy(copy.a, rows->a, (n - 1) * sizeof *copy.a);
    memcpy(copy.id, rows->id, (n - 1) * sizeof *copy.id);
    return copy;
}

static void free_copy(dvt_rows *rows)
{
    free(rows->a);
    free(rows->id);
}

/* The message names the row of the source, whatever thread has read it. */
static void check_error(const dvt_scan *scan, const dvt_rows *right, const dv_error *err)
{
    char row[30];
    snprintf(row, sizeof row, "row %lld", (long long)right->bad);
    const char *found = strstr(err->message, row);
    const char after = found ? found[strlen(row)] : '0';
    cr_assert(after < '0' || after > '9', "%s: no %s in: %s", scan->chain, row, err->message);
}

static void check_manner(const dvt_scan *scan, uint64_t *state)
{
    manner m = draw_manner(scan, state);
    dv_error err = DV_ERROR_INIT;
    dvt_rows right = copy_rows(&scan->rows);
    int64_t rows;
    dvt_rows_limit(&right, m.options.first_row,
                   m.options.end_row < 0 ? INT64_MAX : m.options.end_row);
    const dv_status status = read_rows(scan, &right, &m, &rows, &err);
    const bool is_stopped = m.options.progress.report && m.stop.reports > m.stop.most;
    if (status == DV_OK) { /* closed early, or rows that were gathered before it stopped */
    } else if (is_stopped) {
        cr_assert_eq(status, DV_ERR_STOPPED, "%s: %s", scan->chain, err.message);
    } else {
        cr_assert_eq(rows, right.n, "%s: %lld of %lld rows with %d threads, then %s", scan->chain,
                     (long long)rows, (long long)right.n, (int)m.options.threads, err.message);
        cr_assert_eq(status, right.end, "%s: %d threads: %s", scan->chain, (int)m.options.threads,
                     err.message);
        if (status < 0)
            check_error(scan, &right, &err);
    }
    free_copy(&right);
}

Test(scan, delivers_what_the_model_says)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        dvt_scan scan;
        uint64_t state = seed;
        const int64_t rows_most = seed % 10 == 0 ? 20000 : seed % 3 == 0 ? 900 : 40;
        cr_assert_eq(dvt_scan_draw(&scan, &state, rows_most, seed % 2 == 0, NULL), DV_OK);
        for (int i = 0; i < 3; i++)
            check_manner(&scan, &state);
        dvt_scan_free(&scan);
    }
}

/* --- Without memory --------------------------------------------------------------------------- */

/* Read all rows while allocation number k fails. false: it was not reached. */
static bool read_without(uint64_t seed, int64_t k)
{
    dvt_allocator counted;
    dvt_scan scan;
    uint64_t state = seed;
    dvt_allocator_init(&counted, k);
    if (dvt_scan_draw(&scan, &state, 60, seed % 2 == 0, &counted.allocator) == DV_OK) {
        manner m = {.options = DV_CURSOR_OPTIONS_INIT, .batches_most = INT64_MAX};
        dv_error err = DV_ERROR_INIT;
        int64_t rows;
        m.options.threads = (int32_t)(1 + seed % 4);
        m.options.batch_rows = seed % 3 == 0 ? 7 : 0;
        m.options.ids = seed % 5 == 0;
        const dv_status status = read_rows(&scan, &scan.rows, &m, &rows, &err);
        if (status != DV_ERR_MEMORY) { /* a thread that read ahead may have lacked it */
            cr_assert_eq(rows, scan.rows.n, "%s, allocation %lld", scan.chain, (long long)k);
            cr_assert_eq(status, scan.rows.end, "%s, allocation %lld: %s", scan.chain, (long long)k,
                         err.message);
        }
        dvt_scan_free(&scan);
    }
    cr_assert_eq(counted.live, 0, "seed %lld, allocation %lld", (long long)seed, (long long)k);
    return counted.asked >= k;
}

Test(scan, any_allocation_may_fail)
{
    for (uint64_t seed = 1; seed <= FAILING_SEEDS; seed++)
        for (int64_t k = 1; read_without(seed, k); k += DVT_FAIL_STEP)
            continue;
}
