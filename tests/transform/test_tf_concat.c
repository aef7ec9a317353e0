/* SPDX-License-Identifier: MIT */
/* test_tf_concat.c: checks that several views are read as one, row by row (transform.h,
 * semantics:5.4). */
#include "support/concatenated.h"
#include "support/own_table.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const sets[] = {
    "rows-2-raw rows-0-raw rows-1 rows-2-raw rows-8193 rows-0-raw",
    "scalar-all-raw-rpb7 scalar-all-deflate-rpb64-anyorder scalar-all-deflate-rpb7",
    "vector-TX-raw vector-TX-raw",
    "random-21 random-21 random-21",
    "names-duplicate-kept names-duplicate-kept",
    "rows-0-raw rows-0-raw",
};
static const dv_io ios[] = {DV_IO_MMAP, DV_IO_PREAD};

static dv_view *append(const dvt_set *set)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    cr_assert_eq(dv_view_concat(&view, set->view, set->n, NULL, &err), DV_OK, "%s", err.message);
    return view;
}

static int64_t rows_of(const dvt_set *set)
{
    int64_t rows = 0;
    for (int32_t i = 0; i < set->n; i++)
        rows += dv_view_rows(set->view[i]);
    return rows;
}

/* These options deliver rows first..end-1 of the whole. */
static void expect_rows(const char *story, const dvt_set *set, dv_view *view,
                        const dv_cursor_options *options, int64_t first, int64_t end)
{
    dv_error err = DV_ERROR_INIT;
    dvt_lines truth = {0}, lines = {0};
    dvt_put_truth(&truth, set, first, end, options->ids);
    cr_expect_eq(dvt_put_numbered(&lines, view, options, &err), DV_OK, "%s", err.message);
    cr_expect(lines.nbytes == truth.nbytes &&
                  (truth.nbytes == 0 || memcmp(lines.data, truth.data, truth.nbytes) == 0),
              "%s: rows %d:%d, %d a batch, %d threads: wanted\n%.200s\ngot\n%.200s", story,
              (int)first, (int)end, (int)options->batch_rows, options->threads,
              truth.data ? truth.data : "", lines.data ? lines.data : "");
    dvt_lines_free(&truth);
    dvt_lines_free(&lines);
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* Whole, in batches of every size, by one thread or four, mapped or copied, with ids or without. */
Test(tf_concat, rows_follow_each_other)
{
    static const int64_t sizes[] = {0, 1, 3, 64, 100000};
    for (size_t i = 0; i < 2 * COUNT(sets); i++) {
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.io = ios[i % 2];
        dvt_set set = dvt_set_open(sets[i / 2], &how);
        dv_view *view = append(&set);
        cr_expect_eq(dv_view_rows(view), rows_of(&set));
        for (size_t j = 0; j < 2 * COUNT(sizes); j++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            options.batch_rows = sizes[j / 2];
            options.threads = j % 2 ? 4 : 1;
            options.ids = (i + j / 2) % 2;
            expect_rows(sets[i / 2], &set, view, &options, 0, INT64_MAX);
        }
        dv_view_release(&view);
        dvt_set_release(&set);
    }
}

/* A number that differs from call to call, the same ones in every run. */
static int64_t draw(uint64_t *state, int64_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (int64_t)((*state >> 33) % (uint64_t)below);
}

/* Ranges that start and end anywhere, beside every seam too. */
Test(tf_concat, ranges_of_rows)
{
    uint64_t state = 5;
    for (size_t i = 1; i < COUNT(sets); i++) {
        dvt_set set = dvt_set_open(sets[i], NULL);
        dv_view *view = append(&set);
        const int64_t rows = rows_of(&set);
        for (int j = 0; j < 60; j++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            const int64_t first = draw(&state, rows + 2), n = draw(&state, rows + 2);
            const int64_t end = first + n < rows ? first + n : rows;
            options.first_row = j % 3 ? first : first - first / 2;
            options.skip = j % 3 ? 0 : first / 2;
            options.end_row = j % 2 ? first + n : -1;
            options.take = j % 2 ? -1 : n;
            options.batch_rows = draw(&state, 5) * j % 7;
            options.ids = j % 4 == 0;
            options.threads = 1 + j % 2 * 3;
            expect_rows(sets[i], &set, view, &options, first, end);
        }
        dv_view_release(&view);
        dvt_set_release(&set);
    }
}

/* Active columns in any order, and none. */
Test(tf_concat, columns)
{
    static const int32_t columns[] = {3, 1, 3};
    dvt_set set = dvt_set_open(sets[1], NULL);
    dv_view *view = append(&set);
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = columns;
    options.columns_count = 3;
    options.first_row = 100; /* the first row of the second file */
    options.batch_rows = 5;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    const dv_value a = dv_value_first(dv_batch_column(batch, 0));
    const dv_value b = dv_value_first(dv_batch_column(batch, 2));
    cr_expect(dv_value_same(&a, &b));
    cr_expect_eq(dv_batch_column(batch, 1)->type.kind, DV_KIND_I1);
    dv_cursor_close(&cursor);

    options = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
    options.columns_count = 0;
    int64_t rows = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
        rows += batch->rows;
    cr_expect_eq(rows, 300);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dvt_set_release(&set);
}

/* Batches inside one file are those of the file, not copies. */
Test(tf_concat, nothing_is_copied)
{
    dvt_set set = dvt_set_open("rows-2-raw rows-2-raw", NULL);
    dv_view *view = append(&set);
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = (const int32_t[]){0};
    options.columns_count = 1;
    options.zero_copy_only = true;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
        cr_expect_eq(batch->rows, 2);
        cr_expect(dv_batch_column(batch, 0)->as.fixed.values.is_borrowed);
    }
    cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_END);
    cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_END);
    dv_cursor_close(&cursor);
    options.batch_rows = 3; /* over the seam */
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_COPY);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dvt_set_release(&set);

    set = dvt_set_open("rows-8193 rows-2-raw", NULL); /* the first is compressed */
    view = append(&set);
    options.batch_rows = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_COPY);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dvt_set_release(&set);
}

