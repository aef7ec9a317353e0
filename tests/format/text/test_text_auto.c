/* SPDX-License-Identifier: MIT */
/* test_text_auto.c: text opens by itself, as its proposal says. */
#include "support/file.h"
#include "support/identities.h"
#include "support/pipe.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/inspect.h>
#include <dataview/schema.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define RULES " sparse- comment=none defaults- strict+ csv+"

static dv_view *open_text(const char *options, const char *file, dv_error *err)
{
    return dvt_text_open(options, file, strlen(file), NULL, err);
}

/* The view's rows to the end, or up to the error in *err. */
static void expect_view(dv_view *view, dv_status wanted_status, const char *wanted, dv_error *err)
{
    dvt_lines lines = {0};
    cr_assert_not_null(view, "%s", err->message);
    cr_expect_eq(dvt_text_rows(&lines, view, NULL, err), wanted_status, "%s", err->message);
    cr_expect_str_eq(lines.data ? lines.data : "", wanted);
    dvt_lines_free(&lines);
}

static void expect_rows(const char *options, const char *file, const char *wanted)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = open_text(options, file, &err);
    expect_view(view, DV_END, wanted, &err);
    dv_view_release(&view);
}

/* --- Without options --- */

static const char people[] = "id,name,score\n1,Ann,0.5\n2,\"B, C\",NA\n3,,7\n";
#define PEOPLE "1 \"Ann\" 0.5\n2 \"B, C\" NA\n3 null 7\n"

Test(text_auto, opens_by_itself)
{
    static const char *const asked[] = {NULL, "auto", " AUTO+", "auto # as found"};
    for (size_t i = 0; i < COUNT(asked); i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = open_text(asked[i], people, &err);
        expect_view(view, DV_END, PEOPLE, &err);
        cr_expect_str_eq(dv_view_proposal(view),
                         "sep=comma" RULES " header+ col=id:I8:0 col=name:TX:1 col=score:R8:2");
        dv_view_release(&view);
    }
}

Test(text_auto, mlnet_keeps_its_default)
{
    static const char *const asked[] = {"", "mlnet", " MLNET ", "mlnet+", "mlnet threads-"};
    for (size_t i = 0; i < COUNT(asked); i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = open_text(asked[i], "1\t2\t3\n// no row\n4\t5\n", &err);
        cr_expect_null(view); /* the lines differ */
        dv_view_release(&view);
        view = open_text(asked[i], "1\t2\t3\n// no row\n4\t?\t6\n", &err);
        expect_view(view, DV_END, "1 [2,3]\n4 [NA,6]\n", &err);
        cr_expect_null(dv_view_proposal(view));
        dv_view_release(&view);
    }
    expect_rows("mlnet sep=comma col=a:TX:0", "x,1\n", "\"x\"\n");
}

Test(text_auto, a_file_that_says_itself)
{
    static const char file[] = "#@ TextLoader{\n#@ sep=comma col=A:TX:1\n#@ }\n1,x\n";
    static const char *const refused[][2] = {{"auto sep=;", "option sep: the file says itself"},
                                             {"auto header+", "option header: "},
                                             {"auto type=A:TX", "option type: "},
                                             {"auto narrow+", "option narrow: "}};
    expect_rows(NULL, file, "\"x\"\n");
    expect_rows("auto", file, "\"x\"\n");
    expect_rows("auto rows=0", file, "");
    for (size_t i = 0; i < COUNT(refused); i++) {
        dv_error err = DV_ERROR_INIT;
        cr_expect_null(open_text(refused[i][0], file, &err));
        cr_expect_eq(err.status, DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, refused[i][1]), "%s", err.message);
    }
}

/* A string that was proposed is all that a view depends on. */
Test(text_auto, the_proposal_is_the_identity)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *found = open_text(NULL, people, &err), *given, *other;
    cr_assert_not_null(found);
    given = open_text(dv_view_proposal(found), people, &err);
    other = open_text("auto type=id:TX", people, &err);
    cr_assert(given && other, "%s", err.message);
    expect_view(given, DV_END, PEOPLE, &err);
    cr_expect_null(dv_view_proposal(given));
    const dv_u128 a = dvt_identity_of(found), b = dvt_identity_of(given);
    const dv_u128 c = dvt_identity_of(other);
    cr_expect(dvt_identity_same(a, b));
    cr_expect_not(dvt_identity_same(a, c));
}

