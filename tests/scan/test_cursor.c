/* SPDX-License-Identifier: MIT */
/* test_cursor.c: checks the batch cursor against cursor.h. */
#include "base/load.h"
#include "support/allocator.h"
#include "support/golden_files.h"
#include "support/lines.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/row.h>
#include <sched.h>
#include <stdlib.h>

/* 100 rows in blocks of 7, a column of every kind. */
#define BLOCKS_OF_7 "idv/scalar-all-raw-rpb7.idv"
/* 200 rows of text, a block each. */
#define BLOCKS_OF_1 "idv/text-unicode-raw-rpb1.idv"

static dv_view *view;
static dv_cursor *cursor;
static dv_cursor_options options;
static const dv_batch *batch;
static dv_error err;

static void start(void)
{
    err = (dv_error)DV_ERROR_INIT;
    options = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
}

static void stop(void)
{
    dv_cursor_close(&cursor);
    cr_expect_null(cursor);
    dv_cursor_close(&cursor); /* NULL is fine */
    dv_view_release(&view);
}

TestSuite(cursor, .init = start, .fini = stop);

static void open_cursor(const char *name)
{
    view = dvt_golden_open(name, NULL);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
}

/* Rows up to the end or an error, which `err` reports. */
static int64_t count_rows(dv_status *status_out)
{
    int64_t rows = 0;
    while ((*status_out = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        rows += batch->rows;
    cr_expect_null(batch);
    return rows;
}

/* --- Reading ---------------------------------------------------------------------------------- */

Test(cursor, end_repeats)
{
    dv_status status;
    open_cursor(BLOCKS_OF_7);
    cr_expect_eq(count_rows(&status), 100);
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(status, DV_END);
        cr_expect_eq(count_rows(&status), 0);
        cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_END);
    }
    cr_expect_eq(err.status, DV_OK, "the end is no error");
}

Test(cursor, null_options_are_the_defaults)
{
    dv_status status;
    view = dvt_golden_open("idv/names-duplicate-kept.idv", NULL);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
    cr_expect_eq(batch->columns, 2, "two of the four columns are hidden");
    cr_expect_null(batch->ids);
    cr_expect_null(dv_batch_column(batch, 2));
    cr_expect_null(dv_batch_column(batch, -1));
    cr_expect_eq(batch->rows + count_rows(&status), 3);
}

Test(cursor, batches_tell_position_and_first_row)
{
    options.first_row = 10;
    options.skip = 3;
    options.take = 60;
    open_cursor(BLOCKS_OF_7);
    int64_t rows = 0;
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK) {
        cr_expect_eq(batch->position, rows);
        cr_expect_eq(batch->first_row, 13 + rows);
        rows += batch->rows;
    }
    cr_expect_eq(rows, 60);
}

Test(cursor, ids_are_row_numbers)
{
    static const int64_t sizes[] = {0, 1, 3, 7, 10, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        start();
        options.ids = true;
        options.first_row = 5;
        options.batch_rows = sizes[i];
        open_cursor(BLOCKS_OF_7);
        uint64_t row = 5;
        while (dv_cursor_next(cursor, &batch, &err) == DV_OK) {
            cr_assert_not_null(batch->ids);
            for (int64_t j = 0; j < batch->rows; j++, row++)
                cr_expect(batch->ids[j].lo == row && batch->ids[j].hi == 0);
        }
        cr_expect_eq(row, 100);
        stop();
    }
}

Test(cursor, without_columns_rows_are_counted)
{
    dv_status status;
    options.columns_count = 0;
    options.first_row = 1;
    open_cursor(BLOCKS_OF_7);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
    cr_expect_eq(batch->columns, 0);
    cr_expect_null(dv_batch_column(batch, 0));
    cr_expect_eq(batch->rows + count_rows(&status), 99);
    stop();
    options.first_row = 0;
    options.columns_count = -1;
    open_cursor("idv-crafted/no-columns.idv");
    cr_expect_eq(count_rows(&status), 5);
}

