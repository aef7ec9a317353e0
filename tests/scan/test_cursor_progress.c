/* SPDX-License-Identifier: MIT */
/* test_cursor_progress.c: a cursor reports progress while it passes over rows, and can be stopped.
 */
#include "support/file.h"
#include "support/many_rows.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 2000

/* What a cursor reported; it is stopped at report number `stop_at`. */
typedef struct reports {
    int64_t n, done, total, stop_at;
} reports;

static bool note(void *ctx, int64_t done, int64_t total)
{
    reports *const r = ctx;
    cr_expect_geq(done, r->done);
    r->done = done;
    r->total = total;
    return ++r->n != r->stop_at;
}

static dv_cursor_options reporting(reports *r)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1;
    options.progress = (dv_progress){note, r};
    return options;
}

/* Read to the end. */
static dv_status read_all(dv_view *view, const dv_cursor_options *options, int64_t *rows_out,
                          dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status = dv_cursor_open(&cursor, view, options, err);
    *rows_out = 0;
    if (status < 0)
        return status;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        *rows_out += batch->rows;
    cr_expect_eq(dv_cursor_next(cursor, &batch, err), status, "final");
    dv_cursor_close(&cursor);
    return status;
}

/* Stopped at each report in turn, until there is none. */
static void stop_everywhere(dv_view *view, const dv_cursor_options *given, const char *name)
{
    dv_status status = DV_ERR_STOPPED;
    for (int64_t k = 1; status == DV_ERR_STOPPED; k += 1 + k / 8) {
        reports r = {.stop_at = k};
        dv_cursor_options options = *given;
        dv_error err = DV_ERROR_INIT;
        int64_t rows;
        options.progress = (dv_progress){note, &r};
        status = read_all(view, &options, &rows, &err);
        cr_expect(status == DV_ERR_STOPPED || status == DV_END, "%s: %s", name, err.message);
        cr_expect_eq(status == DV_END, r.n < k, "%s", name);
        cr_expect_leq(r.done, rows, "%s", name);
    }
}

static dv_view *no_row_passes(dv_view *source)
{
    dv_view *view;
    const dv_condition none = {
        .column = dv_text_of("b"), .relations = DV_IS_LESS, .value = dv_text_of("-1")};
    cr_assert_eq(dv_view_filter(&view, source, &none, 1, NULL, NULL), DV_OK);
    return view;
}

Test(cursor_progress, of_a_file_in_order)
{
    dvt_many_rows *many = dvt_many_rows_create(ROWS, 100);
    dv_view *table = dvt_made_table_open(&many->table, NULL);
    reports r = {0};
    int64_t rows;
    dv_cursor_options options = reporting(&r);
    cr_expect_eq(read_all(table, &options, &rows, NULL), DV_END);
    cr_expect(rows == ROWS && r.done == ROWS && r.total == ROWS && r.n >= ROWS / 100);
    options.first_row = 1500;
    options.take = 200;
    r = (reports){0};
    cr_expect_eq(read_all(table, &options, &rows, NULL), DV_END);
    cr_expect(rows == 200 && r.done == 200 && r.total == 200);
    options.threads = 2;
    stop_everywhere(table, &options, "two threads");
    options.batch_rows = 33;
    stop_everywhere(table, &options, "batches of 33 rows");
    dv_view_release(&table);
    dvt_many_rows_free(many);
}

/* No row is delivered, and yet every batch of the source is reported; the number of rows at the
 * end. */
Test(cursor_progress, of_rows_that_a_filter_drops)
{
    dvt_many_rows *many = dvt_many_rows_create(ROWS, 100);
    dv_view *table = dvt_made_table_open(&many->table, NULL);
    dv_view *view = no_row_passes(table);
    reports r = {0};
    int64_t rows;
    dv_cursor_options options = reporting(&r);
    cr_expect_eq(read_all(view, &options, &rows, NULL), DV_END);
    cr_expect(rows == 0 && r.done == 0 && r.total == 0 && r.n >= ROWS / 100, "%d", (int)r.n);
    stop_everywhere(view, &options, "one thread");
    options.threads = 3;
    stop_everywhere(view, &options, "three threads");
    dv_view_release(&view);
    dv_view_release(&table);
    dvt_many_rows_free(many);
}

