/* SPDX-License-Identifier: MIT */
/* test_text_rows.c: checks that rows are the same for all cursor options, and memory is
 * limited. (semantics:6.2 to semantics:6.5) */
#include "format/text/read/text_value.h"
#include "support/allocator.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/batch.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char options[] =
    "sep=comma header+ multilines+ col=A:R4:0-1 col=B:TX:2 col=C:DZ:3 col=D:TX:4-**";
static const char file[] =
    "a,b,c\n1,2,\"x\ny\",2020-01-02 03:04:05Z,p,q\n,3,z\n4,5,\xE2\x82,,\"r\"\n"
    "// no row\n8,9,10,11,12,13,14\n";
static const char first_row[] =
    "[1,2] \"x\\u000ay\" 2020-01-02T03:04:05.0000000+00:00 [\"p\",\"q\"]\n";

static dv_view *open_counted(dvt_allocator *counted, dv_io io)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = io;
    how.allocator = &counted->allocator;
    return dvt_text_open(options, file, sizeof file - 1, &how, NULL);
}

static dvt_lines truth(void)
{
    dvt_lines lines = {0};
    dv_view *view = dvt_text_open(options, file, sizeof file - 1, NULL, NULL);
    cr_assert_not_null(view);
    cr_expect_eq(dvt_text_rows(&lines, view, NULL, NULL), DV_END);
    cr_expect_eq(dv_view_rows(view), 4);
    dv_view_release(&view);
    return lines;
}

/* Each allocation fails once: opening returns an error, and a cursor's call can be repeated. */
Test(text_rows, survive_each_allocation_that_fails)
{
    dvt_lines right = truth();
    int64_t k = 0, failed = 0;
    bool is_done = false;
    for (; !is_done; k++) {
        dvt_allocator counted;
        dvt_lines lines = {0};
        dv_error err = DV_ERROR_INIT;
        dvt_allocator_init(&counted, k + 1);
        dv_view *view = open_counted(&counted, k % 2 ? DV_IO_PREAD : DV_IO_MMAP);
        if (view) {
            cr_expect_eq(dvt_text_rows(&lines, view, NULL, &err), DV_END, "%s", err.message);
            cr_expect_str_eq(lines.data, right.data, "allocation %d", (int)k);
        }
        failed += !view;
        is_done = counted.asked < k + 1;
        dvt_lines_free(&lines);
        dv_view_release(&view);
        cr_expect_eq(counted.live, 0, "allocation %d: a leak", (int)k);
    }
    cr_expect_gt(failed, 5);
    cr_expect_gt(k, failed + 10);
    dvt_lines_free(&right);
}

Test(text_rows, are_the_same_in_any_batches_and_ranges)
{
    static const int64_t sizes[] = {0, 1, 3, 64};
    dvt_lines right = truth();
    cr_expect_eq(memcmp(right.data, first_row, sizeof first_row - 1), 0, "%s", right.data);
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int64_t first = 0; first <= 4; first++) {
            dvt_lines lines = {0};
            dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
            dvt_allocator counted;
            dvt_allocator_init(&counted, 0);
            dv_view *view = open_counted(&counted, i % 2 ? DV_IO_PREAD : DV_IO_MMAP);
            how.batch_rows = sizes[i];
            how.first_row = first;
            how.threads = i % 2 ? 1 : 3;
            const char *from = right.data;
            for (int64_t n = 0; n < first; n++)
                from = strchr(from, '\n') + 1;
            cr_expect_eq(dvt_text_rows(&lines, view, &how, NULL), DV_END);
            cr_expect_str_eq(lines.data ? lines.data : "", from);
            dvt_lines_free(&lines);
            dv_view_release(&view);
            cr_expect_eq(counted.live, 0);
        }
    dvt_lines_free(&right);
}

/* --- Retained batches --- */

/* Regression: 200 batches are kept after the view is released. The memory of each was a quarter
 * larger than that of the batch before, until there was none. */