/* --- Views that a user made ------------------------------------------------------------------- */

#define OWN 3
static dvt_own_table own[OWN];

static dvt_set open_own(void)
{
    dvt_set set = {.n = OWN};
    memset(own, 0, sizeof own);
    for (int i = 0; i < OWN; i++)
        cr_assert_eq(dvt_own_table_open(&set.view[i], &own[i], NULL, NULL), DV_OK);
    return set;
}

/* Those that do not know their rows are read to their end, and counted when they are passed over.
 */
Test(tf_concat, views_that_do_not_know_their_rows)
{
    for (int unknown = 0; unknown < 1 << OWN; unknown++) {
        dvt_set set = open_own();
        for (int i = 0; i < OWN; i++)
            own[i].rows_unknown = unknown >> i & 1;
        dv_view *view = append(&set);
        const int64_t rows = OWN * DVT_OWN_ROWS;
        cr_expect_eq(dv_view_rows(view), unknown ? DV_ROWS_UNKNOWN : rows);
        for (int64_t first = 0; first <= rows; first++)
            for (int64_t n = 0; n <= rows - first; n += 1 + n / 3) {
                dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
                options.first_row = first;
                options.take = n;
                options.ids = n % 2;
                options.batch_rows = (first + n) % 5;
                expect_rows("own tables", &set, view, &options, first, first + n);
            }
        dv_view_release(&view);
        dvt_set_release(&set);
        for (int i = 0; i < OWN; i++) {
            cr_expect_eq(own[i].views_closed, 1);
            cr_expect_eq(own[i].cursors_opened, own[i].cursors_closed);
            cr_expect_eq(own[i].wrapped, own[i].released);
        }
    }
}

/* Views without requested rows are not read. */
Test(tf_concat, only_what_is_needed_is_read)
{
    static const struct {
        int64_t first, end;
        int opened[OWN];
    } ranges[] = {{0, 12, {1, 0, 0}},  {0, 13, {1, 1, 0}},  {12, 24, {0, 1, 0}},
                  {11, 25, {1, 1, 1}}, {24, 36, {0, 0, 1}}, {36, 99, {0, 0, 0}},
                  {5, 5, {0, 0, 0}},   {12, 12, {0, 0, 0}}};
    for (size_t i = 0; i < COUNT(ranges); i++) {
        dvt_set set = open_own();
        dv_view *view = append(&set);
        dvt_lines lines = {0};
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.first_row = ranges[i].first;
        options.end_row = ranges[i].end;
        options.threads = 3;
        cr_expect_eq(dvt_put_numbered(&lines, view, &options, NULL), DV_OK);
        for (int k = 0; k < OWN; k++) {
            cr_expect_eq(own[k].cursors_opened, ranges[i].opened[k], "range %d, view %d", (int)i,
                         k);
            cr_expect(!own[k].cursors_opened || own[k].request.threads == 3);
        }
        dvt_lines_free(&lines);
        dv_view_release(&view);
        dvt_set_release(&set);
    }
}

