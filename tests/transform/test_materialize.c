/* SPDX-License-Identifier: MIT */
/* test_materialize.c: materialized rows are those of the source, from any row on (transform.h). */
#include "support/allocator.h"
#include "support/concatenated.h"
#include "support/feeds.h"
#include "support/golden_files.h"
#include "support/made_table.h"
#include "support/own_table.h"
#include "support/same_table.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const sources[] = {
    "idv/people.idv",        "idv/scalar-all-deflate-rpb64-anyorder.idv",
    "idv/random-21.idv",     "idv/vector-TX-raw.idv",
    "idv/rows-8193.idv",     "idv/rows-0-raw.idv",
    "btable/article.btable", "btable/random-03.btable",
};

static void expect_same_lines(const char *story, dv_view *source, dv_view *held,
                              const dv_cursor_options *of_source, const dv_cursor_options *of_held)
{
    dv_error err = DV_ERROR_INIT;
    dvt_lines truth = {0}, lines = {0};
    cr_expect_eq(dvt_put_numbered(&truth, source, of_source, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dvt_put_numbered(&lines, held, of_held, &err), DV_OK, "%s", err.message);
    cr_expect(lines.nbytes == truth.nbytes &&
                  (truth.nbytes == 0 || memcmp(lines.data, truth.data, truth.nbytes) == 0),
              "%s: wanted\n%.300s\ngot\n%.300s", story, truth.data ? truth.data : "",
              lines.data ? lines.data : "");
    dvt_lines_free(&truth);
    dvt_lines_free(&lines);
}

static bool stop_at_defect(void *ctx, const dv_error *what)
{
    (void)ctx;
    return what->status == DV_OK; /* a warning */
}

/* Facts come from the source. */
static void expect_sound(dv_view *view)
{
    dv_error err = DV_ERROR_INIT;
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = stop_at_defect;
    cr_expect_eq(dv_verify(view, &options, &err), DV_OK, "%s", err.message);
}

/* All rows, ranges of them, and batches of a given size. */
Test(materialize, rows_of_the_source)
{
    static const int64_t ranges[][2] = {{0, -1}, {1, 2}, {63, 66}, {5, -1}, {1020, 1030}, {9, 9}};
    for (size_t i = 0; i < COUNT(sources); i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *source = dvt_golden_open(sources[i], NULL), *held;
        cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, &err), DV_OK, "%s",
                     err.message);
        cr_expect(dv_view_rows(source) < 0 || dv_view_rows(source) == dv_view_rows(held));
        cr_expect(dv_view_can_shuffle(held));
        for (size_t k = 0; k < COUNT(ranges); k++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            options.first_row = ranges[k][0];
            options.end_row = ranges[k][1];
            expect_same_lines(sources[i], source, held, &options, &options);
            options.batch_rows = 7;
            expect_same_lines(sources[i], source, held, &options, &options);
        }
        expect_sound(held);
        dv_view_release(&held);
        dv_view_release(&source);
    }
}

/* Single rows, in any order. */
Test(materialize, is_picked_from)
{
    static const int64_t rows[] = {599, 0, 64, 63, 65, 1, 1, 2, 3, 500, 0};
    dv_view *source = dvt_golden_open("idv/people.idv", NULL), *held, *a, *b;
    cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_take(&a, source, rows, COUNT(rows), NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_take(&b, held, rows, COUNT(rows), NULL, NULL), DV_OK);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.ids = true;
    expect_same_lines("people", a, b, &options, &options);
    dv_view *views[] = {a, b, held, source};
    for (size_t i = 0; i < COUNT(views); i++)
        dv_view_release(&views[i]);
}

/* Small batches become a few large ones, and none has more rows than readers expect of a batch. */
Test(materialize, batches_grow)
{
    enum { ROWS = 400000, SMALL = 100, MOST = 1 << 18 };
    dvt_many_rows *many = dvt_many_rows_create(ROWS, SMALL);
    dv_view *source = dvt_made_table_open(&many->table, NULL), *held;
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t batches = 0, rows = 0;
    cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, NULL), DV_OK);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    expect_same_lines("many rows", source, held, &options, &options);
    cr_assert_eq(dv_cursor_open(&cursor, held, NULL, NULL), DV_OK);
    for (; dv_cursor_next(cursor, &batch, NULL) == DV_OK; batches++) {
        cr_expect_leq(batch->rows, MOST);
        rows += batch->rows;
    }
    cr_expect_eq(rows, ROWS);
    cr_expect_leq(batches, 16, "%d", (int)batches);
    dv_cursor_close(&cursor);
    dv_view_release(&held);
    dv_view_release(&source);
    dvt_many_rows_free(many);
}

