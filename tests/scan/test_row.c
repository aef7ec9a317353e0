/* SPDX-License-Identifier: MIT */
/* test_row.c: checks the row cursor against row.h (semantics:5.2). */
#include "support/golden_files.h"
#include "support/lines.h"
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/row.h>

/* 100 rows in blocks of 7, a column of every kind. */
#define BLOCKS_OF_7 "idv/scalar-all-raw-rpb7.idv"

static dv_view *view;
static dv_row_cursor *cursor;
static dv_error err;

static void open_row(const char *name, const dv_cursor_options *options)
{
    view = dvt_golden_open(name, NULL);
    cr_assert_eq(dv_row_cursor_open(&cursor, view, options, &err), DV_OK, "%s", err.message);
}

static void start(void)
{
    err = (dv_error)DV_ERROR_INIT;
}

static void stop(void)
{
    dv_row_cursor_close(&cursor);
    cr_expect_null(cursor);
    dv_row_cursor_close(&cursor); /* NULL is fine */
    dv_view_release(&view);
}

TestSuite(row, .init = start, .fini = stop);

/* The current row as text, by dv_row_value. */
static void put_row(dvt_lines *lines)
{
    const dv_sink sink = dvt_lines_sink(lines);
    for (int32_t i = 0; i < dv_schema_columns(dv_view_schema(view)); i++) {
        dv_value value;
        if (!dv_row_is_active(cursor, i))
            continue;
        cr_assert_eq(dv_row_value(cursor, i, &value, &err), DV_OK, "%s", err.message);
        cr_assert(dv_value_write(&value, DV_STYLE_EXACT, &sink));
        dvt_lines_add(lines, "\n", 1);
    }
}

Test(row, position_counts_from_0_and_is_minus_1_outside)
{
    open_row(BLOCKS_OF_7, NULL);
    cr_expect_eq(dv_row_position(cursor), -1);
    for (int64_t row = 0; row < 100; row++) {
        cr_assert_eq(dv_row_next(cursor, &err), DV_OK, "%s", err.message);
        cr_expect_eq(dv_row_position(cursor), row);
    }
    for (int again = 0; again < 3; again++) {
        cr_expect_eq(dv_row_next(cursor, NULL), DV_END);
        cr_expect_eq(dv_row_position(cursor), -1);
    }
    cr_expect_eq(dv_row_skip(cursor, 1, NULL), DV_END);
}

/* The position counts delivered rows; the id identifies the row. */
Test(row, position_and_id_of_a_range)
{
    for (int ids = 0; ids < 2; ids++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_u128 id;
        options.first_row = 20;
        options.end_row = 30;
        options.skip = 2;
        options.ids = ids;
        open_row(BLOCKS_OF_7, &options);
        cr_expect_eq(dv_row_id(cursor, &id, &err), DV_ERR_ARGUMENT);
        for (uint64_t row = 0; row < 8; row++) {
            cr_assert_eq(dv_row_next(cursor, &err), DV_OK);
            cr_expect_eq(dv_row_position(cursor), (int64_t)row);
            cr_assert_eq(dv_row_id(cursor, &id, &err), DV_OK);
            cr_expect(id.lo == 22 + row && id.hi == 0);
        }
        cr_expect_eq(dv_row_next(cursor, &err), DV_END);
        cr_expect_eq(dv_row_id(cursor, &id, &err), DV_ERR_ARGUMENT);
        cr_expect_eq(dv_row_id(cursor, &id, NULL), DV_ERR_ARGUMENT);
        stop();
    }
}

/* skip(n) leads to where n calls of next lead. */
static void expect_skips(const char *name, int64_t step, int32_t threads)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = threads;
    dvt_lines by_next = {0}, by_skip = {0};
    open_row(name, &options);
    dv_status status = DV_OK;
    while (status == DV_OK) {
        for (int64_t i = 0; i < step && status == DV_OK; i++)
            status = dv_row_next(cursor, &err);
        if (status == DV_OK)
            put_row(&by_next);
    }
    stop();
    open_row(name, &options);
    for (int64_t row = step - 1; dv_row_skip(cursor, step, &err) == DV_OK; row += step) {
        cr_expect_eq(dv_row_position(cursor), row);
        put_row(&by_skip);
    }
    cr_expect_eq(dv_row_position(cursor), -1);
    cr_expect_eq(dv_row_next(cursor, &err), DV_END);
    cr_expect_eq(by_next.nbytes, by_skip.nbytes, "%s, steps of %d", name, (int)step);
    cr_expect_eq(dvt_lines_hash(&by_next), dvt_lines_hash(&by_skip), "%s, steps of %d", name,
                 (int)step);
    stop();
    dvt_lines_free(&by_next);
    dvt_lines_free(&by_skip);
}

Test(row, skip_is_many_times_next)
{
    static const char *const names[] = {BLOCKS_OF_7, "idv/people.idv", "idv/vector-TX-raw.idv",
                                        "idv/random-21.idv", "idv/scalar-all-deflate-rpb7.idv"};
    static const int64_t steps[] = {1, 2, 6, 7, 8, 14, 50, 99, 100, 101, 700};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t j = 0; j < sizeof steps / sizeof *steps; j++)
            expect_skips(names[i], steps[j], j % 2 ? 4 : 1);
}

