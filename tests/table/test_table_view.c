/* SPDX-License-Identifier: MIT */
/* test_table_view.c: a table of arrays has their values, copied or lent (table.h). */
#include "support/allocator.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/save.h>
#include <dataview/table.h>
#include <dataview/transform.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 70003 /* more than a block */
#define LIMIT 200  /* rows of the tests that need few */

enum { NUMBER, NAME, BYTES, ZONED, ID, ROW, WORDS, COLUMNS };

/* Arrays whose values follow from the row. */
static int32_t number[ROWS];
static char letters[ROWS][12];
static const char *name[ROWS];
static dv_text bytes[ROWS];
static dv_zoned zoned[ROWS];
static dv_u128 id[ROWS];
static float row3[ROWS][3];
static const char *words[ROWS][2];

static void fill(void)
{
    for (int32_t i = 0; i < ROWS; i++) {
        number[i] = i % 11 == 0 ? INT32_MIN : 3 * i;
        snprintf(letters[i], sizeof letters[i], "n%" PRId32 "\xC3\xA9", i);
        name[i] = i % 7 == 0 ? NULL : i % 5 == 0 ? "" : letters[i];
        bytes[i] = (dv_text){"\0\xFF\1", i % 4};
        zoned[i] = (dv_zoned){1000 * (int64_t)i, (int16_t)(i % 100)};
        id[i] = (dv_u128){(uint64_t)i, (uint64_t)-i};
        for (int j = 0; j < 3; j++)
            row3[i][j] = (float)(i + j);
        words[i][0] = letters[i];
        words[i][1] = i % 3 == 0 ? NULL : "w";
    }
}

TestSuite(table_view, .init = fill);

static void describe(dv_table_column columns[COLUMNS])
{
    columns[NUMBER] = (dv_table_column){"Number", dv_type_of(DV_KIND_I4), number, NULL};
    columns[NAME] = (dv_table_column){"Name", dv_type_of(DV_KIND_TX), name, NULL};
    columns[BYTES] = (dv_table_column){"Bytes", dv_type_of(DV_KIND_BY), NULL, bytes};
    columns[ZONED] = (dv_table_column){"Zoned", dv_type_of(DV_KIND_DZ), zoned, NULL};
    columns[ID] = (dv_table_column){"Id", dv_type_of(DV_KIND_UG), id, NULL};
    columns[ROW] = (dv_table_column){"Row", dv_type_vector(dv_type_of(DV_KIND_R4), 3), row3, NULL};
    columns[WORDS] =
        (dv_table_column){"Words", dv_type_vector(dv_type_of(DV_KIND_TX), 2), words, NULL};
}

/* --- Values ----------------------------------------------------------------------------------- */

static bool is_text(const dv_text_layout *text, int64_t i, dv_text want)
{
    const int32_t *ends = text->ends.data;
    const int32_t from = i > 0 ? ends[i - 1] & INT32_MAX : text->first, end = ends[i] & INT32_MAX;
    if (want.nbytes < 0)
        return ends[i] < 0 && end == from;
    return ends[i] >= 0 && end - from == want.nbytes &&
           memcmp((const char *)text->utf8.data + from, want.data, (size_t)want.nbytes) == 0;
}

static dv_text text_of(const char *text)
{
    return text ? dv_text_of(text) : (dv_text){"", -1};
}

static bool is_row(const dv_batch *batch, int64_t i)
{
    const int64_t row = batch->first_row + i;
    const dv_column_view *zones = dv_batch_column(batch, ZONED);
    const dv_vector_layout *floats = &dv_batch_column(batch, ROW)->as.vector;
    const dv_vector_layout *pairs = &dv_batch_column(batch, WORDS)->as.vector;
    const int64_t pair = pairs->item_base + 2 * i;
    const float *items = floats->items->as.fixed.values.data;
    return ((const int32_t *)dv_batch_column(batch, NUMBER)->as.fixed.values.data)[i] ==
               number[row] &&
           is_text(&dv_batch_column(batch, NAME)->as.text, i, text_of(name[row])) &&
           is_text(&dv_batch_column(batch, BYTES)->as.text, i, bytes[row]) &&
           ((const int64_t *)zones->as.zoned.ticks.data)[i] == zoned[row].ticks &&
           ((const int16_t *)zones->as.zoned.minutes.data)[i] == zoned[row].minutes &&
           memcmp((const dv_u128 *)dv_batch_column(batch, ID)->as.fixed.values.data + i, &id[row],
                  sizeof *id) == 0 &&
           memcmp(items + floats->item_base + 3 * i, row3[row], sizeof *row3) == 0 &&
           is_text(&pairs->items->as.text, pair, text_of(words[row][0])) &&
           is_text(&pairs->items->as.text, pair + 1, text_of(words[row][1]));
}

