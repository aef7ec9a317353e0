/* SPDX-License-Identifier: MIT */
/* test_fine_sets.c: where rows take long, a set has small chunks, so that a small table is divided
 * too (cursor_set.h, step.h). */
#include "support/made_table.h"
#include "support/many_rows.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <dataview/step.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROWS 100
#define JOB 16 /* rows */
#define MEMBERS_MAX 8

/* --- A step whose rows take long -------------------------------------------------------------- */

static atomic_int meets; /* each of the first so many fills waits for the others */
static atomic_int filling, missed;
static atomic_llong most_rows;

static dv_status type(dv_type *type_out, const dv_step_binding *b, void *learned, dv_error *err)
{
    (void)b, (void)learned, (void)err;
    *type_out = dv_type_of(DV_KIND_I8);
    return DV_OK;
}

/* Are so many in their fills at once?  A lost cause ends too. */
static void meet(int n)
{
    const struct timespec pause = {0, 1000000};
    atomic_fetch_add(&filling, 1);
    for (int i = 0; i < 20000 && atomic_load(&filling) < n; i++)
        nanosleep(&pause, NULL);
    atomic_fetch_add(&missed, atomic_load(&filling) < n); /* criterion is for one thread */
}

static dv_status fill(dv_column_view *out, const dv_step_filling *f, dv_error *err)
{
    const dv_column_view *source = f->sources[0];
    int64_t *values = malloc((size_t)f->rows * sizeof *values);
    cr_assert_not_null(values);
    if (atomic_load(&filling) < atomic_load(&meets))
        meet(atomic_load(&meets));
    if (f->rows > atomic_load(&most_rows))
        atomic_store(&most_rows, f->rows);
    for (int64_t i = 0; i < f->rows; i++)
        values[i] = 3 * ((const int64_t *)source->as.fixed.values.data)[i];
    out->layout = DV_LAYOUT_FIXED;
    return dv_buffer_wrap(&out->as.fixed.values, values, (size_t)f->rows * sizeof *values, 8, free,
                          values, NULL, err);
}

static const dv_transform_info info = {
    .name = "thrice", .ml_net = "", .summary = "Three times.", .columns = DV_STEP_COLUMNS_ONE};
static const dv_step_class class = {
    .size = sizeof(dv_step_class), .version = 1, .type = type, .fill = fill, .batch_rows = JOB};

/* --- Tables ----------------------------------------------------------------------------------- */

static int64_t numbers[2][ROWS];
static double reals[ROWS];

/* Columns a and b of I8 and c of R8, each the number of its row, in blocks of so many rows; 0:
 * without blocks, of unknown length. */
static dv_view *table_of(dvt_made_table *table, int64_t block_rows)
{
    for (int64_t i = 0; i < ROWS; i++)
        reals[i] = (double)(numbers[0][i] = numbers[1][i] = i);
    *table = (dvt_made_table){.columns = 3,
                              .rows = ROWS,
                              .block_rows = block_rows > 0 ? block_rows : 30,
                              .in_blocks = block_rows > 0,
                              .rows_unknown = block_rows == 0,
                              .bad_row = -1};
    for (int32_t k = 0; k < 2; k++)
        table->column[k] = dvt_made_fixed(dv_type_of(DV_KIND_I8), numbers[k], ROWS);
    table->column[2] = dvt_made_fixed(dv_type_of(DV_KIND_R8), reals, ROWS);
    return dvt_made_table_open(table, NULL);
}

/* The source is released. */
static dv_view *piped(dv_view *source, const char *steps)
{
    static bool is_registered;
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    if (!is_registered)
        cr_assert_eq(dv_step_register(&info, &class, NULL), DV_OK);
    is_registered = true;
    cr_assert_eq(dv_view_pipe(&view, source, dv_text_of(steps), NULL, NULL, &err), DV_OK, "%s",
                 err.message);
    dv_view_release(&source);
    return view;
}

/* Options for one column. */
static dv_cursor_options only(const dv_view *view, const char *name, int32_t *column)
{
    dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
    cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of(name), column), DV_OK);
    how.columns = column;
    how.columns_count = 1;
    return how;
}

/* --- Members ---------------------------------------------------------------------------------- */

/* What the members of a set delivered. */
typedef struct told {
    int64_t chunks, most; /* rows of a chunk */
    int64_t sum, rows;
} told;

static int64_t add_values(const dv_batch *batch)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < batch->rows; i++) {
        const dv_value value = dv_value_at(dv_batch_column(batch, 0), i);
        sum += dv_value_i8(&value);
    }
    return sum;
}

/* Advance the members in turn. */
static told drive(dv_cursor **members, int32_t n)
{
    told t = {0, 0, 0, 0};
    int64_t in_chunk[ROWS + 1] = {0};
    const dv_batch *batch;
    for (int32_t left = n; left > 0;) {
        left = 0;
        for (int32_t i = 0; i < n; i++) {
            if (dv_cursor_next(members[i], &batch, NULL) != DV_OK)
                continue;
            left++;
            const int64_t chunk = dv_batch_chunk(batch);
            cr_assert(chunk >= 0 && chunk <= ROWS);
            t.chunks += in_chunk[chunk] == 0;
            in_chunk[chunk] += batch->rows;
            t.most = in_chunk[chunk] > t.most ? in_chunk[chunk] : t.most;
            t.rows += batch->rows;
            t.sum += add_values(batch);
        }
    }
    return t;
}

