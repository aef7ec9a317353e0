/* SPDX-License-Identifier: MIT */
/* test_text_seen.c: what cursors of text read as NA or U+FFFD is counted, once, by column. */
#include "support/allocator.h"
#include "support/file.h"
#include "support/lines.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/open.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIVE "9,z,9\n9,z,9\n9,z,9\n9,z,9\n9,z,9\n"
#define SHORT_AND_LATIN "a,b,c\n1,x,2\n3\n4,caf\xe9,5\n6,\xff,7\n8,y\n" FIVE FIVE FIVE FIVE
#define SHORT_SENTENCE "column \"b\": 1 line is too short: in row 1\n"
#define REST_SENTENCE "column \"c\": 1 line is too short: in row 4\n"
#define LATIN_SENTENCE                                                                             \
    "column \"b\": 2 rows have bytes that are not UTF-8 and read as U+FFFD (perhaps option "       \
    "encoding=windows-1252 reads them): in row 2, in row 3\n"

static dv_view *open_text(const char *text, const char *options, dv_bad_fields how)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_open_options o = DV_OPEN_OPTIONS_INIT;
    o.format = "text";
    o.text = options;
    o.bad_fields = how;
    cr_assert_eq(dv_open_memory(&view, text, strlen(text), NULL, NULL, "input", &o, &err), DV_OK,
                 "%s", err.message);
    return view;
}

static void read_range(dv_view *view, int64_t first, int64_t end, int32_t threads)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_status status;
    options.first_row = first;
    options.end_row = end;
    options.threads = threads;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        continue;
    cr_expect_eq(status, DV_END, "%s", err.message);
    dv_cursor_close(&cursor);
}

static bool note(void *ctx, const char *file, const char *sentence)
{
    cr_expect_str_neq(file, "");
    dvt_lines_print(ctx, "%s\n", sentence);
    return true;
}