/* Check rows first..end-1; returns how many there are. */
static int64_t check_rows(dv_view *view, int64_t first, int64_t end)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.first_row = first;
    options.end_row = end;
    options.zero_copy_only = true;
    int64_t rows = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK) {
        cr_expect_eq(batch->first_row, first + rows);
        for (int64_t i = 0; i < batch->rows; i++)
            cr_assert(is_row(batch, i), "row %" PRId64, batch->first_row + i);
        rows += batch->rows;
    }
    cr_expect_eq(err.status, DV_OK, "%s", err.message);
    dv_cursor_close(&cursor);
    return rows;
}

static void check_table(const dv_table_options *options)
{
    dv_table_column columns[COLUMNS];
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    describe(columns);
    cr_assert_eq(dv_table_create(&view, columns, COLUMNS, ROWS, options, &err), DV_OK, "%s",
                 err.message);
    cr_expect_eq(dv_view_rows(view), ROWS);
    cr_expect_eq(check_rows(view, 0, -1), ROWS);
    cr_expect_eq(check_rows(view, 65535, 65538), 3);
    cr_expect_eq(check_rows(view, 70002, -1), 1);
    cr_expect_eq(check_rows(view, ROWS, -1), 0);
    dv_view_release(&view);
}

static void count(void *ctx)
{
    ++*(int *)ctx;
}

Test(table_view, copied_arrays)
{
    check_table(NULL);
}

Test(table_view, lent_arrays)
{
    int released = 0;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.lend = true;
    options.release = count;
    options.ctx = &released;
    check_table(&options);
    cr_expect_eq(released, 1);
}

/* --- Lifetimes -------------------------------------------------------------------------------- */

