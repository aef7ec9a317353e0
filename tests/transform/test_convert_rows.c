/* SPDX-License-Identifier: MIT */
/* test_convert_rows.c: checks which rows and columns a view with converted columns reads. */
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/transform.h>
#include <dataview/value.h>

#define ROWS 100

static int32_t numbers[ROWS], others[ROWS];

/* Columns a, 0 to 99, and b; a new one, a as R8, after them. */
static dv_view *open_view(dvt_made_table *table, bool rows_unknown)
{
    dv_view *view;
    for (int32_t i = 0; i < ROWS; i++)
        numbers[i] = i;
    *table = (dvt_made_table){.columns = 2, .rows = ROWS, .block_rows = 7, .bad_row = -1};
    table->rows_unknown = rows_unknown;
    table->column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I4), numbers, ROWS);
    table->column[1] = dvt_made_fixed(dv_type_of(DV_KIND_I4), others, ROWS);
    dv_view *source = dvt_made_table_open(table, NULL);
    const dv_conversion_spec spec = {dv_text_of("a"), dv_text_of("r"), dv_type_of(DV_KIND_R8)};
    cr_assert_eq(dv_view_convert(&view, source, &spec, 1, NULL, NULL), DV_OK);
    dv_view_release(&source);
    return view;
}

/* Rows first..end-1, and nothing else. */
static void expect_rows(dv_view *view, const dv_cursor_options *options, int64_t first, int64_t end)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t row = first;
    cr_assert_eq(dv_cursor_open(&cursor, view, options, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        cr_expect_eq(batch->first_row, row);
        cr_expect_eq(batch->position, row - first);
        dv_value value = dv_value_first(dv_batch_column(batch, batch->columns - 1));
        for (; value.row < batch->rows; dv_value_next(&value), row++) {
            cr_expect_eq(batch->ids[value.row].lo, (uint64_t)row);
            cr_expect_eq(dv_value_r8(&value), (double)row);
        }
    }
    cr_expect_eq(row, end, "%d, not %d", (int)row, (int)end);
    dv_cursor_close(&cursor);
}

Test(convert_rows, ranges)
{
    static const int64_t bounds[] = {0, 1, 6, 7, 8, 50, 99, 100, 200};
    for (int i = 0; i < 81; i++) {
        const int64_t first = bounds[i / 9], n = bounds[i % 9];
        const int64_t start = first < ROWS ? first : ROWS;
        const int64_t end = start + n < ROWS ? start + n : ROWS;
        dvt_made_table table;
        dv_view *view = open_view(&table, i % 2);
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        cr_expect_eq(dv_view_rows(view), i % 2 ? DV_ROWS_UNKNOWN : ROWS);
        options.ids = true;
        options.threads = 1;
        options.batch_rows = i % 3 * 4;
        options.first_row = first;
        options.end_row = first + n;
        expect_rows(view, &options, start, end);
        options.end_row = -1;
        options.take = n;
        expect_rows(view, &options, start, end);
        dv_view_release(&view);
    }
}

/* How many values of the source are read for these columns. */
static int64_t read_for(dv_view *view, dvt_made_table *table, const int32_t *columns, int32_t n)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    options.columns = columns;
    options.columns_count = n;
    options.threads = 1;
    table->read = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
        cr_expect_eq(batch->columns, n);
    dv_cursor_close(&cursor);
    return table->read;
}

/* Each of these columns is read once, whether it is converted, lent, or both; no other is read. */
Test(convert_rows, columns)
{
    dvt_made_table table;
    dv_view *view = open_view(&table, false);
    cr_expect_eq(read_for(view, &table, NULL, 0), 0);
    cr_expect_eq(read_for(view, &table, (const int32_t[]){1}, 1), ROWS);
    cr_expect_eq(read_for(view, &table, (const int32_t[]){2}, 1), ROWS);
    cr_expect_eq(read_for(view, &table, (const int32_t[]){2, 0, 2}, 3), ROWS);
    cr_expect_eq(read_for(view, &table, (const int32_t[]){0, 1, 2}, 3), 2 * ROWS);
    dv_view_release(&view);
}

/* The rows before the bad one come; then the failure, for good. */
Test(convert_rows, failure)
{
    dvt_made_table table;
    dv_view *view = open_view(&table, false);
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t rows = 0;
    table.bad_row = 30;
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, NULL)) == DV_OK)
        rows += batch->rows;
    cr_expect_eq(status, DV_ERR_CORRUPT);
    cr_expect_eq(rows, 28);
    cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_ERR_CORRUPT);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
}
