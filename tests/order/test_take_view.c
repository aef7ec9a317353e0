/* SPDX-License-Identifier: MIT */
/* test_take_view.c: rows taken by number are those of the source, in the order requested
 * (transform.h).
 */
#include "support/allocator.h"
#include "support/concatenated.h"
#include "support/golden_files.h"
#include "support/own_table.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ROWS_MAX 400

static const char *const sources[] = {
    "idv/people.idv",
    "idv/scalar-all-raw-rpb7.idv",
    "idv/scalar-all-deflate-rpb64-anyorder.idv",
    "idv/random-21.idv",
    "idv/vector-TX-raw.idv",
    "idv/rows-0-raw.idv",
    "btable/article.btable",
    "btable/random-03.btable",
};

/* The next random number, the same ones in every run. */
static int64_t draw(uint64_t *state, int64_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (int64_t)((*state >> 33) % (uint64_t)below);
}

/* Runs of consecutive rows, single rows, and one row many times. */
static int64_t draw_rows(int64_t *rows, int64_t known, uint64_t *state)
{
    int64_t n = 0;
    for (int runs = (int)draw(state, 12); runs > 0 && known > 0; runs--) {
        const int64_t first = draw(state, known), step = draw(state, 3) != 0;
        for (int64_t i = draw(state, 30); i >= 0 && n < ROWS_MAX; i--)
            rows[n++] = step * i + first < known ? first + step * i : first;
    }
    return n;
}

/* Line i of lines without its number: it ends with its newline. */
static const char *line_of(const dvt_lines *lines, int64_t i)
{
    const char *p = lines->data;
    for (; i > 0; i--)
        p = strchr(p, '\n') + 1;
    return p + strcspn(p, " ");
}

/* Rows first..end-1 of the taken rows, from all lines of the source. */
static void put_truth(dvt_lines *truth, const dvt_lines *all, const int64_t *rows, int64_t first,
                      int64_t end)
{
    for (int64_t i = first; i < end; i++) {
        const char *line = line_of(all, rows[i]);
        dvt_lines_print(truth, "%d", (int)i);
        dvt_lines_add(truth, line, strcspn(line, "\n") + 1);
    }
}

