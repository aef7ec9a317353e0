/* SPDX-License-Identifier: MIT */
/* test_lender.c: a cursor on views that lend rows and columns unchanged reads the view below them
 * alone; rows, numbers, ids and positions are those of the view that was opened. */
#include "scan/cursor.h"
#include "support/own_table.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/cursor_set.h>
#include <dataview/transform.h>
#include <dataview/value.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_error err;

/* Replace a view by another one made of it. */
static void become(dv_view **view, dv_status status, dv_view *made)
{
    cr_assert_eq(status, DV_OK, "%s", err.message);
    dv_view_release(view);
    *view = made;
}

static void slice(dv_view **view, int64_t skip, int64_t take)
{
    dv_view *made;
    const dv_status status = dv_view_slice(&made, *view, skip, take, NULL, &err);
    become(view, status, made);
}

static dv_column_spec named(const char *source, const char *name)
{
    return (dv_column_spec){dv_text_of(source), dv_text_of(name)};
}

/* Rows 3 to 9 of the table: "w", and "t" twice. */
static dv_view *open_chain(dvt_own_table *table)
{
    dv_view *view, *made;
    dv_status status;
    cr_assert_eq(dvt_own_table_open(&view, table, NULL, &err), DV_OK, "%s", err.message);
    slice(&view, 2, -1);
    const dv_column_spec copied = named("t", "u");
    status = dv_view_copy(&made, view, &copied, 1, NULL, &err);
    become(&view, status, made);
    const dv_text dropped = dv_text_of("z");
    status = dv_view_drop(&made, view, &dropped, 1, NULL, &err);
    become(&view, status, made);
    const dv_column_spec chosen[] = {named("w", "w"), named("u", "a"), named("t", "b")};
    status = dv_view_select(&made, view, chosen, 3, DV_HIDDEN_DROP, NULL, &err);
    become(&view, status, made);
    slice(&view, 1, 7);
    return view;
}

static bool count_call(void *ctx, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    ++*(int *)ctx;
    return true;
}

/* "t" of a row of the table. */
static const char *text_of(int64_t row)
{
    static const char *const texts[DVT_OWN_ROWS] = {
        "a", "b\xC3\xA9", "", NULL, "c", "def", "\xF0\x9F\x98\x80", "", "g", "h", NULL, "i"};
    return texts[row];
}

static void expect_text(const dv_column_view *column, int64_t i, int64_t row)
{
    const dv_value value = dv_value_at(column, i);
    const char *want = text_of(row);
    const dv_text got = dv_value_tx(&value);
    cr_assert_eq(dv_value_is_na(&value), !want, "row %d", (int)row);
    if (want)
        cr_assert(got.nbytes == (int64_t)strlen(want) && !memcmp(got.data, want, strlen(want)),
                  "row %d", (int)row);
}

/* Row `first` of the view and those after it, which are from row 3 on in the table. */
static void expect_batch(const dv_batch *batch, int64_t first)
{
    cr_assert_eq(batch->first_row, first);
    for (int64_t i = 0; i < batch->rows; i++) {
        cr_assert_eq(batch->ids[i].lo, (uint64_t)(3 + first + i));
        cr_assert_eq(batch->ids[i].hi, 0);
        expect_text(dv_batch_column(batch, 1), i, 3 + first + i);
        expect_text(dv_batch_column(batch, 2), i, 3 + first + i);
    }
}

/* The rows first..end-1 of the chain, by an open cursor. */
static int expect_rows(dv_cursor *cursor, int64_t first, int64_t end)
{
    const dv_batch *batch;
    dv_status status;
    int batches = 0;
    int64_t row = first;
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        cr_assert_eq(batch->position, row - first);
        expect_batch(batch, row);
        row += batch->rows;
        batches++;
    }
    cr_assert_eq(status, DV_END, "%s", err.message);
    cr_assert_eq(row, end);
    return batches;
}

static dv_cursor_options with_ids(void)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.ids = true;
    options.threads = 1;
    return options;
}

Test(lender, one_cursor_reads_for_all)
{
    dvt_own_table table = {0};
    dv_view *view = open_chain(&table);
    dv_cursor *cursor;
    int calls = 0;
    dv_cursor_options options = with_ids();
    options.progress = (dv_progress){count_call, &calls};
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    cr_expect_eq(table.request.first_row, 3);
    cr_expect_eq(table.request.end_row, 10);
    cr_assert_eq(table.request.columns_count, 3);
    cr_expect_eq(table.request.columns[0], 4);
    cr_expect_eq(table.request.columns[1], 1);
    cr_expect_eq(table.request.columns[2], 1);
    const int batches = expect_rows(cursor, 0, 7);
    cr_expect_gt(batches, 1);
    cr_expect_eq(calls, batches + 1, "%d reports, of one cursor", calls);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    cr_expect_eq(table.views_closed, 1);
}

Test(lender, rows_in_any_batches_and_runs)
{
    for (int k = 0; k < 2 * 4 * 4; k++) {
        static const int64_t runs[][2] = {{0, 7}, {2, 6}, {6, 7}, {7, 7}};
        dvt_own_table table = {.rows_unknown = k % 2};
        const int64_t *run = runs[k / 8];
        dv_view *view = open_chain(&table);
        dv_cursor *cursor;
        dv_cursor_options options = with_ids();
        options.batch_rows = k / 2 % 4;
        options.first_row = run[0];
        options.end_row = run[1];
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
        expect_rows(cursor, run[0], run[1]);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
    }
}