static told told_of(dv_view *view, const char *column_name, int32_t n, int64_t batch_rows,
                    int32_t *opened_out)
{
    dv_cursor *members[MEMBERS_MAX];
    dv_error err = DV_ERROR_INIT;
    int32_t column;
    dv_cursor_options how = only(view, column_name, &column);
    how.batch_rows = batch_rows;
    cr_assert_eq(dv_cursor_set_open(members, n, opened_out, view, &how, &err), DV_OK, "%s",
                 err.message);
    const told t = drive(members, *opened_out);
    for (int32_t i = 0; i < *opened_out; i++)
        dv_cursor_close(&members[i]);
    return t;
}

static const struct {
    const char *name, *steps, *column;
    int64_t block_rows;
    int32_t members;
    int64_t batch_rows;
    int64_t rows, chunks, most; /* that there must be */
    int32_t opened;
} cases[] = {
    {"a table in memory", "thrice a", "a", 1, 2, 0, ROWS, 7, JOB, 2},
    {"another column", "thrice a", "b", 1, 2, 0, ROWS, 1, ROWS, 1},
    {"a copy of it", "thrice a; copy d:a", "d", 1, 2, 0, ROWS, 7, JOB, 2},
    {"the reader's batches", "thrice a", "a", 1, 2, 4, ROWS, 25, 4, 2},
    {"larger batches", "thrice a", "a", 1, 2, 40, ROWS, 7, JOB, 2},
    {"a share for each", "thrice a", "a", 1, 8, 0, ROWS, 8, 13, 8},
    {"whole blocks", "thrice a", "a", 5, 2, 0, ROWS, 7, 15, 2},
    {"parts of blocks", "thrice a", "a", 50, 2, 0, ROWS, 7, JOB, 2},
    {"no blocks", "thrice a", "a", 0, 2, 0, ROWS, 7, JOB, 2},
    {"a slice", "thrice a; slice skip=10 take=50", "a", 1, 2, 0, 50, 4, JOB, 2},
    {"a filter", "thrice a; range c min=50", "a", 1, 2, 0, 50, 4, JOB, 2},
};

Test(fine_sets, have_small_chunks)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dvt_made_table table;
        int32_t opened;
        dv_view *view = piped(table_of(&table, cases[i].block_rows), cases[i].steps);
        const told t =
            told_of(view, cases[i].column, cases[i].members, cases[i].batch_rows, &opened);
        cr_expect_eq(t.rows, cases[i].rows, "%s: %lld rows", cases[i].name, (long long)t.rows);
        cr_expect_eq(t.chunks, cases[i].chunks, "%s: %lld chunks", cases[i].name,
                     (long long)t.chunks);
        cr_expect_eq(t.most, cases[i].most, "%s: %lld rows in a chunk", cases[i].name,
                     (long long)t.most);
        cr_expect_eq(opened, cases[i].opened, "%s: %d members", cases[i].name, (int)opened);
        dv_view_release(&view);
    }
}

/* --- A cursor with threads -------------------------------------------------------------------- */

/* The first fills wait for each other, so that a cursor that leaves its threads idle fails. */
static void expect_together(dv_view *view, int32_t threads, int64_t batch_rows)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int32_t column;
    int64_t row = 0;
    dv_status status;
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options how = only(view, "a", &column);
    how.threads = threads;
    how.batch_rows = batch_rows;
    atomic_store(&filling, 0);
    atomic_store(&meets, threads);
    cr_assert_eq(dv_cursor_open(&cursor, view, &how, NULL), DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++, row++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, 0), i);
            cr_assert_eq(dv_value_i8(&value), 3 * row);
        }
    cr_expect_eq(status, DV_END, "%s", err.message);
    cr_expect_eq(row, ROWS, "%d threads, batch_rows %d: %d rows", (int)threads, (int)batch_rows,
                 (int)row);
    dv_cursor_close(&cursor);
    cr_expect_eq(atomic_load(&missed), 0, "%d threads", (int)threads);
    atomic_store(&meets, 0);
    atomic_store(&missed, 0);
}

Test(fine_sets, threads_fill_at_once)
{
    static const int64_t blocks[] = {1, 5, 50, ROWS, 0};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        for (int32_t threads = 2; threads <= 5; threads++) {
            dvt_made_table table;
            dv_view *view = piped(table_of(&table, blocks[b]), "thrice a");
            atomic_store(&most_rows, 0);
            expect_together(view, threads, 0);
            expect_together(view, threads, 7);
            expect_together(view, threads, 40);
            cr_expect_leq(atomic_load(&most_rows), JOB);
            dv_view_release(&view);
        }
}

Test(fine_sets, one_row_and_none)
{
    dvt_made_table table;
    dv_view *view = piped(table_of(&table, 1), "thrice a");
    for (int64_t rows = 0; rows <= 3; rows++) {
        dv_cursor *cursor;
        const dv_batch *batch;
        int32_t column;
        int64_t seen = 0;
        dv_cursor_options how = only(view, "a", &column);
        how.threads = 4;
        how.first_row = 20;
        how.end_row = 20 + rows;
        cr_assert_eq(dv_cursor_open(&cursor, view, &how, NULL), DV_OK);
        for (; dv_cursor_next(cursor, &batch, NULL) == DV_OK; seen += batch->rows)
            cr_expect_eq(batch->first_row, 20 + seen);
        cr_expect_eq(seen, rows);
        dv_cursor_close(&cursor);
    }
    dv_view_release(&view);
}