/* Rows that are passed are not read where rows have numbers: one of them is corrupt. */
Test(row, far_rows_are_reached_without_those_between)
{
    enum { ROWS = 100000, BLOCK = 100, BAD = 50000, FAR = 60000 };
    static int32_t values[ROWS];
    for (int32_t i = 0; i < ROWS; i++)
        values[i] = i;
    for (int in_blocks = 0; in_blocks < 2; in_blocks++) {
        int32_t value;
        dvt_made_table table = {.columns = 1, .rows = ROWS, .block_rows = BLOCK, .bad_row = BAD};
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I4), values, ROWS);
        table.in_blocks = in_blocks;
        options.first_row = 7;
        options.end_row = ROWS - 7;
        options.threads = 1;
        view = dvt_made_table_open(&table, NULL);
        cr_assert_eq(dv_row_cursor_open(&cursor, view, &options, &err), DV_OK);
        cr_assert_eq(dv_row_skip(cursor, 3, &err), DV_OK);
        cr_expect_eq(dv_row_skip(cursor, FAR, &err), in_blocks ? DV_OK : DV_ERR_CORRUPT);
        cr_expect_eq(dv_row_position(cursor), in_blocks ? FAR + 2 : -1);
        for (int i = 0; in_blocks && i < 2 * BLOCK; i++) {
            cr_expect_eq(dv_row_i4(cursor, 0, &value, &err), DV_OK);
            cr_expect_eq(value, FAR + 9 + i);
            cr_expect_eq(dv_row_next(cursor, &err), DV_OK);
        }
        if (in_blocks)
            cr_expect_leq(table.read, 6 * BLOCK);
        cr_expect_eq(dv_row_skip(cursor, ROWS, &err), in_blocks ? DV_END : DV_ERR_CORRUPT);
        cr_expect_eq(dv_row_next(cursor, &err), in_blocks ? DV_END : DV_ERR_CORRUPT);
        stop();
    }
}