Test(tf_concat, an_error_comes_after_the_rows_before_it)
{
    for (int ids = 0; ids < 2; ids++) {
        dvt_set set = open_own();
        dv_view *view = append(&set);
        dv_error err = DV_ERROR_INIT;
        dv_cursor *cursor;
        const dv_batch *batch;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.ids = ids;
        options.batch_rows = 5;
        own[1].next_status = DV_ERR_CORRUPT; /* at its row 6 */
        int64_t rows = 0;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
            rows += batch->rows;
        cr_expect_eq(rows, DVT_OWN_ROWS + 6);
        cr_expect_eq(err.status, DV_ERR_CORRUPT);
        cr_expect(strstr(err.message, "view 1"), "%s", err.message);
        cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_ERR_CORRUPT);
        dv_cursor_close(&cursor);

        own[1].next_status = DV_OK;
        own[2].open_status = DV_ERR_IO;
        rows = 0;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
            rows += batch->rows;
        cr_expect_eq(rows, 2 * DVT_OWN_ROWS);
        cr_expect_eq(err.status, DV_ERR_IO);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        dvt_set_release(&set);
    }
}

/* A cursor that started inside a view of unknown length counted all rows of the view first, so
 * damage far after its first row made it fail at once. */
Test(tf_concat, an_error_comes_after_the_rows_before_it_wherever_a_cursor_starts)
{
    for (int number = 0; number < OWN; number++)
        for (int64_t first = 0; first < 6; first++) {
            dvt_set set = open_own();
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            dv_cursor *cursor;
            const dv_batch *batch;
            int64_t rows = 0;
            for (int i = 0; i < OWN; i++)
                own[i].rows_unknown = true;
            dv_view *view = append(&set);
            own[number].next_status = DV_ERR_CORRUPT; /* at its row 6 */
            options.first_row = number * DVT_OWN_ROWS + first;
            cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
            while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
                rows += batch->rows;
            cr_expect_eq(rows, 6 - first, "view %d from row %d on", number, (int)first);
            cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_ERR_CORRUPT);
            dv_cursor_close(&cursor);
            dv_view_release(&view);
            dvt_set_release(&set);
        }
}

/* A concatenation is a view like any other. */
Test(tf_concat, of_concatenated_views)
{
    dvt_set set = dvt_set_open("people people", NULL);
    dvt_set both = {{append(&set), set.view[1]}, 2};
    dv_view_retain(set.view[1]);
    dv_view *view = append(&both);
    for (int64_t size = 0; size < 200; size += 99) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.ids = true;
        options.batch_rows = size;
        options.first_row = 250;
        expect_rows("three times", &both, view, &options, 250, INT64_MAX);
    }
    dv_view_release(&view);
    dvt_set_release(&both);
    dvt_set_release(&set);
}

/* --- Which views fit -------------------------------------------------------------------------- */

static dv_status no_rows(void *cursor, dv_batch *batch, dv_error *err)
{
    (void)cursor, (void)batch, (void)err;
    return DV_END;
}

static dv_status open_nothing(void *self, const dv_cursor_request *request, void **cursor_out,
                              dv_error *err)
{
    (void)request, (void)err;
    *cursor_out = self;
    return DV_OK;
}

static int64_t many_rows(void *self)
{
    return *(const int64_t *)self;
}

/* A view without rows can be shuffled. */
static bool can_shuffle(void *self)
{
    return *(const int64_t *)self == 0;
}

static const dv_view_class bare_class = {.size = sizeof bare_class,
                                         .kind = "bare",
                                         .rows = many_rows,
                                         .can_shuffle = can_shuffle,
                                         .open_cursor = open_nothing,
                                         .next = no_rows};

/* A view with these columns, "a:R4 b:TX", that reports this number of rows. */
static dv_view *bare(const char *columns, int64_t *rows)
{
    dv_schema *schema;
    dv_view *view;
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    for (size_t n; *columns; columns += n + (columns[n] == ' ')) {
        int32_t dims[4];
        dv_type type;
        const size_t name = strcspn(columns, ":");
        n = strcspn(columns, " ");
        const dv_text notation = {columns + name + 1, (int64_t)(n - name - 1)};
        cr_assert_eq(dv_type_parse(&type, notation, dims, 4, NULL), DV_OK);
        cr_assert_eq(dv_schema_add(schema, (dv_text){columns, (int64_t)name}, &type, NULL, NULL),
                     DV_OK);
    }
    cr_assert_eq(dv_view_create(&view, &bare_class, rows, &schema, NULL, NULL), DV_OK);
    return view;
}

