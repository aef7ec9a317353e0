/* SPDX-License-Identifier: MIT */
/* test_exclude_view.c: a view without some rows has the others, in their order (transform.h). */
#include "support/allocator.h"
#include "support/concatenated.h"
#include "support/drawn_rows.h"
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/resumed.h"
#include "support/test.h"
#include <dataview/dense.h>
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_error err;

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(dvt_draw(state) % (uint64_t)n);
}

/* Line i of lines without its number: it ends with its newline. */
static const char *line_of(const dvt_lines *lines, int64_t i)
{
    const char *p = lines->data;
    for (; i > 0; i--)
        p = strchr(p, '\n') + 1;
    return p + strcspn(p, " ");
}

/* --- Rows ------------------------------------------------------------------------------------- */

static void expect_rest(const char *story, dv_view *view, const dvt_lines *all, const bool *is_out,
                        int64_t known, uint64_t *state)
{
    static const int64_t sizes[] = {0, 1, 3, 64};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_lines truth = {0}, lines = {0};
    int64_t n = 0;
    for (int64_t row = 0; row < known; row++)
        n += !is_out[row];
    cr_expect_eq(dv_view_rows(view), n, "%s", story);
    options.ids = true;
    options.batch_rows = sizes[below(state, COUNT(sizes))];
    options.threads = (int32_t)(1 + below(state, 3));
    options.first_row = below(state, 2) ? below(state, n + 1) : 0;
    options.end_row = below(state, 2) ? below(state, n + 1) : n;
    for (int64_t row = 0, i = 0; row < known; row++) {
        if (is_out[row])
            continue;
        if (i >= options.first_row && i < options.end_row) {
            const char *line = line_of(all, row);
            dvt_lines_print(&truth, "%d", (int)i);
            dvt_lines_add(&truth, line, strcspn(line, "\n") + 1);
        }
        i++;
    }
    cr_expect_eq(dvt_put_numbered(&lines, view, &options, &err), DV_OK, "%s: %s", story,
                 err.message);
    cr_expect_str_eq(lines.data ? lines.data : "", truth.data ? truth.data : "", "%s", story);
    dvt_lines_free(&truth);
    dvt_lines_free(&lines);
}

/* Some rows in any order, a few of them twice; then some of the rest. */
static void expect_twice(const char *story, dv_view *source, const dvt_lines *all, int64_t known,
                         uint64_t *state)
{
    bool *is_out = calloc((size_t)known + 1, sizeof *is_out);
    int64_t rows[120], n = below(state, known < 100 ? known + 1 : 100);
    dv_view *view, *again;
    for (int64_t i = 0; i < n; i++) {
        rows[i] = i % 7 == 6 ? rows[i - 3] : below(state, known);
        is_out[rows[i]] = true;
    }
    cr_assert_eq(dv_view_exclude(&view, source, rows, n, NULL, &err), DV_OK, "%s: %s", story,
                 err.message);
    expect_rest(story, view, all, is_out, known, state);
    const int64_t left = dv_view_rows(view);
    int64_t more = left > 0 ? 1 + below(state, left < 9 ? left : 9) : 0;
    for (int64_t i = 0; i < more; i++)
        rows[i] = below(state, left);
    cr_assert_eq(dv_view_exclude(&again, view, rows, more, NULL, &err), DV_OK, "%s: %s", story,
                 err.message);
    for (int64_t row = 0, i = 0, k; row < known; row++) {
        for (k = 0; !is_out[row] && k < more && rows[k] != i; k++)
            ;
        i += !is_out[row];
        is_out[row] |= k < more;
    }
    expect_rest(story, again, all, is_out, known, state);
    dv_view_release(&again);
    dv_view_release(&view);
    free(is_out);
}

Test(exclude_view, rows_of_all_formats)
{
    static const char *const sources[] = {
        "idv/people.idv",          "idv/scalar-all-raw-rpb7.idv",
        "idv/random-21.idv",       "idv/rows-0-raw.idv",
        "btable/article.btable",   "datadings/tiny.msgpack",
        "idv/vector-TX-raw.idv",   "idv/scalar-all-deflate-rpb64-anyorder.idv",
        "text/load/embed-rows.txt"};
    uint64_t state = 3;
    for (size_t i = 0; i < COUNT(sources); i++) {
        dv_view *source = dvt_golden_open(sources[i], NULL);
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_lines all = {0};
        int64_t known = 0;
        options.ids = true;
        cr_assert_eq(dvt_put_numbered(&all, source, &options, &err), DV_OK, "%s", err.message);
        for (size_t k = 0; k < all.nbytes; k++)
            known += all.data[k] == '\n';
        for (int j = 0; j < 40 && known > 0; j++)
            expect_twice(sources[i], source, &all, known, &state);
        dvt_lines_free(&all);
        dv_view_release(&source);
    }
}