Test(cursor, ranges_are_clamped)
{
    static const int64_t cases[][3] = {
        /* first_row, end_row, rows */
        {0, -1, 100}, {0, 0, 0},     {99, 100, 1},       {99, 1000, 1},
        {100, -1, 0}, {500, 600, 0}, {50, 20, 0},        {0, INT64_MAX, 100},
        {7, 14, 7},   {3, 11, 8},    {INT64_MAX, -1, 0}, {INT64_MAX, INT64_MAX, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dv_status status;
        start();
        options.first_row = cases[i][0];
        options.end_row = cases[i][1];
        options.threads = (int32_t)i % 5; /* 0: the library chooses */
        open_cursor(BLOCKS_OF_7);
        cr_expect_eq(count_rows(&status), cases[i][2], "case %d", (int)i);
        cr_expect_eq(status, DV_END);
        stop();
    }
}

Test(cursor, cursors_do_not_notice_each_other)
{
    dv_cursor *other = NULL;
    const dv_batch *held, *theirs;
    dv_status status;
    options.batch_rows = 10;
    open_cursor(BLOCKS_OF_7);
    cr_assert_eq(dv_cursor_next(cursor, &held, &err), DV_OK);
    cr_assert_eq(dv_cursor_open(&other, view, &options, &err), DV_OK);
    for (int64_t at = 0; dv_cursor_next(other, &theirs, &err) == DV_OK; at += theirs->rows)
        cr_expect_eq(theirs->position, at);
    dv_cursor_close(&other);
    cr_expect_eq(held->position, 0);
    cr_expect_eq(held->rows, 10);
    cr_expect_eq(count_rows(&status), 90);
}

Test(cursor, the_cursor_holds_the_view)
{
    dv_status status;
    open_cursor("idv/people.idv");
    dv_view_release(&view);
    cr_expect_null(view);
    cr_expect_eq(count_rows(&status), 600);
}

/* Workers used to start when the cursor was opened: one that was never read had inflated blocks. */
Test(cursor, nothing_is_inflated_before_the_first_batch)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.allocator = &counted.allocator;
    view = dvt_golden_open("idv/scalar-all-deflate-rpb7.idv", &how);
    options.threads = 4;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    const int64_t asked = counted.asked;
    for (int i = 0; i < 1000; i++)
        sched_yield(); /* enough for a thread that exists */
    cr_expect_eq(counted.asked, asked);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
    cr_expect_gt(counted.asked, asked);
    stop();
    cr_expect_eq(counted.live, 0);
}

/* --- Columns ---------------------------------------------------------------------------------- */

Test(cursor, columns_come_in_the_order_asked_for)
{
    static const int32_t columns[] = {3, 0, 3};
    options.columns = columns;
    options.columns_count = 3;
    open_cursor("idv/people.idv");
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
    cr_expect_eq(batch->columns, 3);
    cr_expect_eq(dv_batch_column(batch, 0)->type.kind, DV_KIND_DT);
    cr_expect_eq(dv_batch_column(batch, 1)->type.kind, DV_KIND_TX);
    cr_expect_eq(dv_batch_column(batch, 2)->type.kind, DV_KIND_DT);
}

Test(cursor, hidden_columns_are_there_by_number)
{
    static const int32_t columns[] = {0, 1, 2, 3};
    dv_status status;
    options.columns = columns;
    options.columns_count = 4;
    open_cursor("idv/names-duplicate-kept.idv");
    cr_expect_eq(count_rows(&status), 3);
    cr_expect_eq(status, DV_END);
}

Test(cursor, columns_by_name)
{
    view = dvt_golden_open("idv/people.idv", NULL);
    const dv_schema *schema = dv_view_schema(view);
    cr_expect_eq(dv_cursor_options_column(&options, schema, "Seen", &err), DV_OK);
    cr_expect_eq(dv_cursor_options_column(&options, schema, "Age", NULL), DV_OK);
    cr_expect_eq(dv_cursor_options_column(&options, schema, "age", &err), DV_ERR_ARGUMENT);
    cr_expect_eq(err.status, DV_ERR_ARGUMENT);
    cr_expect(*err.message && *err.found);
    cr_expect_eq(dv_cursor_options_column(&options, schema, "", NULL), DV_ERR_ARGUMENT);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
    cr_expect_eq(batch->columns, 2);
    cr_expect_eq(dv_batch_column(batch, 0)->type.kind, DV_KIND_DT);
    cr_expect_eq(dv_batch_column(batch, 1)->type.kind, DV_KIND_R4);
}

Test(cursor, a_name_means_its_last_column)
{
    view = dvt_golden_open("idv/names-duplicate-kept.idv", NULL);
    const dv_schema *schema = dv_view_schema(view);
    cr_assert_eq(dv_cursor_options_column(&options, schema, "x", &err), DV_OK);
    cr_expect_eq(options.named_columns[0], 3);
}