static void expect_pick(const char *story, dv_view *source, const dvt_lines *all, uint64_t *state)
{
    static const int64_t sizes[] = {0, 1, 3, 64};
    int64_t rows[ROWS_MAX];
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_lines truth = {0}, lines = {0};
    const int64_t known = dv_view_rows(source);
    const int64_t n = draw_rows(rows, known, state);
    cr_assert_eq(dv_view_take(&view, source, rows, n, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_view_rows(view), n);
    options.ids = true;
    options.batch_rows = sizes[draw(state, COUNT(sizes))];
    options.first_row = n && draw(state, 2) ? draw(state, n) : 0;
    options.end_row = n && draw(state, 2) ? draw(state, n + 1) : n;
    put_truth(&truth, all, rows, options.first_row, options.end_row);
    cr_expect_eq(dvt_put_numbered(&lines, view, &options, &err), DV_OK, "%s", err.message);
    cr_expect(lines.nbytes == truth.nbytes &&
                  (truth.nbytes == 0 || memcmp(lines.data, truth.data, truth.nbytes) == 0),
              "%s, %d rows: wanted\n%.300s\ngot\n%.300s", story, (int)n,
              truth.data ? truth.data : "", lines.data ? lines.data : "");
    dvt_lines_free(&truth);
    dvt_lines_free(&lines);
    dv_view_release(&view);
}

static void expect_picks(const char *story, dv_view *source, uint64_t *state)
{
    dvt_lines all = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.ids = true;
    cr_assert_eq(dvt_put_numbered(&all, source, &options, NULL), DV_OK);
    for (int j = 0; j < 60 && dv_view_rows(source) >= 0; j++)
        expect_pick(story, source, &all, state);
    dvt_lines_free(&all);
}

/* Takes of a view above a take move its cursor. */
static dv_view *turned(dv_view *source)
{
    int64_t rows[ROWS_MAX];
    dv_view *taken, *view;
    const int64_t n = dv_view_rows(source) < ROWS_MAX ? dv_view_rows(source) : ROWS_MAX;
    for (int64_t i = 0; i < n; i++)
        rows[i] = n - 1 - i;
    cr_assert_eq(dv_view_take(&taken, source, rows, n, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_slice(&view, taken, 1, n, NULL, NULL), DV_OK);
    dv_view_release(&taken);
    return view;
}

/* A slice shares the blocks that its source keeps, whose rows have other numbers there. */
Test(take, rows_in_any_order)
{
    uint64_t state = 3;
    for (size_t i = 0; i < COUNT(sources); i++) {
        dv_view *source = dvt_golden_open(sources[i], NULL), *slice;
        expect_picks(sources[i], source, &state);
        cr_assert_eq(dv_view_slice(&slice, source, 2, 50, NULL, NULL), DV_OK);
        expect_picks(sources[i], slice, &state);
        dv_view *back = turned(slice);
        expect_picks(sources[i], back, &state);
        dv_view_release(&back);
        dv_view_release(&slice);
        dv_view_release(&source);
    }
}

/* Metadata of the source, and columns in any order; or none, if rows are only counted. */
Test(take, schema_and_columns)
{
    static const int64_t rows[] = {4, 0, 4};
    static const int32_t columns[] = {3, 1};
    dvt_own_table table = {0};
    dv_view *source, *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    cr_assert_eq(dvt_own_table_open(&source, &table, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_take(&view, source, rows, 3, NULL, NULL), DV_OK);
    cr_expect_eq(dv_schema_columns(dv_view_schema(view)), 6);
    cr_expect_eq(dv_schema_column(dv_view_schema(view), 3)->metadata_count,
                 dv_schema_column(dv_view_schema(source), 3)->metadata_count);
    options.columns = columns;
    options.columns_count = 2;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_eq(batch->rows, 3);
    cr_expect_eq(batch->columns, 2);
    cr_expect_eq(dv_batch_column(batch, 1)->type.kind, DV_KIND_TX);
    dv_cursor_close(&cursor);
    options.columns_count = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_eq(batch->rows, 3);
    cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_END);
    dv_cursor_close(&cursor);
    options.zero_copy_only = true;
    cr_expect_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_ERR_COPY);
    dv_view_release(&view);
    dv_view_release(&source);
    cr_expect_eq(table.views_closed, 1);
    cr_expect_eq(table.cursors_opened, table.cursors_closed);
}

Test(take, what_is_no_row)
{
    static const struct {
        int64_t rows[2], n;
        bool unknown;
        dv_status pick, read;
    } table[] = {
        {{0, DVT_OWN_ROWS}, 2, false, DV_ERR_ARGUMENT, DV_OK},
        {{-1, 0}, 1, false, DV_ERR_ARGUMENT, DV_OK},
        {{0, 0}, -1, false, DV_ERR_ARGUMENT, DV_OK},
        {{0, -1}, 2, true, DV_ERR_ARGUMENT, DV_OK},
        {{DVT_OWN_ROWS, 0}, 1, true, DV_OK, DV_ERR_CORRUPT},
        {{0, 0}, 0, false, DV_OK, DV_END},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        dvt_own_table own = {.rows_unknown = table[i].unknown};
        dv_view *source, *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(dvt_own_table_open(&source, &own, NULL, NULL), DV_OK);
        cr_expect_eq(dv_view_take(&view, source, table[i].rows, table[i].n, NULL, &err),
                     table[i].pick, "row %d of the table: %s", (int)i, err.message);
        if (view) {
            cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
            cr_expect_eq(dv_cursor_next(cursor, &batch, &err), table[i].read, "%s", err.message);
            dv_cursor_close(&cursor);
        }
        dv_view_release(&view);
        dv_view_release(&source);
    }
}

/* Rows before one that cannot be read are delivered; then comes its error, for good. */
Test(take, errors_come_behind_the_rows_before)
{
    static const int64_t rows[] = {1, 0, 6, 2};
    dvt_own_table own = {.next_status = DV_ERR_CORRUPT};
    dv_view *source, *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    cr_assert_eq(dvt_own_table_open(&source, &own, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_take(&view, source, rows, 4, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_eq(batch->rows, 2);
    cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_ERR_CORRUPT);
    cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_ERR_CORRUPT);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* Take and read; a cursor's call that returned DV_ERR_MEMORY is repeated. */
static dv_status try_all(const char *path, const dv_allocator *allocator, dvt_lines *lines)
{
    static const int64_t rows[] = {9, 3, 4, 5, 0, 9, 9, 1, 2};
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *source = NULL, *view = NULL;
    dvt_path full = dvt_test_path(path);
    how.allocator = allocator;
    options.ids = true;
    dv_status status = dv_open(&source, full.text, &how, &err);
    if (status == DV_OK)
        status = dv_view_take(&view, source, rows, COUNT(rows), allocator, &err);
    if (status == DV_OK)
        status = dvt_put_numbered(lines, view, &options, &err);
    dv_view_release(&view);
    dv_view_release(&source);
    return status;
}

Test(take, each_allocation_may_fail)
{
    static const char *const paths[] = {"golden/idv/scalar-all-deflate-rpb7.idv",
                                        "golden/idv/vector-TX-raw.idv"};
    for (size_t i = 0; i < COUNT(paths); i++) {
        dvt_lines truth = {0};
        int64_t k = 0;
        cr_assert_eq(try_all(paths[i], NULL, &truth), DV_OK);
        for (bool is_done = false; !is_done;) {
            dvt_allocator counted;
            dvt_lines lines = {0};
            dvt_allocator_init(&counted, ++k);
            const dv_status status = try_all(paths[i], &counted.allocator, &lines);
            is_done = counted.asked < k;
            cr_expect(status == (is_done ? DV_OK : DV_ERR_MEMORY) || status == DV_OK,
                      "allocation %d", (int)k);
            if (status == DV_OK)
                cr_expect_str_eq(lines.data, truth.data, "allocation %d", (int)k);
            cr_expect_eq(counted.live, 0, "allocation %d: a leak", (int)k);
            dvt_lines_free(&lines);
        }
        cr_expect_gt(k, 20);
        dvt_lines_free(&truth);
    }
}

/* A chain of takes gives the rows that the numbers lead to, with several threads too.  It must not
 * open its views again and again: 60 of them would never end. */
Test(take_view, taken_of_taken)
{
    enum { DEPTH = 60, TAKEN = 40 };
    dv_error err = DV_ERROR_INIT;
    dv_view *source = dvt_golden_open("idv/scalar-all-deflate-rpb64-anyorder.idv", NULL), *view;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_lines truth = {0}, lines = {0}, all = {0};
    int64_t rows[TAKEN], leads_to[TAKEN];
    uint64_t state = 1;
    options.threads = 2;
    options.ids = true;
    cr_assert_eq(dvt_put_numbered(&all, source, &options, &err), DV_OK, "%s", err.message);
    view = source;
    dv_view_retain(view);
    for (int depth = 0; depth < DEPTH; depth++) {
        dv_view *taken;
        int64_t next[TAKEN];
        for (int i = 0; i < TAKEN; i++) {
            rows[i] = draw(&state, dv_view_rows(view));
            next[i] = depth == 0 ? rows[i] : leads_to[rows[i]];
        }
        memcpy(leads_to, next, sizeof next);
        cr_assert_eq(dv_view_take(&taken, view, rows, TAKEN, NULL, &err), DV_OK, "%s", err.message);
        dv_view_release(&view);
        view = taken;
    }
    put_truth(&truth, &all, leads_to, 0, TAKEN);
    cr_assert_eq(dvt_put_numbered(&lines, view, &options, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(lines.data, truth.data);
    dv_view_release(&view);
    dv_view_release(&source);
    dvt_lines_free(&truth);
    dvt_lines_free(&lines);
    dvt_lines_free(&all);
}