/* Only the columns asked for, with name and metadata; the source is not read again. */
Test(materialize, of_a_selection)
{
    static const int32_t columns[] = {3, 1};
    dvt_own_table table = {.rows_unknown = true};
    dv_view *source, *held;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    cr_assert_eq(dvt_own_table_open(&source, &table, NULL, NULL), DV_OK);
    options.columns = columns;
    options.columns_count = 2;
    options.first_row = 2;
    options.skip = 1;
    options.take = 6;
    cr_assert_eq(
        dv_view_materialize(
            &held, source,
            &(dv_materialize_options){.size = sizeof(dv_materialize_options), .cursor = &options},
            NULL, NULL),
        DV_OK);
    cr_expect_eq(dv_view_rows(held), 6);
    cr_expect_eq(table.cursors_opened, 1);
    cr_expect_eq(table.cursors_closed, 1);
    for (int32_t k = 0; k < 2; k++) {
        const dv_column_info *want = dv_schema_column(dv_view_schema(source), columns[k]);
        const dv_column_info *got = dv_schema_column(dv_view_schema(held), k);
        cr_expect(dv_text_equal(want->name, got->name));
        cr_expect(dv_type_equal(&want->type, &got->type));
        cr_expect_eq(want->metadata_count, got->metadata_count);
    }
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options few = DV_CURSOR_OPTIONS_INIT;
    cr_assert_eq(dv_cursor_open(&cursor, held, &few, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_eq(batch->rows, 6);
    dv_cursor_close(&cursor);
    few.columns_count = 0;
    cr_assert_eq(dv_cursor_open(&cursor, held, &few, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_eq(batch->rows, 6);
    cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_END);
    dv_cursor_close(&cursor);
    few.zero_copy_only = true;
    cr_expect_eq(dv_cursor_open(&cursor, held, &few, NULL), DV_ERR_COPY);
    cr_expect_eq(table.cursors_opened, 1);
    dv_view_release(&held);
    dv_view_release(&source);
    cr_expect_eq(table.views_closed, 1);
}

Test(materialize, what_the_source_says)
{
    static const int32_t no_column = 99;
    dvt_own_table damaged = {.next_status = DV_ERR_CORRUPT};
    dv_view *source, *held;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    cr_assert_eq(dvt_own_table_open(&source, &damaged, NULL, NULL), DV_OK);
    cr_expect_eq(dv_view_materialize(&held, source, NULL, NULL, NULL), DV_ERR_CORRUPT);
    cr_expect_null(held);
    options.columns = &no_column;
    options.columns_count = 1;
    cr_expect_eq(
        dv_view_materialize(
            &held, source,
            &(dv_materialize_options){.size = sizeof(dv_materialize_options), .cursor = &options},
            NULL, NULL),
        DV_ERR_ARGUMENT);
    options.size = 0;
    cr_expect_eq(
        dv_view_materialize(
            &held, source,
            &(dv_materialize_options){.size = sizeof(dv_materialize_options), .cursor = &options},
            NULL, NULL),
        DV_ERR_ARGUMENT);
    dv_view_release(&source);
    cr_expect_eq(damaged.views_closed, 1);
}

/* DV_ERR_MEMORY; or the same rows, if memory was only needed to join small runs. */
Test(materialize, each_allocation_may_fail)
{
    static const char *const names[] = {"idv/people.idv", "idv/vector-TX-raw.idv",
                                        "idv/scalar-all-raw-rpb7.idv"};
    for (size_t i = 0; i < COUNT(names); i++) {
        dv_view *source = dvt_golden_open(names[i], NULL), *held;
        bool is_done = false;
        for (int64_t k = 1; !is_done; k += DVT_FAIL_STEP) {
            dvt_allocator counted;
            dvt_allocator_init(&counted, k);
            const dv_status status =
                dv_view_materialize(&held, source, NULL, &counted.allocator, NULL);
            is_done = counted.asked < k;
            counted.fail_at = 0;
            cr_assert(status == DV_OK || (status == DV_ERR_MEMORY && !is_done));
            cr_expect_eq(status == DV_OK, held != NULL);
            if (held)
                cr_expect_null(dvt_table_difference(source, held, 0), "allocation %d", (int)k);
            dv_view_release(&held);
            cr_expect_eq(counted.live, 0, "allocation %d: a leak", (int)k);
        }
        dv_view_release(&source);
    }
}

/* Where there is memory for the rows, but none for room for more of them. */
Test(materialize, needs_memory_only_for_rows)
{
    enum { ROWS = 80000, BLOCK = 1000 };
    static int64_t numbers[ROWS];
    static int32_t ends[ROWS];
    static char text[3 * ROWS];
    for (int i = 0; i < ROWS; i++) {
        numbers[i] = i;
        ends[i] = 3 * (i + 1);
        memset(text + 3 * i, 'a' + i % 26, 3);
    }
    dvt_made_table table = {.columns = 2, .rows = ROWS, .block_rows = BLOCK, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), numbers, ROWS);
    table.column[1] = dvt_made_text(DV_KIND_TX, text, ends, ROWS);
    dv_view *source = dvt_made_table_open(&table, NULL), *held;
    dv_error err = DV_ERROR_INIT;
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    counted.nbytes_most = 6 * BLOCK * sizeof *numbers;
    cr_assert_eq(dv_view_materialize(&held, source, NULL, &counted.allocator, &err), DV_OK, "%s",
                 err.message);
    const char *difference = dvt_table_difference(source, held, 0);
    cr_expect_null(difference, "%s", difference);
    dv_view_release(&held);
    cr_expect_eq(counted.live, 0);
    counted.nbytes_most = BLOCK / 2 * sizeof *numbers;
    cr_expect_eq(dv_view_materialize(&held, source, NULL, &counted.allocator, &err), DV_ERR_MEMORY);
    cr_expect_eq(counted.live, 0);
    dv_view_release(&source);
}

/* Texts of two lengths in turn, every `turn` rows, beside numbers. */
static void expect_little_room(int64_t turn, int64_t block, size_t longer)
{
    enum { ROWS = 30000 };
    static int64_t numbers[ROWS];
    static int32_t ends[ROWS];
    int64_t nbytes = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        numbers[i] = i;
        nbytes += i / turn % 2 ? (int64_t)longer : 1;
        ends[i] = (int32_t)nbytes;
    }
    char *text = malloc((size_t)nbytes);
    cr_assert_not_null(text);
    for (int64_t i = 0; i < nbytes; i++)
        text[i] = (char)('a' + i % 23);
    nbytes += ROWS * (int64_t)(sizeof *numbers + sizeof *ends);
    dvt_made_table table = {.columns = 2, .rows = ROWS, .block_rows = block, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), numbers, ROWS);
    table.column[1] = dvt_made_text(DV_KIND_TX, text, ends, ROWS);
    dv_view *source = dvt_made_table_open(&table, NULL), *held;
    dv_error err = DV_ERROR_INIT;
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    cr_assert_eq(dv_view_materialize(&held, source, NULL, &counted.allocator, &err), DV_OK, "%s",
                 err.message);
    const char *difference = dvt_table_difference(source, held, 0);
    cr_expect_null(difference, "%s", difference);
    const double most = (double)counted.highest / (double)nbytes;
    const double left = (double)counted.nbytes / (double)nbytes;
    cr_expect_leq(most, 2.6, "%g, texts of %zu, %d in turn", most, longer, (int)turn);
    cr_expect_leq(left, 1.6, "%g, texts of %zu, %d in turn", left, longer, (int)turn);
    dv_view_release(&held);
    dv_view_release(&source);
    cr_expect_eq(counted.live, 0);
    free(text);
}