Test(row, skip_by_no_row_is_refused_and_moves_nothing)
{
    open_row(BLOCKS_OF_7, NULL);
    cr_expect_eq(dv_row_skip(cursor, 0, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_row_skip(cursor, -1, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_row_position(cursor), -1);
    cr_assert_eq(dv_row_skip(cursor, 10, &err), DV_OK);
    cr_expect_eq(dv_row_skip(cursor, INT64_MIN, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_row_position(cursor), 9);
    cr_expect_eq(dv_row_skip(cursor, INT64_MAX, &err), DV_END);
    cr_expect_eq(dv_row_skip(cursor, 1, &err), DV_END);
}

/* --- Getters ---------------------------------------------------------------------------------- */

/* What each getter answers for one column. */
typedef struct answers {
#define MEMBER(name, ctype) dv_status name;
    DV_ROW_GETTER_LIST(MEMBER)
#undef MEMBER
} answers;

static answers ask_all(int32_t column)
{
    answers a;
#define ASK(name, ctype)                                                                           \
    {                                                                                              \
        ctype value;                                                                               \
        err = (dv_error)DV_ERROR_INIT;                                                             \
        a.name = dv_row_##name(cursor, column, &value, &err);                                      \
        cr_expect_eq(err.status, a.name);                                                          \
        cr_expect_eq(dv_row_##name(cursor, column, &value, NULL), a.name);                         \
    }
    DV_ROW_GETTER_LIST(ASK)
#undef ASK
    return a;
}

/* kind: of the column, in the small letters of the getter; "" when every getter must refuse. */
static void expect_only(int32_t column, const char *kind)
{
    const answers a = ask_all(column);
#define EXPECT(name, ctype)                                                                        \
    cr_expect_eq(a.name, strcmp(kind, #name) == 0 ? DV_OK : DV_ERR_ARGUMENT, "column %d, %s",      \
                 column, #name);
    DV_ROW_GETTER_LIST(EXPECT)
#undef EXPECT
}

static const char *getter_of(dv_kind kind)
{
    static const struct {
        dv_kind kind;
        const char *getter;
    } list[] = {
        {DV_KIND_I1, "i1"}, {DV_KIND_U1, "u1"}, {DV_KIND_I2, "i2"}, {DV_KIND_U2, "u2"},
        {DV_KIND_I4, "i4"}, {DV_KIND_U4, "u4"}, {DV_KIND_I8, "i8"}, {DV_KIND_U8, "u8"},
        {DV_KIND_R4, "r4"}, {DV_KIND_R8, "r8"}, {DV_KIND_TX, "tx"}, {DV_KIND_BL, "bl"},
        {DV_KIND_TS, "ts"}, {DV_KIND_DT, "dt"}, {DV_KIND_DZ, "dz"}, {DV_KIND_UG, "ug"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].kind == kind)
            return list[i].getter;
    return "";
}

Test(row, each_kind_has_its_getter_and_keys_that_of_their_kind)
{
    open_row(BLOCKS_OF_7, NULL);
    const dv_schema *schema = dv_view_schema(view);
    cr_assert_eq(dv_schema_columns(schema), 20);
    for (int32_t i = 0; i < 20; i++)
        expect_only(i, ""); /* no row is current */
    cr_assert_eq(dv_row_skip(cursor, 9, &err), DV_OK);
    for (int32_t i = 0; i < 20; i++)
        expect_only(i, getter_of(dv_schema_column(schema, i)->type.kind));
    cr_assert_eq(dv_row_skip(cursor, 1000, &err), DV_END);
    for (int32_t i = 0; i < 20; i++)
        expect_only(i, "");
}

Test(row, vectors_and_columns_that_are_not_there_have_none)
{
    dv_value value;
    open_row("idv/people.idv", NULL);
    cr_assert_eq(dv_row_next(cursor, &err), DV_OK);
    expect_only(4, ""); /* Tags, V<TX,*> */
    cr_expect_eq(dv_row_value(cursor, 4, &value, &err), DV_OK);
    const int32_t none[] = {-1, 5, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        expect_only(none[i], "");
        cr_expect_not(dv_row_is_active(cursor, none[i]));
        cr_expect_eq(dv_row_value(cursor, none[i], &value, &err), DV_ERR_ARGUMENT);
    }
}

Test(row, only_active_columns_have_values)
{
    static const int32_t columns[] = {3, 1};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_value value;
    options.columns = columns;
    options.columns_count = 2;
    open_row("idv/people.idv", &options);
    cr_assert_eq(dv_row_next(cursor, &err), DV_OK);
    for (int32_t i = 0; i < 5; i++) {
        const bool is_active = i == 1 || i == 3;
        expect_only(i, i == 1 ? "r4" : i == 3 ? "dt" : "");
        cr_expect_eq(dv_row_is_active(cursor, i), is_active);
        cr_expect_eq(dv_row_value(cursor, i, &value, &err), is_active ? DV_OK : DV_ERR_ARGUMENT);
    }
}

Test(row, columns_by_name_and_none_at_all)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    view = dvt_golden_open("idv/people.idv", NULL);
    cr_assert_eq(dv_cursor_options_column(&options, dv_view_schema(view), "Name", &err), DV_OK);
    cr_assert_eq(dv_row_cursor_open(&cursor, view, &options, &err), DV_OK);
    cr_assert_eq(dv_row_next(cursor, &err), DV_OK);
    expect_only(0, "tx");
    expect_only(1, "");
    stop();

    options = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
    options.columns_count = 0;
    open_row("idv/people.idv", &options);
    int64_t rows = 0;
    while (dv_row_next(cursor, &err) == DV_OK)
        cr_expect_eq(dv_row_position(cursor), rows++);
    cr_expect_eq(rows, 600);
}

Test(row, a_getter_may_be_asked_again_and_skips_no_vector)
{
    open_row("idv/people.idv", NULL);
    for (int64_t row = 0; dv_row_next(cursor, &err) == DV_OK; row++) {
        dv_text first, again;
        dv_value tags;
        dv_row_tx(cursor, 0, &first, &err);
        dv_row_tx(cursor, 0, &again, &err);
        cr_expect(first.data == again.data && first.nbytes == again.nbytes);
        cr_expect_eq(dv_row_value(cursor, 4, &tags, &err), DV_OK);
        cr_expect_eq(tags.length, row % 4);
        cr_expect_eq(dv_row_value(cursor, 4, &tags, &err), DV_OK);
        cr_expect_eq(dv_value_items(&tags), row % 4);
    }
}

Test(row, na_comes_as_it_is)
{
    dv_text text;
    open_row("idv-crafted/old-text-na.idv", NULL);
    static const int64_t nbytes[] = {1, -1, 0, 2, -1}; /* a, NA, empty, e with acute, NA */
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(dv_row_next(cursor, &err), DV_OK);
        cr_assert_eq(dv_row_tx(cursor, 0, &text, &err), DV_OK);
        cr_expect_eq(text.nbytes, nbytes[i]);
    }
}

Test(row, what_the_batch_cursor_refuses_is_refused)
{
    static const int32_t column = 99;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = &column;
    options.columns_count = 1;
    view = dvt_golden_open("idv/people.idv", NULL);
    cr_expect_eq(dv_row_cursor_open(&cursor, view, &options, &err), DV_ERR_ARGUMENT);
    cr_expect_null(cursor);
    options = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
    options.skip = -1;
    cr_expect_eq(dv_row_cursor_open(&cursor, view, &options, NULL), DV_ERR_ARGUMENT);
    cr_expect_null(cursor);
}

Test(row, no_rows_is_the_end)
{
    open_row("idv-crafted/zero-rows-rpb0.idv", NULL);
    cr_expect_eq(dv_row_next(cursor, &err), DV_END);
    cr_expect_eq(dv_row_position(cursor), -1);
}
