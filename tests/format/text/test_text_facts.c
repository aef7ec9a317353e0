/* SPDX-License-Identifier: MIT */
/* test_text_facts.c: checks the reports about rows, and about fields that cannot be read.
 * (semantics:6.3, semantics:6.4) */
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/inspect.h>
#include <string.h>

static const char file[] = "1\ta\nx\t\"b\n2\ty:z\nq\t\xFF\n\xFF\t\xFE\n5\t\"c\"d\ny\n7\tg\tz\n";

static dv_view *open_text(const char *options, const char *text)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = dvt_text_open(options, text, strlen(text), NULL, &err);
    cr_assert_not_null(view, "%s", err.message);
    return view;
}

#define NOT_UTF8                                                                                   \
    "column \"B\": 2 rows have bytes that are not UTF-8 and read as U+FFFD (perhaps option "       \
    "encoding=windows-1252 reads them): in row 3, in row 4"

Test(text_facts, count_rows_and_faults)
{
    static const char *const warnings[] = {
        "column \"A\": 4 fields are no value of I4: \"x\" in row 1, \"q\" in row 3, \"\\xFF\" in "
        "row 4, "
        "...",
        "2 lines have errors in quotes or sparse items: in row 1, in row 5", NOT_UTF8,
        "column \"B\": 1 line is too short: in row 6",
        "1 line has more fields than columns: \"z\" in row 7"};
    dv_facts *facts;
    dv_view *view = open_text("col=A:I4:0 col=B:TX:1", file);
    cr_expect_eq(dv_view_rows(view), DV_ROWS_UNKNOWN);
    cr_assert_eq(dv_inspect(&facts, view, NULL), DV_OK);
    cr_expect_eq(facts->rows, 8);
    cr_expect_eq(dv_view_rows(view), 8);
    cr_expect_eq(facts->file_nbytes, (int64_t)sizeof file - 1);
    cr_assert_eq(facts->warnings, 5);
    for (int i = 0; i < 5; i++)
        cr_expect_str_eq(facts->warning[i], warnings[i]);
    dv_facts_free(&facts);
    dv_view_release(&view);
}

/* Regression: rows after rows=N are not read, and the number of rows is N then, which cursors did
 * not report. */
Test(text_facts, rows_that_are_not_wanted_do_not_count)
{
    dvt_lines lines = {0};
    dv_facts *facts;
    dv_view *view = open_text("rows=1 col=A:I4:0", file);
    cr_expect_eq(dvt_text_rows(&lines, view, NULL, NULL), DV_END);
    cr_expect_str_eq(lines.data, "1\n");
    cr_expect_eq(dv_view_rows(view), 1);
    cr_assert_eq(dv_inspect(&facts, view, NULL), DV_OK);
    cr_expect_eq(facts->rows, 1);
    cr_expect_eq(facts->warnings, 0);
    dv_facts_free(&facts);
    dv_view_release(&view);
    dvt_lines_free(&lines);
}

typedef struct found {
    int count, most;
    int64_t offset[8];
    dv_status status[8];
    char message[8][400];
} found;

static bool note(void *ctx, const dv_error *what)
{
    found *f = ctx;
    if (f->count < 8) {
        f->offset[f->count] = what->offset;
        f->status[f->count] = what->status;
        strncpy(f->message[f->count], what->message, sizeof f->message[0] - 1);
    }
    return ++f->count != f->most;
}

static dv_status verify(dv_view *view, found *f)
{
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = note;
    options.ctx = f;
    return dv_verify(view, &options, NULL);
}