Test(text_rows, that_are_retained_stay_and_cost_the_same)
{
    enum { ROWS = 200 };
    char text[4 * ROWS];
    const dv_batch *kept[ROWS];
    dvt_allocator counted;
    dv_cursor *cursor;
    dv_cursor_options one = DV_CURSOR_OPTIONS_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    for (int i = 0; i < ROWS; i++)
        memcpy(text + 4 * i, (char[]){(char)('0' + i % 10), '\t', 'x', '\n'}, 4);
    dvt_allocator_init(&counted, 0);
    how.allocator = &counted.allocator;
    dv_view *view = dvt_text_open("col=A:I4:0 col=B:TX:0-1", text, sizeof text, &how, NULL);
    one.batch_rows = 1;
    one.threads = 1;
    cr_assert_eq(dv_cursor_open(&cursor, view, &one, NULL), DV_OK);
    for (int i = 0; i < ROWS; i++) {
        cr_assert_eq(dv_cursor_next(cursor, &kept[i], NULL), DV_OK);
        dv_batch_retain(kept[i]);
    }
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    for (int i = 0; i < ROWS; i++) {
        const dv_value value = dv_value_at(dv_batch_column(kept[i], 0), 0);
        cr_expect_eq(dv_value_i4(&value), i % 10);
        dv_batch_release(&kept[i]);
    }
    cr_expect_lt(counted.highest, 1 << 20, "%d bytes", (int)counted.highest);
    cr_expect_eq(counted.live, 0);
}

/* --- Limits --- */

static void expect_limit(const char *how_read, const char *text, const char *rule)
{
    dvt_allocator counted;
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dvt_allocator_init(&counted, 0);
    how.allocator = &counted.allocator;
    how.cursor_nbytes = 1 << 20;
    dv_view *view = dvt_text_open(how_read, text, strlen(text), &how, &err);
    cr_assert_not_null(view, "%s", err.message);
    const dv_status status = dvt_text_rows(&lines, view, NULL, &err);
    if (rule) {
        cr_expect_eq(status, DV_ERR_LIMIT, "%s: %d", how_read, (int)status);
        cr_expect_str_eq(err.rule, rule);
    } else {
        cr_expect_eq(status, DV_END, "%s", err.message);
    }
    dv_view_release(&view);
    cr_expect_lt(counted.highest, 4 << 20, "%s: %d bytes", how_read, (int)counted.highest);
    dvt_lines_free(&lines);
}

Test(text_rows, of_many_slots_are_sparse_or_refused)
{
    expect_limit("col=A:0-2000000000", "1\t2\n", NULL);
    expect_limit("missingrealnan+ col=A:0-2000000000", "1\t2\n", "text");
    expect_limit("missingrealnan+ col=A:0-16385", "1\t2\n", NULL);
    expect_limit("missingrealnan+ col=A:0-16386", "1\t2\n", "text");
    expect_limit("missingrealnan+ absent=16385 col=A:0-16386", "1\t2\n", NULL);
    expect_limit("missingrealnan+ col=A:0-9001 col=B:0-9000", "1\t2\n", "text");
    expect_limit("missingrealnan+ absent=0 col=A:0-1 col=B:2", "1\t2\n", NULL);
    expect_limit("missingrealnan+ absent=0 col=A:0-2", "1\t2\n", "text");
    expect_limit("absent=16385", /* the file's own word is no permission */
                 "#@ TextLoader{missingrealnan+ absent=2 col=A:0-16386}\n1\t2\n", NULL);
    expect_limit(NULL, "#@ TextLoader{missingrealnan+ absent=16385 col=A:0-16386}\n1\t2\n", "text");
    expect_limit("col=A:0-**", "2147483647\t0:1\n", NULL);
    expect_limit("missingrealnan+ col=A:0-**", "2147483647\t0:1\n", NULL); /* holes are no NaN */
    expect_limit("col=A:0,1-**", "1\t2\t2147483647\t0:1\n", "text");
}

