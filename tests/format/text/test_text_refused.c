/* SPDX-License-Identifier: MIT */
/* test_text_refused.c: text that is opened with bad_fields = REFUSE fails at the first row that
 * would lose something, and names row, column and field. */
#include "support/file.h"
#include "support/lines.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/open.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_view *open_text(const char *options, const char *text, dv_bad_fields bad)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.format = "text";
    how.text = options;
    how.bad_fields = bad;
    cr_assert_eq(dv_open_memory(&view, text, strlen(text), NULL, NULL, "input", &how, &err), DV_OK,
                 "%s", err.message);
    return view;
}

/* Read to the end, or to an error; returns the rows before it. */
static int64_t read_rows(dv_view *view, dv_status *status_out, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t rows = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, err), DV_OK, "%s", err->message);
    while ((*status_out = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        rows += batch->rows;
    dv_cursor_close(&cursor);
    return rows;
}

static void expect_refused(const char *options, const char *text, int64_t row, const char *message)
{
    static const char *const ways[] = {"", " piece=0", " piece=3"};
    for (size_t i = 0; i < COUNT(ways); i++) {
        char how[256];
        dv_status status;
        dv_error err = DV_ERROR_INIT;
        snprintf(how, sizeof how, "%s%s", options, ways[i]);
        dv_view *view = open_text(how, text, DV_BAD_FIELDS_REFUSE);
        cr_expect_eq(read_rows(view, &status, &err), row, "%s: %s", how, text);
        cr_expect_eq(status, DV_ERR_LOSS, "%s: %s", how, text);
        cr_expect_str_eq(err.message, message);
        dv_view_release(&view);
        view = open_text(how, text, DV_BAD_FIELDS_NA);
        read_rows(view, &status, &err);
        cr_expect_eq(status, DV_END, "%s: %s", how, err.message);
        dv_view_release(&view);
    }
}

static void expect_whole(const char *options, const char *text, int64_t rows)
{
    dv_status status;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = open_text(options, text, DV_BAD_FIELDS_REFUSE);
    cr_expect_eq(read_rows(view, &status, &err), rows, "%s", text);
    cr_expect_eq(status, DV_END, "%s: %s", text, err.message);
    dv_view_release(&view);
}

#define AB "sep=, col=a:I4:0 col=b:TX:1"

Test(text_refused, what_would_be_lost)
{
    expect_refused(AB, "1,x\nz,y\n3,z\n", 1,
                   "input: row 1: column \"a\": field: expected I4, or fields allowed, found \"z\" "
                   "(semantics:6.4)");
    expect_refused(AB, "1,x\n\"1.5\",y\n", 1,
                   "input: row 1: column \"a\": field: expected I4, or fields allowed, found "
                   "\"1.5\" (semantics:6.4)");
    expect_refused(AB, "1,x\n2\n", 1,
                   "input: row 1: column \"b\": line: expected at least 2 fields, or fields "
                   "allowed, found 1 (semantics:6.4)");
    expect_refused(AB, "1,x\n2,y\n3,y,z\n", 2,
                   "input: row 2: line: expected at most 2 fields, or fields allowed, found one "
                   "more, \"z\" (semantics:6.4)");
    expect_refused(AB, "1,x\n2,\"y\n", 1,
                   "input: row 1: line: expected complete quotes and sparse items, or fields "
                   "allowed, found broken ones (semantics:6.4)");
    expect_refused(AB, "1,x\n2,\"y\"z\n", 1,
                   "input: row 1: line: expected complete quotes and sparse items, or fields "
                   "allowed, found broken ones (semantics:6.4)");
    expect_refused(AB, "1,x\n2,y\xFF\n", 1,
                   "input: row 1: column \"b\": field: expected UTF-8, or encoding=windows-1252, "
                   "or fields allowed, found "
                   "bytes that are not (semantics:6.4)");
    expect_refused("sep=, col=v:U1:0-2", "1,2,3\n1,NA,3\n", 1,
                   "input: row 1: column \"v\": field: expected U1, or fields allowed, found "
                   "\"NA\" (semantics:6.4)");
    expect_refused("sep=, col=v:R4:0-5", "0,0,0,0,0,0\n0,0,0,x,0,0\n", 1,
                   "input: row 1: column \"v\": field: expected R4, or fields allowed, found "
                   "\"x\" (semantics:6.4)");
    expect_refused("sep=, col=k:U4[3]:0", "1\n3\n", 1,
                   "input: row 1: column \"k\": field: expected U4[0-2], or fields allowed, found "
                   "\"3\" (semantics:6.4)");
    expect_refused("col=v:R4:0-5", "1\t2\t3\t4\t5\t6\n6\t2:1\t1:5\n", 1,
                   "input: row 1: line: expected complete quotes and sparse items, or fields "
                   "allowed, found broken ones (semantics:6.4)");
}

/* What the dialect defines as missing, and what no column asks for. */
Test(text_refused, what_is_no_loss)
{
    expect_whole(AB, "1,x\n,\nNA,\"\"\n?,y\nnan,z\n", 5);
    expect_whole(AB, "1,x\n2,y,\n3,z,,\n", 3);                             /* blank fields beyond */
    expect_whole("sep=, header+ col=a:I4:0", "a,b,c\n1,2,3\n2,x\n3\n", 3); /* others are not read */
    expect_whole("sep=, col=a:I4:0 col=v:R4:1-**", "1\n2,3\n3,4,5,6\n", 3);
    expect_whole("sep=, missingrealnan+ col=a:I4:0 col=b:R4:1", "1,2\n2\n", 2);
    expect_whole("col=v:R4:0-5", "6\t1:1\t3:5\n1\t2\t3\t4\t5\t6\n", 2);
    expect_whole("sep=, col=u:U4:0", "1\n\"\"\n", 2);
    expect_whole("col=a:I4:0", "", 0);
    expect_whole("header+ col=a:I4:0", "a\n", 0);
}

/* The first file's first line decides for all. */
Test(text_refused, several_files)
{
    dv_view *view;
    dv_status status;
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dvt_path folder = dvt_folder_create();
    const dvt_path a = dvt_path_in(&folder, "a.txt"), b = dvt_path_in(&folder, "b.txt");
    dvt_file_write(&a, "a,b\n1,2\n", 8);
    dvt_file_write(&b, "a,b,c\n1,2,3\n", 12);
    how.text = "sep=, header+ col=a:I4:0 col=b:I4:1";
    how.bad_fields = DV_BAD_FIELDS_REFUSE;
    cr_assert_eq(dv_open_many(&view, (const char *const[]){a.text, b.text}, 2, &how, &err), DV_OK);
    cr_expect_eq(read_rows(view, &status, &err), 1);
    cr_expect_eq(status, DV_ERR_LOSS);
    cr_expect(strstr(err.message, "b.txt: row 0: line: expected at most 2 fields"), "%s",
              err.message);
    dv_view_release(&view);
    how.bad_fields = (dv_bad_fields)4;
    cr_expect_eq(dv_open(&view, a.text, &how, &err), DV_ERR_ARGUMENT);
    dvt_folder_remove(&folder);
}

/* Many rows, in pieces that threads read: the error is that of the first bad row. */
Test(text_refused, among_many_rows)
{
    static const int64_t bad[] = {0, 1, 4095, 4096, 70000, 149999};
    dvt_lines text = {0};
    for (size_t k = 0; k < COUNT(bad); k++) {
        char message[200];
        dv_status status;
        dv_error err = DV_ERROR_INIT;
        dvt_lines_free(&text);
        text = (dvt_lines){0};
        for (int64_t i = 0; i < 150000; i++)
            dvt_lines_print(&text, i == bad[k] ? "%dx,y\n" : "%d,y\n", (int)i);
        dv_view *view = open_text(AB " piece=10000", text.data, DV_BAD_FIELDS_REFUSE);
        cr_expect_eq(read_rows(view, &status, &err), bad[k]);
        cr_expect_eq(status, DV_ERR_LOSS);
        snprintf(message, sizeof message,
                 "row %d: column \"a\": field: expected I4, or fields "
                 "allowed, found \"%dx\"",
                 (int)bad[k], (int)bad[k]);
        cr_expect(strstr(err.message, message), "%s", err.message);
        dv_view_release(&view);
    }
    dvt_lines_free(&text);
}