Test(cursor, names_have_a_limit)
{
    view = dvt_golden_open("idv/people.idv", NULL);
    const dv_schema *schema = dv_view_schema(view);
    for (int i = 0; i < DV_NAMED_COLUMNS_MAX; i++)
        cr_expect_eq(dv_cursor_options_column(&options, schema, "Age", &err), DV_OK);
    cr_expect_eq(dv_cursor_options_column(&options, schema, "Age", &err), DV_ERR_LIMIT);
    cr_expect(*err.rule, "the limit has a name");
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
    cr_expect_eq(batch->columns, DV_NAMED_COLUMNS_MAX);
}

/* --- What cannot be --------------------------------------------------------------------------- */

static void expect_refused(const char *why)
{
    err = (dv_error)DV_ERROR_INIT;
    cursor = (dv_cursor *)(void *)&err; /* to see that it is set */
    cr_expect_eq(dv_cursor_open(&cursor, view, &options, &err), DV_ERR_ARGUMENT, "%s", why);
    cr_expect_null(cursor, "%s", why);
    cr_expect(err.status == DV_ERR_ARGUMENT && *err.message, "%s", why);
    cr_expect_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_ERR_ARGUMENT, "%s", why);
    options = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
}

Test(cursor, options_are_checked)
{
    static const int32_t none[] = {-1, 0}, far[] = {0, 20};
    view = dvt_golden_open(BLOCKS_OF_7, NULL);
    options.size = 0;
    expect_refused("no size");
    options.size = sizeof options + 8;
    expect_refused("a size of the future");
#define REFUSE(member, value)                                                                      \
    options.member = value;                                                                        \
    expect_refused(#member " " #value)
    REFUSE(first_row, -1);
    REFUSE(end_row, -2);
    REFUSE(skip, -1);
    REFUSE(take, -2);
    REFUSE(batch_rows, -1);
    REFUSE(threads, -1);
    REFUSE(columns_count, -2);
    REFUSE(first_row, INT64_MIN);
    REFUSE(columns_count, 3); /* of no list */
#undef REFUSE
    options.columns = none;
    options.columns_count = 2;
    expect_refused("column -1");
    options.columns = far;
    options.columns_count = 2;
    expect_refused("column 20 of 20");
}

Test(cursor, a_closed_cursor_opens_again)
{
    dv_status status;
    open_cursor(BLOCKS_OF_7);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK);
    dv_cursor_close(&cursor); /* in the middle */
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    cr_expect_eq(count_rows(&status), 100);
}

Test(cursor, no_copy_and_exact_batches_agree_inside_blocks_only)
{
    dv_status status;
    options.zero_copy_only = true;
    options.columns_count = 1;
    options.columns = &(int32_t){10}; /* R8 */
    options.batch_rows = 7;
    open_cursor(BLOCKS_OF_7);
    cr_expect_eq(count_rows(&status), 100);
    cr_expect_eq(status, DV_END);
    stop();
    options.batch_rows = 5;
    open_cursor(BLOCKS_OF_7);
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(count_rows(&status), i == 0 ? 5 : 0);
        cr_expect_eq(status, DV_ERR_COPY);
        cr_expect_eq(err.status, DV_ERR_COPY);
    }
}

/* --- Damage ----------------------------------------------------------------------------------- */

/* The file BLOCKS_OF_1, where the number of texts in the block of row 50 is wrong. */
static uint8_t *damaged(size_t *nbytes_out, int64_t *offset_out)
{
    const dvt_path path = dvt_test_path("golden/" BLOCKS_OF_1);
    uint8_t *file = dvt_file_read(path.text, nbytes_out);
    size_t at = 256; /* one after the other: int32 entries, int32 end, length in one byte, text */
    for (int row = 0; row < 50; row++)
        at += 9 + (size_t)file[at + 8];
    cr_assert_eq(dvi_load_i32(file + at), 1);
    file[at] = 2;
    *offset_out = (int64_t)at;
    return file;
}

static void expect_damage(int64_t offset, int64_t rows_before)
{
    dv_status status;
    char first[sizeof err.message];
    cr_expect_eq(count_rows(&status), rows_before);
    cr_expect_eq(status, DV_ERR_CORRUPT);
    cr_expect(err.status == DV_ERR_CORRUPT && err.offset == offset, "%s", err.message);
    strcpy(first, err.message);
    for (int i = 0; i < 3; i++) { /* final */
        err = (dv_error)DV_ERROR_INIT;
        cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_ERR_CORRUPT);
        cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_CORRUPT);
        cr_expect_null(batch);
        cr_expect_eq(err.offset, offset);
        cr_expect_str_eq(err.message, first);
    }
}