Test(text_auto, tables_without_rows)
{
    expect_rows(NULL, "a,b\n", "");
    expect_rows(NULL, "name", "");
    expect_rows("auto header-", "a,b\n", "\"a\" \"b\"\n");
    dv_error err = DV_ERROR_INIT;
    cr_expect_null(open_text(NULL, "\n\n", &err));
    cr_expect_eq(err.status, DV_ERR_CORRUPT, "%s", err.message);
}

/* 10,000 columns once needed a string to be pasted. */
Test(text_auto, ten_thousand_columns)
{
    enum { COLUMNS = 10000, ROWS = 3 };
    dvt_lines file = {0};
    dv_error err = DV_ERROR_INIT;
    for (int row = -1; row < ROWS; row++)
        for (int i = 0; i < COLUMNS; i++)
            dvt_lines_print(&file, "%s%d%s", row < 0 ? "x" : "", row < 0 ? i : i % 7,
                            i + 1 < COLUMNS ? "," : "\n");
    dv_view *view = dvt_text_open(NULL, file.data, file.nbytes, NULL, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_expect_eq(dv_schema_columns(dv_view_schema(view)), COLUMNS);
    cr_expect(dv_schema_column(dv_view_schema(view), 9999)->type.kind == DV_KIND_I8);
    dv_view_release(&view);
    dvt_lines_free(&file);
}

/* --- The rules of a proposal --- */

static const struct {
    const char *options, *file, *rows;
} rules[] = {
    /* rows that begin as comments do in ML.NET */
    {NULL, "k,v\n//x,1\n#y,2\n", "\"//x\" 1\n\"#y\" 2\n"},
    {"auto comment=//", "k,v\n//x,1\n#y,2\n", "\"#y\" 2\n"},
    {"auto comment=#", "#no\nk,v\nx,1\n#y,2\n", "\"x\" 1\n"},
    {"auto comment=mlnet", "#no\nk,v\n#x,1\n//y,2\n", "\"#x\" 1\n"},
    {"comment=# col=a:I8:0", "#no\n1\n#2\n3\n", "1\n3\n"},
    {"skip=2 col=a:I8:0", "x\ny\n1\n", "1\n"},
    /* lines that are too short */
    {NULL, "a,b,c,d\n1,x,true,0.5\n2\n", "1 \"x\" 1 0.5\n2 null NA NA\n"},
    {"auto defaults+", "a,b,c,d\n1,x,true,0.5\n2\n", "1 \"x\" 1 0.5\n2 \"\" 0 0\n"},
    {"auto pack+", "a,b,c,d\n1,2,x,4\n2\n", "[1,2] \"x\" 4\n[2,NA] null NA\n"},
    /* nothing in quotes is no number, but a text */
    {NULL, "a,b\n1,x\n\"\",\"\"\n\" \",\" \"\n", "1 \"x\"\nNA \"\"\nNA \" \"\n"},
    /* words for missing values, in texts only if they are named */
    {NULL, "a,b\n1,null\nnull,x\nNA,NA\n", "1 \"null\"\nNA \"x\"\nNA \"NA\"\n"},
    {"auto missing=[NA -1]", "a,b\n-1,NA\n2,x\n", "NA null\n2 \"x\"\n"},
    {"auto missing=NA", "a,b\n1,NA\n2,x\n", "1 null\n2 \"x\"\n"},
    {"missing={[x y]} sep=comma col=a:TX:0 col=b:BL:1", "x,1\ny,x\nz,0\n",
     "null 1\nnull NA\n\"z\" 0\n"},
    /* no item is sparse, no sign and no zero is lost */
    {NULL, "a,b,c\n3:4,+1,007\n5:6,+2,012\n", "\"3:4\" \"+1\" \"007\"\n\"5:6\" \"+2\" \"012\"\n"},
    /* separators beyond ASCII; commas */
    {"sep=\xC2\xA7 col=a:I8:0 col=b:TX:1", "1\xC2\xA7x y\n2\xC2\xA7\"\xC2\xA7\"\n",
     "1 \"x y\"\n2 \"\xC2\xA7\"\n"},
    {"sep=\xE2\x82\xAC,; col=a:I8:0 col=b:TX:1 col=c:TX:2", "1\xE2\x82\xACx;y\n",
     "1 \"x\" \"y\"\n"},
    {"sep=\xC2\xA7 multilines+ col=a:I8:0 col=b:TX:1", "1\xC2\xA7\"x\ny\"\n", "1 \"x\\u000ay\"\n"},
    {"sep=,,, col=a:I8:0 col=b:TX:1", "1,x\n", "1 \"x\"\n"},
};

Test(text_auto, rules)
{
    for (size_t i = 0; i < COUNT(rules); i++)
        expect_rows(rules[i].options, rules[i].file, rules[i].rows);
}

Test(text_auto, separators_that_are_refused)
{
    static const char *const refused[] = {"sep=\xC2\x85", "sep=\xFF\xFE", "sep=\xC2\xA7\xC2\xA7",
                                          "sep=\xC2\xA7,\xC2\xA8,\xC2\xA9,\xC2\xAA,\xC2\xAB"};
    for (size_t i = 0; i < COUNT(refused); i++) {
        dv_error err = DV_ERROR_INIT;
        cr_expect_null(open_text(refused[i], "1\n", &err), "%s", refused[i]);
        cr_expect_eq(err.status, DV_ERR_ARGUMENT, "%s", refused[i]);
    }
}

/* --- What would be lost is an error --- */

static const struct {
    const char *options, *file, *rows, *message;
} lost[] = {
    {"strict+ sep=comma col=a:I8:0 col=b:R8:1", "1,2\n3,x\n5,6\n", "1 2\n",
     "row 1: column \"b\": field: expected R8, or type=b:TX, or strict-, found \"x\""},
    {"strict+ sep=comma col=a:U8:0 col=b:R8:1", "1,2\n,3\n", "1 2\n",
     "row 1: column \"a\": field: expected U8, which has no NA, or type=a:TX, or strict-, "
     "found a blank"},
    {"strict+ sep=comma col=a:I8:0", "1\n2,,\n3,x\n", "1\n2\n",
     "row 2: line: expected at most 1 field, or strict-, found one more, \"x\""},
    {"strict+ sep=comma col=a:TX:0 col=b:TX:1", "1,2\n\"x\"y,3\n", "\"1\" \"2\"\n",
     "row 1: line: expected complete quotes and sparse items, or strict-, found"},
    {"strict+ sep=comma col=a:TX:0 col=b:TX:1", "1,2\n\"x,3\n", "\"1\" \"2\"\n",
     "row 1: line: expected complete quotes"},
    {"strict+ sep=comma col=a:DT:0", "2020-01-01\nsoon\n", "2020-01-01T00:00:00.0000000\n",
     "row 1: column \"a\": field: expected DT, or type=a:TX, or strict-, found \"soon\""},
    {"strict+ sep=comma col=v:I8:0-1", "1,2\n3,x\n", "[1,2]\n", "row 1: column \"v\""},
    {"strict+ sep=comma col=v:I8:0-**", "1,2\n3,x\n", "[1,2]\n", "row 1: column \"v\""},
};

Test(text_auto, nothing_is_lost_in_silence)
{
    for (size_t i = 0; i < COUNT(lost); i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = open_text(lost[i].options, lost[i].file, &err);
        expect_view(view, DV_ERR_CORRUPT, lost[i].rows, &err);
        cr_expect(strstr(err.message, lost[i].message), "%s", err.message);
        cr_expect_str_eq(err.rule, "semantics:6.4");
        dv_view_release(&view);
    }
}

/* In a large file the rows before the fault are read by the fast path, by several threads; the row
 * is exact all the same. */
Test(text_auto, the_row_of_a_fault_in_a_large_file)
{
    enum { ROWS = 200000, BAD = 123457 };
    dvt_lines file = {0};
    for (int i = 0; i < ROWS; i++)
        dvt_lines_print(&file, i == BAD ? "%d,x\n" : "%d,2.5\n", i);
    for (int threads = 1; threads <= 4; threads += 3) {
        dv_error err = DV_ERROR_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_cursor *cursor;
        const dv_batch *batch;
        int64_t rows = 0;
        dv_status status;
        options.threads = threads;
        dv_view *view = dvt_text_open("strict+ sep=comma piece=65536 col=a:I8:0 col=b:R8:1",
                                      file.data, file.nbytes, NULL, &err);
        cr_assert_not_null(view, "%s", err.message);
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
        while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
            rows += batch->rows;
        cr_expect_eq(status, DV_ERR_CORRUPT);
        cr_expect_eq(rows, BAD);
        cr_expect(strstr(err.message, "row 123457: column \"b\""), "%s", err.message);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
    }
    dvt_lines_free(&file);
}

/* Who allows the loss has the rows, whatever was found. */
Test(text_auto, faults_can_be_allowed)
{
    static const char file[] = "1,2\n3,x\n5\n";
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.bad_fields = DV_BAD_FIELDS_ALLOW;
    dv_view *view = dvt_text_open("strict+ defaults- sep=comma col=a:I8:0 col=b:R8:1", file,
                                  sizeof file - 1, &how, &err);
    expect_view(view, DV_END, "1 2\n3 NA\n5 NA\n", &err);
    dv_view_release(&view);
}

/* The facts count faults, and do not end at the first. */
Test(text_auto, facts_count_what_is_lost)
{
    dv_error err = DV_ERROR_INIT;
    dv_facts *facts = NULL;
    dv_view *view = open_text("strict+ defaults- sep=comma col=a:I8:0 col=b:R8:1",
                              "1,2\nx,2\n3\n4,\xFF\n", &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK, "%s", err.message);
    cr_expect_eq(facts->rows, 4);
    cr_assert_eq(facts->warnings, 3);
    cr_expect_str_eq(facts->warning[0], "column \"a\": 1 field is no value of I8: \"x\" in row 1");
    cr_expect_str_eq(facts->warning[1], "column \"b\": 1 line is too short: in row 2");
    cr_expect(strstr(facts->warning[2], "column \"b\": 1 field is no value of R8: "));
    dv_facts_free(&facts);
    dv_view_release(&view);
}

/* --- Several files, pipes --- */

static dv_status open_two(dv_view **view_out, const char *options, const char *first,
                          const char *second, dv_error *err)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path a = dvt_path_in(&folder, "a.csv"), b = dvt_path_in(&folder, "b.csv");
    const char *const paths[] = {a.text, b.text};
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.text = options;
    dvt_file_write(&a, first, strlen(first));
    dvt_file_write(&b, second, strlen(second));
    const dv_status status = dv_open_many(view_out, paths, 2, &how, err);
    if (status == DV_OK && (!options || strncmp(options, "auto", 4) == 0))
        cr_expect_not_null(dv_view_proposal(*view_out));
    dvt_folder_remove(&folder);
    return status;
}