Test(materialize, room_for_more_rows_is_given_back)
{
    static const size_t lengths[] = {50, 1000};
    static const int64_t turns[] = {100, 1000, 4096};
    for (size_t i = 0; i < COUNT(lengths); i++)
        for (size_t k = 0; k < COUNT(turns); k++) {
            expect_little_room(turns[k], 100, lengths[i]);
            expect_little_room(turns[k], 1000, lengths[i]);
        }
}

/* Stops at the second report. */
static bool stop_at_second(void *ctx, int64_t done, int64_t total)
{
    int64_t *const reports = ctx;
    cr_expect_eq(total, 2000);
    cr_expect(done >= 0 && done <= total);
    return ++*reports < 2;
}

static bool count_rows(void *ctx, int64_t done, int64_t total)
{
    int64_t *const rows = ctx;
    cr_expect(done >= *rows && total == 2000);
    *rows = done;
    return true;
}

Test(materialize, is_stopped)
{
    dvt_feed_table *t = dvt_feed_table_create(2000, 100, NULL);
    dv_materialize_options options = DV_MATERIALIZE_OPTIONS_INIT;
    dv_view *held;
    dv_error err = DV_ERROR_INIT;
    int64_t reports = 0, rows = 0;
    options.progress = (dv_progress){stop_at_second, &reports};
    cr_expect_eq(dv_view_materialize(&held, t->view, &options, NULL, &err), DV_ERR_STOPPED);
    cr_expect(!held && *err.message && reports == 2);
    options.progress = (dv_progress){count_rows, &rows};
    cr_assert_eq(dv_view_materialize(&held, t->view, &options, NULL, &err), DV_OK);
    cr_expect(rows == 2000 && dv_view_rows(held) == 2000);
    dv_view_release(&held);
    options.size--;
    cr_expect_eq(dv_view_materialize(&held, t->view, &options, NULL, &err), DV_ERR_ARGUMENT);
    dvt_feed_table_free(t);
}