Test(table_view, a_retained_batch_keeps_what_is_lent)
{
    int released = 0;
    const dv_batch *batch;
    dv_view *view;
    dv_cursor *cursor;
    dv_error err = DV_ERROR_INIT;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    const dv_table_column column = {"Number", dv_type_of(DV_KIND_I4), number, NULL};
    options.lend = true;
    options.release = count;
    options.ctx = &released;
    cr_assert_eq(dv_table_create(&view, &column, 1, LIMIT, &options, &err), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
    const dv_buffer *values = &dv_batch_column(batch, 0)->as.fixed.values;
    cr_expect(values->data == (const void *)number && values->is_borrowed);
    dv_batch_retain(batch);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    cr_expect_eq(released, 0);
    dv_batch_release(&batch);
    cr_expect_eq(released, 1);
}

Test(table_view, copies_do_not_follow_the_arrays)
{
    int32_t values[] = {1, 2, 3};
    const dv_table_column column = {"A", dv_type_of(DV_KIND_I4), values, NULL};
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    cr_assert_eq(dv_table_create(&view, &column, 1, 3, NULL, &err), DV_OK);
    values[0] = 9;
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
    cr_expect_eq(*(const int32_t *)dv_batch_column(batch, 0)->as.fixed.values.data, 1);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
}

/* --- With other views ------------------------------------------------------------------------- */

static uint64_t length_of_saved(dv_view *view, dv_error *err)
{
    dv_buffer file;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "idv";
    cr_assert_eq(dv_save_memory(view, &file, &options, err), DV_OK, "%s", err->message);
    const uint64_t nbytes = file.nbytes;
    dv_buffer_release(&file);
    return nbytes;
}

Test(table_view, can_be_taken_from_and_saved)
{
    const int64_t rows[] = {ROWS - 1, 0, 65536, 65535, 0};
    dv_table_column columns[COLUMNS];
    dv_error err = DV_ERROR_INIT;
    dv_view *view, *taken;
    dv_cursor *cursor;
    const dv_batch *batch;
    describe(columns);
    columns[BYTES] = columns[NUMBER]; /* .idv has no BY; the second one hides the first */
    cr_assert_eq(dv_table_create(&view, columns, COLUMNS, ROWS, NULL, &err), DV_OK);
    cr_expect_gt(length_of_saved(view, &err), 70003 * 40);
    cr_assert_eq(dv_view_take(&taken, view, rows, 5, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_open(&cursor, taken, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    for (int i = 0; i < 5; i++)
        cr_expect(is_text(&dv_batch_column(batch, 0)->as.text, i, text_of(name[rows[i]])));
    dv_cursor_close(&cursor);
    dv_view_release(&taken);
    dv_view_release(&view);
}

/* --- Errors ----------------------------------------------------------------------------------- */

static void expect_argument(const dv_table_column *column, int64_t rows, const char *message)
{
    int released = 0;
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.lend = true;
    options.release = count;
    options.ctx = &released;
    cr_expect_eq(dv_table_create(&view, column, 1, rows, &options, &err), DV_ERR_ARGUMENT, "%s",
                 message);
    cr_expect_null(view);
    cr_expect(strstr(err.message, message), "%s", err.message);
    cr_expect_eq(released, 0, "%s", message);
}

Test(table_view, what_cannot_be_a_column_is_refused)
{
    const char *broken[] = {"a", "\xC3"};
    const dv_type i4 = dv_type_of(DV_KIND_I4), tx = dv_type_of(DV_KIND_TX);
    expect_argument(&(dv_table_column){NULL, i4, number, NULL}, 1, "without a name");
    expect_argument(&(dv_table_column){"A", i4, NULL, NULL}, 1, "\"A\": it has no values");
    expect_argument(&(dv_table_column){"A", i4, NULL, bytes}, 1, "not TX or BY");
    expect_argument(&(dv_table_column){"A", tx, name, bytes}, 1, "both values and texts");
    expect_argument(&(dv_table_column){"A", dv_type_of(DV_KIND_BY), name, NULL}, 1, "no texts");
    expect_argument(&(dv_table_column){"A", dv_type_vector(i4, 0), number, NULL}, 1, "known size");
    expect_argument(&(dv_table_column){"A", dv_type_extension("X", 4), number, NULL}, 1,
                    "extension");
    expect_argument(&(dv_table_column){"A", tx, broken, NULL}, 2, "row 1: text that is not UTF-8");
    expect_argument(&(dv_table_column){"A", i4, number, NULL}, -1, "-1 rows");
}

Test(table_view, a_table_may_be_empty)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_table_column columns[COLUMNS];
    describe(columns);
    columns[0].values = NULL;
    cr_assert_eq(dv_table_create(&view, columns, COLUMNS, 0, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(check_rows(view, 0, -1), 0);
    dv_view_release(&view);
    cr_assert_eq(dv_table_create(&view, NULL, 0, 0, NULL, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
}

Test(table_view, each_allocation_may_fail)
{
    dv_table_column columns[COLUMNS];
    dv_status status = DV_ERR_MEMORY;
    describe(columns);
    for (int64_t k = 1; status == DV_ERR_MEMORY; k++) {
        dvt_allocator counted;
        dv_error err = DV_ERROR_INIT;
        dv_view *view;
        dv_table_options options = DV_TABLE_OPTIONS_INIT;
        dvt_allocator_init(&counted, k);
        options.allocator = &counted.allocator;
        options.lend = k % 2 == 0;
        status = dv_table_create(&view, columns, COLUMNS, LIMIT, &options, &err);
        cr_expect(status == DV_OK || status == DV_ERR_MEMORY, "%s", err.message);
        dv_view_release(&view);
        cr_expect_eq(counted.live, 0, "allocation %d: a leak", (int)k);
        cr_assert_lt(k, 1000);
    }
}