static const struct {
    const char *first, *second, *rows, *message;
} pairs[] = {
    {"a,b\n1,x\n", "a,b\n2,y\n", "1 \"x\"\n2 \"y\"\n", NULL},
    {"a,b\n1,x\n", "a,b\n", "1 \"x\"\n", NULL},
    {"", "a,b\n1,x\n", "1 \"x\"\n", NULL},
    {"a,b\n1,x\n", "a,c\n2,y\n", NULL,
     "b.csv: offset 0: column \"b\": header: expected \"b\" (option match=union: NA), found no "
     "such name"},
    {"a,b\n1,x\n", "b,a\ny,2\n", "1 \"x\"\n2 \"y\"\n", NULL},
    {"a,b\n", "b,a\nx,1\n", "\"x\" 1\n", NULL},
    {"a,b\n1,\n", "a,b\n2,1.5\n", "1 NA\n2 1.5\n", NULL},
    {"a,b\n1,2\n", "a,b\n2,1.5\n", "1 2\n2 1.5\n", NULL},
    {"x\n1\n", "x\ny\n", "\"1\"\n\"y\"\n", NULL},
    {"1,2\n3,4\n", "5,6.5\n", "1 2\n3 4\n5 6.5\n", NULL},
    {"a,b\n1,x\n", "3;4\n", NULL, "b.csv: offset 0: column \"a\": header: expected"},
    {"a,b\n1,x\n", "a,b,c\n2,y,z\n", NULL,
     "b.csv: offset 0: column \"c\": header: expected a name of the first file (option "
     "match=union: any), found \"c\""},
    {"1,2\n3,4\n", "5\n", NULL, "expected 2 fields as in the first file, found 1"},
};