/* One finding for each column and kind of fault, at the first line that has it. */
Test(text_facts, verification_sums_up_by_column)
{
    static const int64_t offsets[] = {4, 4, 15, 30, 32};
    found f = {0};
    dv_view *view = open_text("col=A:I4:0 col=B:TX:1", file);
    cr_expect_eq(verify(view, &f), DV_OK);
    cr_assert_eq(f.count, 5);
    for (int i = 0; i < 5; i++) {
        cr_expect_eq(f.offset[i], offsets[i], "%d: %d", i, (int)f.offset[i]);
        cr_expect_eq(f.status[i], DV_OK);
    }
    cr_expect_str_eq(f.message[0],
                     "input: offset 4: column \"A\": 4 fields are no value of I4: \"x\" in row 1, "
                     "\"q\" in row 3, \"\\xFF\" in row 4, ... (semantics:6.4)");
    dv_view_release(&view);
}

/* `verify` called a file sound that `convert` and `cat` refused with the same options: fields that
 * strict cursors refuse were warnings.  Now there is a defect exactly if cursors fail. */
Test(text_facts, defects_are_where_cursors_fail)
{
    static const char *const files[] = {"1,2\n3,4\n",    "1,2\nx,3\n",   "1,2\n5\n",
                                        "1,2\n3,4,5\n",  "1,2\n\"3,4\n", "1,\xff\n",
                                        "1,2\nx\n3,4\n", "1,2\nx,3,,\n"};
    static const char *const ways[] = {"sep=, strict- col=A:I4:0 col=B:TX:1",
                                       "sep=, strict+ col=A:I4:0 col=B:TX:1",
                                       "sep=, csv+ strict+ col=A:I4:0 col=B:TX:1"};
    for (int i = 0; i < 8 * 3 * 4; i++) {
        found f = {0};
        dv_error err = DV_ERROR_INIT;
        const char *const text = files[i % 8];
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        options.format = "text";
        options.text = ways[i / 8 % 3];
        options.bad_fields = (dv_bad_fields)(i / 24);
        dv_view *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        cr_assert_eq(dv_open_memory(&view, text, strlen(text), NULL, NULL, "f", &options, &err),
                     DV_OK, "%s", err.message);
        cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK);
        dv_status status;
        while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
            ;
        dv_cursor_close(&cursor);
        cr_expect_eq(verify(view, &f), DV_OK);
        bool has_defect = false;
        for (int k = 0; k < f.count; k++)
            has_defect = has_defect || f.status[k] != DV_OK;
        cr_expect_eq(has_defect, status < 0, "%s: %s, bad_fields %d: %s", text, options.text,
                     (int)options.bad_fields, err.message);
        dv_view_release(&view);
    }
}

/* Regression: a callback that stopped was taken for the end of the file. */
Test(text_facts, verification_stops_on_request)
{
    found f = {.most = 2};
    dv_view *view = open_text("col=A:I4:0 col=B:TX:1", file);
    cr_expect_eq(verify(view, &f), DV_END);
    cr_expect_eq(f.count, 2);
    dv_view_release(&view);
}

Test(text_facts, a_file_that_ends_in_quotes_is_a_defect)
{
    found f = {0};
    dv_facts *facts;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = open_text("multilines+ col=A:TX:0", "a\n\"b\nc\n");
    cr_expect_eq(verify(view, &f), DV_OK);
    cr_expect_eq(f.count, 1);
    cr_expect_eq(f.status[0], DV_ERR_CORRUPT);
    cr_expect_eq(f.offset[0], 2);
    cr_expect_eq(dv_inspect(&facts, view, &err), DV_ERR_CORRUPT);
    cr_expect_eq(err.offset, 2);
    dv_view_release(&view);
}

Test(text_facts, options_that_are_ignored_are_a_warning)
{
    dv_facts *facts;
    dv_view *view = open_text("sep=tab", "#@ Text{ col=A:TX:0 }\n1\t2\n");
    cr_assert_eq(dv_inspect(&facts, view, NULL), DV_OK);
    cr_assert_eq(facts->warnings, 1);
    cr_expect(strstr(facts->warning[0], "are ignored"));
    dv_facts_free(&facts);
    dv_view_release(&view);
}