Test(lender, tokens_are_of_the_view)
{
    dvt_own_table table = {0};
    dv_view *view = open_chain(&table);
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_token token;
    dv_cursor_options options = with_ids();
    options.batch_rows = 4;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_token(cursor, &token, &err), DV_OK, "%s", err.message);
    dv_cursor_close(&cursor);
    options.token = token.text;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    cr_expect_eq(batch->position, 4);
    cr_expect_eq(batch->rows, 3);
    expect_batch(batch, 4);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
}

Test(lender, a_cursor_without_rows_is_checked)
{
    dvt_own_table table = {0};
    dv_view *view = open_chain(&table);
    dv_cursor *cursor;
    dv_cursor_options options = with_ids();
    options.first_row = options.end_row = 3;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dvi_cursor_check(cursor, &err), DV_OK);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
}

Test(lender, members_of_a_set)
{
    dvt_own_table table = {0};
    dv_view *view = open_chain(&table);
    dv_cursor *members[2], *cursor;
    int32_t n;
    const dv_cursor_options options = with_ids();
    cr_assert_eq(dv_cursor_set_open(members, 2, &n, view, &options, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(dv_cursor_set_consolidate(&cursor, members, n, &err), DV_OK, "%s", err.message);
    expect_rows(cursor, 0, 7);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
}

/* A batch outlives the cursor and the views. */
Test(lender, batches_are_kept)
{
    dvt_own_table table = {0};
    dv_view *view = open_chain(&table);
    dv_cursor *cursor;
    const dv_batch *batch;
    const dv_cursor_options options = with_ids();
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    dv_batch_retain(batch);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    cr_expect_eq(table.views_closed, 0);
    expect_batch(batch, 0);
    dv_batch_release(&batch);
    cr_expect_eq(table.views_closed, 1);
    cr_expect_eq(table.wrapped, table.released);
}

/* Runs that leave nothing, or reach beyond all numbers. */
Test(lender, runs_of_runs)
{
    static const struct {
        int64_t skip[2], take[2], rows;
    } table[] = {
        {{0, 0}, {-1, -1}, 12},
        {{5, 3}, {6, 2}, 2},
        {{5, 3}, {6, -1}, 3},
        {{5, 6}, {6, 4}, 0},
        {{5, 9}, {6, 4}, 0},
        {{5, 0}, {INT64_MAX, INT64_MAX}, 7},
        {{12, 0}, {-1, 5}, 0},
        {{INT64_MAX, INT64_MAX}, {-1, -1}, 0},
        {{0, INT64_MAX}, {INT64_MAX, INT64_MAX}, 0},
        {{INT64_MAX, 1}, {3, 1}, 0},
    };
    for (size_t i = 0; i < 2 * COUNT(table); i++) {
        dvt_own_table own = {.rows_unknown = i % 2};
        dv_view *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        int64_t rows = 0;
        cr_assert_eq(dvt_own_table_open(&view, &own, NULL, &err), DV_OK, "%s", err.message);
        slice(&view, table[i / 2].skip[0], table[i / 2].take[0]);
        slice(&view, table[i / 2].skip[1], table[i / 2].take[1]);
        const int64_t first = table[i / 2].skip[0] + (table[i / 2].rows ? table[i / 2].skip[1] : 0);
        cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK, "%s", err.message);
        while (dv_cursor_next(cursor, &batch, &err) == DV_OK) {
            cr_assert_eq(batch->first_row, rows);
            for (int64_t k = 0; k < batch->rows; k++)
                expect_text(dv_batch_column(batch, 0), k, first + rows + k);
            rows += batch->rows;
        }
        cr_expect_eq(rows, table[i / 2].rows, "case %zu: %d", i, (int)rows);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
    }
}

/* A view that computes a column lends the others: a cursor without that column reads past it. */
Test(lender, a_view_that_computes_lends_the_rest)
{
    dvt_own_table table = {0};
    dv_view *view, *made;
    dv_cursor *cursor;
    const dv_batch *batch;
    cr_assert_eq(dvt_own_table_open(&view, &table, NULL, &err), DV_OK, "%s", err.message);
    slice(&view, 4, -1);
    const dv_generated counted = {dv_text_of("n"), 0, true};
    const dv_status status = dv_view_generate(&made, view, &counted, 1, NULL, &err);
    become(&view, status, made);
    for (int with = 0; with < 2; with++) {
        int calls = 0, batches = 0;
        dv_cursor_options options = with_ids();
        options.progress = (dv_progress){count_call, &calls};
        cr_assert_eq(dv_cursor_options_column(&options, dv_view_schema(view), "t", &err), DV_OK);
        if (with)
            cr_assert_eq(dv_cursor_options_column(&options, dv_view_schema(view), "n", &err),
                         DV_OK);
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
        for (; dv_cursor_next(cursor, &batch, &err) == DV_OK; batches++)
            for (int64_t i = 0; i < batch->rows; i++) {
                expect_text(dv_batch_column(batch, 0), i, 4 + batch->first_row + i);
                if (with) {
                    const dv_value n = dv_value_at(dv_batch_column(batch, 1), i);
                    cr_assert_eq(dv_value_i8(&n), batch->first_row + i);
                }
            }
        cr_expect_eq(calls, (1 + with) * (batches + 1));
        dv_cursor_close(&cursor);
    }
    dv_view_release(&view);
}