/* Rows are copied from where they lie, and by number through a take. */
Test(exclude_view, of_rows_in_place)
{
    enum { ROWS = 50000 };
    static int64_t number[ROWS], rows[ROWS], out[500];
    static bool is_out[ROWS];
    static const int64_t taken[] = {49000, 0, 77};
    int64_t n, at = 0;
    dvt_made_table made = {
        .columns = 1, .rows = ROWS, .block_rows = 1000, .in_blocks = true, .bad_row = -1};
    dv_view *view, *source, *held, *some;
    uint64_t state = 1;
    for (int64_t i = 0; i < ROWS; i++)
        number[i] = i;
    for (int i = 0; i < 500; i++)
        is_out[out[i] = below(&state, ROWS)] = true;
    made.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), number, ROWS);
    source = dvt_made_table_open(&made, NULL);
    cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, &err), DV_OK);
    cr_assert_eq(dv_view_exclude(&view, held, out, 500, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_dense(view, DV_KIND_I8, rows, ROWS, 1, NULL, NULL, &n, &err), DV_OK);
    for (int64_t row = 0; row < ROWS; row++)
        if (!is_out[row])
            cr_assert_eq(rows[at++], row);
    cr_assert_eq(at, n);
    cr_assert_eq(dv_view_take(&some, view, taken, 3, NULL, &err), DV_OK);
    int64_t got[3];
    cr_assert_eq(dv_view_dense(some, DV_KIND_I8, got, 3, 1, NULL, NULL, &n, &err), DV_OK);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(got[i], rows[taken[i]]);
    dv_view_release(&some);
    dv_view_release(&view);
    dv_view_release(&held);
    dv_view_release(&source);
}

/* --- What else it is -------------------------------------------------------------------------- */

Test(exclude_view, tokens_and_identity)
{
    static dvt_drawn_table table;
    static const int64_t rows[] = {3, 3, 0, 149, 17}, same[] = {149, 17, 3, 0},
                         other[] = {149, 17, 3};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *source = dvt_drawn_open(&table, 150, 9, 1, NULL), *first, *second, *third;
    dv_u128 a, b, c;
    options.ids = true;
    options.batch_rows = 11;
    cr_assert_eq(dv_view_exclude(&first, source, rows, 5, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_exclude(&second, source, same, 4, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_exclude(&third, source, other, 3, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(dv_view_kind(first), "exclude");
    const char *difference = dvt_resume_difference(first, second, &options, 5);
    cr_expect_null(difference, "%s", difference);
    cr_assert_eq(dv_view_identity(first, &a, &err), DV_OK);
    cr_assert_eq(dv_view_identity(second, &b, &err), DV_OK);
    cr_assert_eq(dv_view_identity(third, &c, &err), DV_OK);
    cr_expect(a.lo == b.lo && a.hi == b.hi && (a.lo != c.lo || a.hi != c.hi));
    dv_view_release(&first);
    dv_view_release(&second);
    dv_view_release(&third);
    dv_view_release(&source);
}

Test(exclude_view, what_is_no_row)
{
    static dvt_drawn_table table;
    static const struct {
        int64_t rows[2], n;
    } wrong[] = {{{0, 5}, 2}, {{-1, 0}, 1}, {{0, 0}, -1}};
    static const int64_t last[] = {4};
    dv_view *source = dvt_drawn_open(&table, 5, 2, 1, NULL), *view, *again;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        cr_expect_eq(dv_view_exclude(&view, source, wrong[i].rows, wrong[i].n, NULL, &err),
                     DV_ERR_ARGUMENT, "%d", (int)i);
        cr_expect_null(view);
    }
    cr_expect_eq(dv_view_exclude(&view, source, NULL, 1, NULL, &err), DV_ERR_ARGUMENT);
    cr_assert_eq(dv_view_exclude(&view, source, last, 1, NULL, &err), DV_OK);
    cr_expect_eq(dv_view_exclude(&again, view, last, 1, NULL, &err), DV_ERR_ARGUMENT);
    cr_assert_eq(dv_view_exclude(&again, view, NULL, 0, NULL, &err), DV_OK);
    cr_expect_eq(dv_view_rows(again), 4);
    options.zero_copy_only = true;
    cr_expect_eq(dv_cursor_open(&cursor, again, &options, &err), DV_ERR_COPY);
    dv_view_release(&again);
    dv_view_release(&view);
    table.made.rows_unknown = true;
    cr_expect_eq(dv_view_exclude(&view, source, wrong[0].rows, 2, NULL, &err), DV_ERR_ARGUMENT);
    cr_assert_eq(dv_view_exclude(&view, source, last, 1, NULL, &err), DV_OK); /* it counts them */
    cr_expect_eq(dv_view_rows(view), 4);
    dv_view_release(&view);
    dv_view_release(&source);
}

static dv_status try_all(const dv_allocator *allocator, dvt_lines *lines)
{
    static dvt_drawn_table table;
    static const int64_t rows[] = {9, 3, 4, 44};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *source = dvt_drawn_open(&table, 60, 7, 3, NULL), *view = NULL, *again = NULL;
    dv_status status = dv_view_exclude(&view, source, rows, 4, allocator, &err);
    if (status == DV_OK)
        status = dv_view_exclude(&again, view, rows, 4, allocator, &err);
    if (status == DV_OK)
        status = dvt_put_numbered(lines, again, &options, &err);
    dv_view_release(&again);
    dv_view_release(&view);
    dv_view_release(&source);
    return status;
}

Test(exclude_view, each_allocation_may_fail)
{
    dvt_lines truth = {0};
    int64_t k = 0;
    cr_assert_eq(try_all(NULL, &truth), DV_OK, "%s", err.message);
    for (bool is_done = false; !is_done;) {
        dvt_allocator counted;
        dvt_lines lines = {0};
        dvt_allocator_init(&counted, ++k);
        const dv_status status = try_all(&counted.allocator, &lines);
        is_done = counted.asked < k;
        cr_expect(status == DV_OK || (!is_done && status == DV_ERR_MEMORY), "allocation %d: %s",
                  (int)k, err.message);
        if (status == DV_OK)
            cr_expect_str_eq(lines.data, truth.data, "allocation %d", (int)k);
        cr_expect_eq(counted.live, 0, "allocation %d: a leak", (int)k);
        dvt_lines_free(&lines);
    }
    cr_expect_gt(k, 10);
    dvt_lines_free(&truth);
}