/* A line of 64 MiB is read if the limit allows it. */
Test(text_rows, have_long_lines)
{
    const size_t n = (size_t)64 << 20;
    char *text = malloc(n + 1);
    memset(text, 'x', n);
    text[n] = '\n';
    for (int may = 0; may < 2; may++) {
        dv_error err = DV_ERROR_INIT;
        dv_cursor *cursor;
        const dv_batch *batch;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.cursor_nbytes = (int64_t)n + (may ? 100 : -1); /* and the row itself */
        dv_view *view = dvt_text_open("col=A:TX:0", text, n + 1, &how, &err);
        cr_assert_not_null(view);
        cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK);
        cr_expect_eq(dv_cursor_next(cursor, &batch, &err), may ? DV_OK : DV_ERR_LIMIT, "%s",
                     err.message);
        if (may)
            cr_expect_eq(dv_batch_column(batch, 0)->as.text.utf8.nbytes, n);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
    }
    free(text);
}

/* Regression: with 100,000 columns of one source column, each field searched their lists from the
 * start. */
Test(text_rows, have_many_columns)
{
    dvt_lines how = {0}, lines = {0};
    dv_error err = DV_ERROR_INIT;
    for (int i = 0; i < 100000; i++)
        dvt_lines_print(&how, "col=c%d:I1:0 ", i);
    dv_view *view = dvt_text_open(how.data, "7\n", 2, NULL, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_expect_eq(dvt_text_rows(&lines, view, NULL, &err), DV_END, "%s", err.message);
    cr_expect_eq(lines.nbytes, 200000);
    dv_view_release(&view);
    dvt_lines_free(&how);
    dvt_lines_free(&lines);
}

/* --- Text --- */

/* Bytes, and what they become: ? stands for U+FFFD. */
static const char *const parts[][2] = {
    {"a", "a"},
    {"\x80", "?"},
    {"\xC0\x80", "??"},
    {"\xC2", "?"},
    {"\xC2"
     "a",
     "?a"},
    {"\xE0\x80\x80", "???"},
    {"\xE0\xA0", "?"},
    {"\xE2\x82", "?"},
    {"\xE2\x82\xE2\x82\xAC", "?\xE2\x82\xAC"},
    {"\xED\xA0\x80", "???"},
    {"\xF0\x80\x80\x80", "????"},
    {"\xF0\x90", "?"},
    {"\xF0\x9F\x98", "?"},
    {"\xF0\x9F\x98"
     "a",
     "?a"},
    {"\xF1\x80\xF0\x9F\x98\x80", "?\xF0\x9F\x98\x80"},
    {"\xF4\x90\x80\x80", "????"},
    {"\xF8\x88\x80\x80\x80", "?????"},
    {"a\xFF\xFE"
     "b",
     "a??b"},
};

Test(text_rows, ill_formed_text_is_replaced_part_by_part)
{
    for (size_t i = 0; i < COUNT(parts); i++) {
        uint8_t dst[64];
        char text[64];
        size_t n = 0;
        int64_t bad = 0, marks = 0;
        for (const char *p = parts[i][1]; *p; p++) {
            marks += *p == '?';
            memcpy(text + n, *p == '?' ? "\xEF\xBF\xBD" : p, *p == '?' ? 3 : 1);
            n += *p == '?' ? 3 : 1;
        }
        cr_expect_eq(dvi_text_copy(dst, dv_text_of(parts[i][0]), &bad), n, "case %d", (int)i);
        cr_expect(memcmp(dst, text, n) == 0 && bad == marks, "case %d", (int)i);
    }
}

Test(text_rows, have_nul_bytes)
{
    static const char text[] = "a\0b\t\0\n\0\t1\n";
    dvt_lines lines = {0};
    dv_view *view = dvt_text_open("col=A:TX:0 col=B:TX:1", text, sizeof text - 1, NULL, NULL);
    cr_assert_not_null(view);
    cr_expect_eq(dvt_text_rows(&lines, view, NULL, NULL), DV_END);
    cr_expect_str_eq(lines.data, "\"a\\u0000b\" \"\\u0000\"\n\"\\u0000\" \"1\"\n", "%s",
                     lines.data);
    dvt_lines_free(&lines);
    dv_view_release(&view);
}