Test(cursor, batches_before_damage_are_sound_and_the_error_is_final)
{
    static const int64_t sizes[] = {0, 1, 7, 50, 64};
    size_t nbytes;
    int64_t offset;
    uint8_t *file = damaged(&nbytes, &offset);
    cr_assert_eq(dv_open_memory(&view, file, nbytes, NULL, NULL, "it", NULL, &err), DV_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int32_t threads = 1; threads <= 4; threads += 3) {
            options.batch_rows = sizes[i];
            options.threads = threads;
            options.first_row = 3;
            cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
            expect_damage(offset, 47);
            dv_cursor_close(&cursor);
        }

    dv_status status; /* rows after it are intact */
    options.first_row = 51;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    cr_expect_eq(count_rows(&status), 149);
    cr_expect_eq(status, DV_END);
    stop();
    free(file);
}

/* The rows before damage come first, in a batch that is shorter than batch_rows.  The call that
 * delivered it used to write the error of the next one into err, beside its DV_OK. */
Test(cursor, a_short_batch_before_damage_leaves_err_alone)
{
    size_t nbytes;
    int64_t offset;
    uint8_t *file = damaged(&nbytes, &offset);
    cr_assert_eq(dv_open_memory(&view, file, nbytes, NULL, NULL, "it", NULL, &err), DV_OK);
    for (int32_t threads = 1; threads <= 4; threads += 3) {
        options.batch_rows = 64;
        options.threads = threads;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
        dv_error mine = {.status = DV_NOT_FOUND, .offset = 77, .message = "of the caller"};
        cr_assert_eq(dv_cursor_next(cursor, &batch, &mine), DV_OK);
        cr_expect_eq(batch->rows, 50);
        cr_expect(mine.status == DV_NOT_FOUND && mine.offset == 77 && !*mine.rule, "%s", mine.rule);
        cr_expect_str_eq(mine.message, "of the caller");
        cr_expect_eq(dv_cursor_next(cursor, &batch, &mine), DV_ERR_CORRUPT);
        cr_expect_eq(mine.offset, offset);
        expect_damage(offset, 0);
        dv_cursor_close(&cursor);
    }
    stop();
    free(file);
}

Test(cursor, an_error_at_the_first_call_is_told_without_err_too)
{
    size_t nbytes;
    int64_t offset;
    uint8_t *file = damaged(&nbytes, &offset);
    cr_assert_eq(dv_open_memory(&view, file, nbytes, NULL, NULL, "it", NULL, &err), DV_OK);
    options.first_row = 50;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_ERR_CORRUPT);
    expect_damage(offset, 0);
    stop();
    free(file);
}

Test(cursor, the_row_cursor_tells_damage_the_same)
{
    size_t nbytes;
    int64_t offset, rows = 0;
    dv_row_cursor *row = NULL;
    uint8_t *file = damaged(&nbytes, &offset);
    cr_assert_eq(dv_open_memory(&view, file, nbytes, NULL, NULL, "it", NULL, &err), DV_OK);
    cr_assert_eq(dv_row_cursor_open(&row, view, NULL, &err), DV_OK);
    dv_status status;
    for (; (status = dv_row_next(row, &err)) == DV_OK; rows++)
        cr_expect_eq(dv_row_position(row), rows);
    cr_expect_eq(rows, 50);
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(status, DV_ERR_CORRUPT);
        cr_expect_eq(err.offset, offset);
        cr_expect_eq(dv_row_position(row), -1);
        status = i % 2 ? dv_row_next(row, &err) : dv_row_skip(row, 2, &err);
    }
    dv_row_cursor_close(&row);
    stop();
    free(file);
}

Test(cursor, damage_in_another_column_is_not_noticed)
{
    size_t nbytes;
    dv_status status;
    const dvt_path path = dvt_test_path("golden/idv/people.idv");
    uint8_t *file = dvt_file_read(path.text, &nbytes);
    memset(file + 256, 0xFF, 16); /* the first block, of Name */
    cr_assert_eq(dv_open_memory(&view, file, nbytes, NULL, NULL, "it", NULL, &err), DV_OK);
    for (int32_t column = 0; column < 5; column++) {
        options.columns = &column;
        options.columns_count = 1;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
        cr_expect_eq(count_rows(&status), column == 0 ? 0 : 600);
        cr_expect_eq(status, column == 0 ? DV_ERR_CORRUPT : DV_END);
        dv_cursor_close(&cursor);
    }
    stop();
    free(file);
}