static void expect_seen(dv_view *view, const char *wanted)
{
    dvt_lines seen = {0};
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dv_view_bad_fields(view, note, &seen, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(seen.data ? seen.data : "", wanted);
    dvt_lines_free(&seen);
}

/* cat, head and stats showed NA and U+FFFD without a word, while convert refused the same file. */
Test(text_seen, short_lines_and_bytes_that_are_not_utf8)
{
    static const char *const ways[] = {NULL, "auto piece=0", "auto piece=3"};
    for (size_t i = 0; i < 3; i++) {
        dv_view *view = open_text(SHORT_AND_LATIN, ways[i], DV_BAD_FIELDS_COUNT);
        expect_seen(view, ""); /* nobody has read a row */
        read_range(view, 0, -1, 1);
        expect_seen(view, SHORT_SENTENCE LATIN_SENTENCE REST_SENTENCE);
        read_range(view, 0, -1, 1); /* the same rows again */
        expect_seen(view, SHORT_SENTENCE LATIN_SENTENCE REST_SENTENCE);
        dv_view_release(&view);
    }
}

Test(text_seen, only_rows_that_were_read)
{
    dv_view *view = open_text(SHORT_AND_LATIN, NULL, DV_BAD_FIELDS_COUNT);
    read_range(view, 0, 2, 1);
    expect_seen(view, SHORT_SENTENCE);
    read_range(view, 2, -1, 1); /* other rows, as the files of a split */
    expect_seen(view, SHORT_SENTENCE LATIN_SENTENCE REST_SENTENCE);
    dv_view_release(&view);
}

Test(text_seen, nobody_counts_unless_asked)
{
    dv_view *view = open_text(SHORT_AND_LATIN, NULL, DV_BAD_FIELDS_NA);
    read_range(view, 0, -1, 1);
    expect_seen(view, "");
    cr_expect_eq(dv_view_bad_fields(view, NULL, NULL, NULL), DV_ERR_ARGUMENT);
    dv_view_release(&view);
}

/* What `strict` refuses is counted where it is allowed; a clean column is not named. */
Test(text_seen, fields_that_are_allowed)
{
    dv_view *view = open_text("1,x\ntwo,y\n3,z,more\n4,\"open\n",
                              "sep=, strict+ col=n:I8:0 col=s:TX:1", DV_BAD_FIELDS_ALLOW);
    read_range(view, 0, -1, 1);
    expect_seen(view, "column \"n\": 1 field is no value of I8: \"two\" in row 1\n"
                      "1 line has more fields than columns: \"more\" in row 2\n"
                      "1 line has errors in quotes or sparse items: in row 3\n");
    dv_view_release(&view);
}

static bool stop(void *ctx, const char *file, const char *sentence)
{
    (void)file;
    (void)sentence;
    return --*(int *)ctx > 0;
}

Test(text_seen, through_views_and_of_several_files)
{
    dv_view *view = open_text(SHORT_AND_LATIN, NULL, DV_BAD_FIELDS_COUNT), *both, *one;
    dv_view *other = open_text("a,b,c\n1,x\n" FIVE FIVE FIVE FIVE, NULL, DV_BAD_FIELDS_COUNT);
    int calls = 2;
    cr_assert_eq(dv_view_concat(&both, (dv_view *const[]){view, other}, 2, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_keep(&one, both, (const dv_text[]){{"a", 1}, {"b", 1}}, 2, NULL, NULL),
                 DV_OK);
    read_range(one, 0, -1, 1);
    expect_seen(one, SHORT_SENTENCE LATIN_SENTENCE); /* the last column was not read */
    read_range(both, 0, -1, 1);
    expect_seen(one, SHORT_SENTENCE LATIN_SENTENCE REST_SENTENCE
                "column \"c\": 1 line is too short: in row 0\n");
    cr_expect_eq(dv_view_bad_fields(both, stop, &calls, NULL), DV_END);
    cr_expect_eq(calls, 0);
    dv_view_release(&one);
    dv_view_release(&both);
    dv_view_release(&other);
    dv_view_release(&view);
}

/* Rows in pieces, which threads read ahead: each is counted once, and has the row of the file. */
Test(text_seen, among_many_rows)
{
    enum { ROWS = 200000, EACH = 40000 };
    char *text = malloc(ROWS * 16 + 16), *at = text;
    cr_assert_not_null(text);
    at += sprintf(at, "a,b\n");
    for (int i = 0; i < ROWS; i++)
        at += sprintf(at, i % EACH == 7 ? "%d\n" : "%d,2\n", i);
    for (int32_t threads = 1; threads <= 4; threads += 3) {
        dv_view *view = open_text(text, "auto piece=4096", DV_BAD_FIELDS_COUNT);
        read_range(view, 0, -1, threads);
        expect_seen(view, "column \"b\": 5 lines are too short: in row 7, in row 40007, in row "
                          "80007, ...\n");
        dv_view_release(&view);
    }
    free(text);
}

/* Without memory a sum is never too low: reading or reporting says so. */
Test(text_seen, each_allocation_may_fail)
{
    bool has_ended = false;
    for (int64_t k = 1; !has_ended; k++) {
        dvt_allocator counted;
        dv_view *view;
        dv_cursor *cursor = NULL;
        const dv_batch *batch;
        dv_open_options o = DV_OPEN_OPTIONS_INIT;
        dvt_allocator_init(&counted, k);
        o.allocator = &counted.allocator;
        o.format = "text";
        o.bad_fields = DV_BAD_FIELDS_COUNT;
        dv_status status = dv_open_memory(&view, SHORT_AND_LATIN, strlen(SHORT_AND_LATIN), NULL,
                                          NULL, "input", &o, NULL);
        if (status == DV_OK)
            status = dv_cursor_open(&cursor, view, NULL, NULL);
        while (status == DV_OK)
            status = dv_cursor_next(cursor, &batch, NULL);
        dv_cursor_close(&cursor);
        dvt_lines seen = {0};
        if (status == DV_END && dv_view_bad_fields(view, note, &seen, NULL) == DV_OK)
            cr_expect_str_eq(seen.data, SHORT_SENTENCE LATIN_SENTENCE REST_SENTENCE, "%d", (int)k);
        has_ended = status == DV_END && atomic_load(&counted.asked) < k;
        dvt_lines_free(&seen);
        dv_view_release(&view);
        cr_expect_eq(atomic_load(&counted.live), 0);
    }
}