Test(text_auto, several_files_have_one_proposal)
{
    for (size_t i = 0; i < COUNT(pairs); i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = NULL;
        const dv_status status = open_two(&view, NULL, pairs[i].first, pairs[i].second, &err);
        if (pairs[i].rows)
            expect_view(view, DV_END, pairs[i].rows, &err);
        else
            cr_expect_eq(status, DV_ERR_CORRUPT);
        cr_expect(!pairs[i].message || strstr(err.message, pairs[i].message), "%s", err.message);
        dv_view_release(&view);
    }
}

/* A field of the first file, because of which a column is text, is said to be in no other. */
Test(text_auto, an_odd_field_is_one_of_its_file)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dv_facts *facts;
    cr_assert_eq(open_two(&view, NULL, "a,b\n1,1\n2,2\n3,3\nodd,4\n", "a,b\n5,5\n", &err), DV_OK,
                 "%s", err.message);
    cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK, "%s", err.message);
    cr_assert_eq(facts->warnings, 1);
    cr_expect(strstr(facts->warning[0], "a.csv: column \"a\" is TX, not I8, because of \"odd\""),
              "%s", facts->warning[0]);
    dv_facts_free(&facts);
    dv_view_release(&view);
}

/* With match=union the table has the columns of all files.  The string that was found does too. */
Test(text_auto, a_column_that_a_file_lacks)
{
    static const char *const strings[] = {
        "auto match=union",
        "match=union sep=comma sparse- comment=none defaults- strict+ csv+ header+ col=a:I8:0 "
        "col=b:TX:1 col=c:R8:2"};
    for (size_t i = 0; i < COUNT(strings); i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = NULL;
        cr_assert_eq(open_two(&view, strings[i], "a,b\n1,x\n", "c,a\n1.5,2\n", &err), DV_OK, "%s",
                     err.message);
        expect_view(view, DV_END, "1 \"x\" NA\n2 null 1.5\n", &err);
        cr_expect_str_eq(dv_view_proposal(view) ? dv_view_proposal(view) : strings[1], strings[1]);
        dv_view_release(&view);
    }
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    cr_expect_eq(open_two(&view, strings[1], "a,b\n1,x\n", "c,a,d\n1.5,2,3\n", &err),
                 DV_ERR_CORRUPT);
    cr_expect(strstr(err.message, "expected the name of a column, found \"d\""), "%s", err.message);
    cr_expect_eq(open_two(&view, "match=name header+ sep=comma col=a:R4:0-*", "a,b\n1,2\n",
                          "a,a,b\n1,2,3\n", &err),
                 DV_ERR_CORRUPT, "%s", err.message);
    cr_expect_eq(open_two(&view, "match=name header+ sep=comma col=a:R4:0-9", "a,b\n1,2\n",
                          "b,a\n1,2\n", &err),
                 DV_ERR_ARGUMENT, "%s", err.message);
}