Test(tf_concat, every_difference_is_refused)
{
    static const struct {
        const char *first, *other, *what, *expected, *found;
    } pairs[] = {
        {"a:R4", "a:R4 b:TX", "view 1: column 1: ", "none", "b"},
        {"a:R4 b:TX", "a:R4", "view 1: column 1: ", "b", "none"},
        {"", "a:R4", "view 1: column 0: ", "none", "a"},
        {"a:R4", "b:R4", "view 1: column 0: ", "a", "b"},
        {"a:R4 b:R4", "b:R4 a:R4", "view 1: column 0: ", "a", "b"},
        {"a:R4 b:R4", "a:R4 b:R8", "view 1: column 1 \"b\": ", "R4", "R8"},
        {"a:R4", "a:V<R4,1>", "view 1: column 0 \"a\": ", "R4", "V<R4,1>"},
        {"a:V<R4,3>", "a:V<R4,4>", "view 1: column 0 \"a\": ", "V<R4,3>", "V<R4,4>"},
        {"a:V<R4,6>", "a:V<R4,2,3>", "view 1: column 0 \"a\": ", "V<R4,6>", "V<R4,2,3>"},
        {"a:U4[0-3]", "a:U4[0-4]", "view 1: column 0 \"a\": ", "U4[0-3]", "U4[0-4]"},
        {"a:U4", "a:U4[0-4]", "view 1: column 0 \"a\": ", "U4", "U4[0-4]"},
        {"x:R4 x:TX", "x:R8 x:TX", "view 1: column 0 \"x\": ", "R4", "R8"}, /* hidden */
        {"x:R4 x:TX", "x:TX", "view 1: column 0 \"x\": ", "R4", "TX"},
    };
    int64_t rows = 0;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        dv_error err = DV_ERROR_INIT;
        dvt_set set = {{bare(pairs[i].first, &rows), bare(pairs[i].other, &rows)}, 2};
        dv_view *view = set.view[0];
        cr_expect_eq(dv_view_concat(&view, set.view, 2, NULL, &err), DV_ERR_ARGUMENT);
        cr_expect_null(view);
        cr_expect_eq(strncmp(err.message, pairs[i].what, strlen(pairs[i].what)), 0, "%s",
                     err.message);
        cr_expect_str_eq(err.expected, pairs[i].expected);
        cr_expect_str_eq(err.found, pairs[i].found);
        cr_expect(strstr(err.message, "open the files together"), "%s", err.message);
        cr_expect_eq(dv_view_concat(&view, set.view, 2, NULL, NULL), DV_ERR_ARGUMENT);
        dvt_set_release(&set);
    }
}

Test(tf_concat, can_be_shuffled_when_all_can)
{
    int64_t none = 0, some = 1;
    for (int i = 0; i < 4; i++) {
        dvt_set set = {{bare("a:R4", i & 1 ? &none : &some), bare("a:R4", i & 2 ? &none : &some)},
                       2};
        dv_view *view = append(&set);
        cr_expect_eq(dv_view_can_shuffle(view), i == 3);
        dv_view_release(&view);
        dvt_set_release(&set);
    }
}

Test(tf_concat, how_many_views)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dvt_set set = dvt_set_open("people", NULL);
    cr_expect_eq(dv_view_concat(&view, set.view, 0, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_view_concat(&view, set.view, -1, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_null(view);
    view = append(&set);
    cr_expect_eq(view, set.view[0]); /* one view is itself */
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.ids = true;
    expect_rows("alone", &set, view, &options, 0, INT64_MAX);
    dvt_set_release(&set);
    cr_expect_eq(dv_view_rows(view), 600); /* and holds its own reference */
    dv_view_release(&view);
}

Test(tf_concat, how_many_rows)
{
    dv_error err = DV_ERROR_INIT;
    int64_t many = INT64_MAX, one = 1, none = 0, unknown = DV_ROWS_UNKNOWN;
    dv_view *view;
    dvt_set fits = {{bare("a:R4", &many), bare("a:R4", &none)}, 2};
    dvt_set over = {{bare("a:R4", &many), bare("a:R4", &one)}, 2};
    dvt_set free_to_know = {{bare("a:R4", &unknown), bare("a:R4", &many)}, 2};
    cr_expect_eq(dv_view_concat(&view, over.view, 2, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "2^63-1 rows"), "%s", err.message);
    view = append(&fits);
    cr_expect_eq(dv_view_rows(view), INT64_MAX);
    dv_view_release(&view);
    view = append(&free_to_know);
    cr_expect_eq(dv_view_rows(view), DV_ROWS_UNKNOWN);
    dv_view_release(&view);
    dvt_set_release(&fits);
    dvt_set_release(&over);
    dvt_set_release(&free_to_know);
}