/* The last batch is one of rows that were gathered: the end is reported after it. */
Test(cursor_progress, of_batches_of_one_size)
{
    dvt_many_rows *many = dvt_many_rows_create(ROWS, 100);
    dv_view *table = dvt_made_table_open(&many->table, NULL), *view;
    const dv_condition half = {
        .column = dv_text_of("b"), .relations = DV_IS_LESS, .value = dv_text_of("150")};
    cr_assert_eq(dv_view_filter(&view, table, &half, 1, NULL, NULL), DV_OK);
    for (int32_t threads = 1; threads < 4; threads += 2) {
        reports r = {0};
        int64_t rows;
        dv_cursor_options options = reporting(&r);
        options.threads = threads;
        options.batch_rows = 33;
        cr_expect_eq(read_all(view, &options, &rows, NULL), DV_END);
        cr_assert(rows > 0 && rows % 33 > 0);
        cr_expect(r.done == rows && r.total == rows, "%d of %d", (int)r.done, (int)r.total);
        stop_everywhere(view, &options, "a filter");
        options.progress.ctx = &r;
        options.batch_rows = 300;
        r = (reports){0};
        cr_expect_eq(read_all(table, &options, &rows, NULL), DV_END);
        cr_expect(rows == ROWS && r.done == rows && r.total == rows, "%d", (int)r.done);
    }
    dv_view_release(&view);
    dv_view_release(&table);
    dvt_many_rows_free(many);
}

/* Rows of a text file before the first one wanted. */
Test(cursor_progress, of_lines_before_the_first_row)
{
    const size_t lines = 200000;
    char *text = malloc(2 * lines);
    cr_assert_not_null(text);
    for (size_t i = 0; i < lines; i++)
        memcpy(text + 2 * i, "1\n", 2);
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_view *view;
    how.format = "text";
    how.text = "col=a:R4:0";
    cr_assert_eq(dv_open_memory(&view, text, 2 * lines, NULL, NULL, "x.txt", &how, NULL), DV_OK);
    reports r = {.stop_at = 3};
    int64_t rows;
    dv_cursor_options options = reporting(&r);
    options.first_row = 199999;
    cr_expect_eq(read_all(view, &options, &rows, NULL), DV_ERR_STOPPED);
    cr_expect_eq(rows, 0);
    r.stop_at = 0;
    cr_expect_eq(read_all(view, &options, &rows, NULL), DV_END);
    cr_expect_eq(rows, 1);
    dv_view_release(&view);
    free(text);
}

Test(cursor_progress, of_rows_one_by_one)
{
    dvt_many_rows *many = dvt_many_rows_create(ROWS, 100);
    dv_view *table = dvt_made_table_open(&many->table, NULL);
    dv_row_cursor *cursor;
    reports r = {.stop_at = 5};
    const dv_cursor_options options = reporting(&r);
    dv_status status;
    int64_t rows = 0;
    cr_assert_eq(dv_row_cursor_open(&cursor, table, &options, NULL), DV_OK);
    while ((status = dv_row_next(cursor, NULL)) == DV_OK)
        rows++;
    cr_expect_eq(status, DV_ERR_STOPPED);
    cr_expect_eq(rows, r.done);
    dv_row_cursor_close(&cursor);
    dv_view_release(&table);
    dvt_many_rows_free(many);
}

/* Members count their own rows. One is stopped; the other goes on. */
Test(cursor_progress, of_members)
{
    dvt_many_rows *many = dvt_many_rows_create(ROWS, 100);
    dv_view *table = dvt_made_table_open(&many->table, NULL);
    dv_cursor *members[2];
    const dv_batch *batch;
    reports r = {.stop_at = 2};
    const dv_cursor_options options = reporting(&r);
    int32_t opened;
    cr_assert_eq(dv_cursor_set_open(members, 2, &opened, table, &options, NULL), DV_OK);
    cr_assert_eq(opened, 2);
    cr_expect_eq(dv_cursor_next(members[0], &batch, NULL), DV_OK);
    cr_expect_eq(dv_cursor_next(members[0], &batch, NULL), DV_ERR_STOPPED);
    r.done = 0;
    cr_expect_eq(dv_cursor_next(members[1], &batch, NULL), DV_OK);
    for (int32_t i = 0; i < opened; i++)
        dv_cursor_close(&members[i]);
    dv_view_release(&table);
    dvt_many_rows_free(many);
}