/* A value of the second file that its column does not hold is an error with file, row, column. */
Test(text_auto, a_second_file_with_other_types)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    cr_assert_eq(open_two(&view, "auto type=a:I8", "a,b\n1,x\n", "a,b\nz,y\n", &err), DV_OK);
    expect_view(view, DV_ERR_CORRUPT, "1 \"x\"\n", &err);
    cr_expect(strstr(err.message, "b.csv: row 0: column \"a\": field: expected I8, or "
                                  "type=a:TX, or strict-, found \"z\""),
              "%s", err.message);
    dv_view_release(&view);
}

Test(text_auto, a_pipe_is_proposed_from_its_beginning)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dvt_pipe pipe = dvt_pipe_of(people, sizeof people - 1, 7);
    cr_assert_eq(dv_open(&view, pipe.path, NULL, &err), DV_OK, "%s", err.message);
    expect_view(view, DV_END, PEOPLE, &err);
    cr_expect_not_null(dv_view_proposal(view));
    dv_view_release(&view);
    dvt_pipe_close(&pipe);
}

/* A view of a view has the proposal of its source. */
Test(text_auto, views_of_views)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = open_text(NULL, people, &err), *two = NULL;
    cr_assert_eq(dv_view_slice(&two, view, 1, 1, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(dv_view_proposal(two), dv_view_proposal(view));
    dv_view_release(&view);
    dv_view_release(&two);
}
