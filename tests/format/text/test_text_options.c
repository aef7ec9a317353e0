/* SPDX-License-Identifier: MIT */
/* test_text_options.c: checks which option strings are accepted, and how others are refused.
 * (semantics:6.1 to semantics:6.3) */
#include "support/test.h"
#include "support/text_table.h"
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- Refused --- */

/* Options, and words of the message. */
static const char *const refused[][2] = {
    {"wat=1", "unknown option wat"},
    {"piece=x", "a number of bytes from 0 to 2^31-1"},
    {"piece=-1", "a number of bytes from 0 to 2^31-1"},
    {"=1", "no name=value at byte 0"},
    {"{a}", "no name=value at byte 0"},
    {"quote+ \"x\"", "no name=value at byte 7"},
    {"header+x", "something after + at byte 6"},
    {"hf={x", "a { at byte 3 stays open"},
    {"hf=\"x", "a \" at byte 3 stays open"},
    {"hf=a{b", "{ at byte 4: put the value in braces"},
    {"quote+ quote-", "option quote is given twice"},
    {"sep=tab Separator=tab", "option Separator is given twice"},
    {"header=true", "option header is a flag: header+ or header-"},
    {"threads=3", "option threads is a flag"},
    {"size", "option size needs a value: size=..."},
    {"sep+", "option sep needs a value"},
    {"size=-1", "a number from 0 to 2^31-1, not \"-1\""},
    {"size=", "a number from 0 to 2^31-1"},
    {"size=2147483648", "a number from 0 to 2^31-1"},
    {"rows=-1", "a number of rows, not negative"},
    {"rows=x", "a number of rows, not negative"},
    {"sep=xy", "one character, several signs such as ||, or tab space blanks comma semicolon "
               "bar colon, not \"xy\""},
    {"sep=", "one character, several signs"},
    {"sep=5", "use characters other than digits, quotes and line ends"},
    {"sep={\\\"}", "digits, quotes and line ends"},
    {"sep={\x1A}", "digits, quotes and line ends"},
    {"sep=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", "at most 16 separators"},
    {"escapechar=ab", "one ASCII character"},
    {"quotechar=ab", "one ASCII sign, such as '"},
    {"quotechar=a", "one ASCII sign, such as '"},
    {"quotechar=7", "one ASCII sign, such as '"},
    {"quotechar=-", "one ASCII sign, such as '"},
    {"quotechar=, sep=comma", "one ASCII sign, such as '"},
    {"quotechar=; sep=semicolon", "quotechar is a separator"},
    {"escapechar=,  sep=comma", "escapechar is a separator"},
    {"decimal=;", "a point or a comma"},
    {"decimal=, sep=comma quote-", "decimal=, with a comma as separator needs quote+"},
    {"sep=colon", "a colon as separator needs sparse-"},
    {"blank=nothing", "na or empty"},
    {"keysyntax=other", "count or seed"},
    {"hf={}", "the name of a file"},
    {"col+", "option col needs a value"},
    {"col=A", "name:ranges or name:type:ranges"},
    {"col=A:R4:0:1", "name:ranges or name:type:ranges"},
    {"col=:0", "a column needs a name"},
    {"col={name=A}", "a column needs source columns"},
    {"col={name=A src+}", "name=, type=, src= and key= need values"},
    {"col={name=A wat=1}", "unknown word: use name=, type=, src= and key="},
    {"col=A::0", "unknown type: use I1 to I8"},
    {"col=A:R5:0", "unknown type: use I1 to I8"},
    {"col=A:0:0", "unknown type: use I1 to I8"},
    {"col=A:R4[5]:0", "only U1, U2, U4 and U8 can be keys"},
    {"col=A:U4[5:0", "] is missing"},
    {"col=A:U1[0]:0", "a count of keys is 1 to the largest of the kind"},
    {"col=A:U1[256]:0", "a count of keys is 1 to the largest of the kind"},
    {"col=A:U1[x]:0", "invalid range of keys"},
    {"col=A:U1[5-4]:0", "invalid range of keys"},
    {"col=A:U1[0-18446744073709551615]:0", "invalid range of keys"},
    {"keysyntax=seed col=A:R4[5]:0", "not a key type, such as U4[0-9]"},
    {"col=A:x", "invalid range: use n, a-b, a-*, a-**, ~"},
    {"col=A:-3", "invalid range"},
    {"col=A:1-x", "invalid range"},
    {"col=A:0,", "invalid range"},
    {"col=A:2147483647", "invalid range"},
    {"col=A:4-3", "a range ends before its start"},
    {"col={name=A src={min=4 max=3}}", "a range ends before its start"},
    {"col={name=A src={max=3}}", "src needs min"},
    {"col={name=A src={min=1 max=3 var+}}", "src needs min, and max or var+ at most"},
    {"col={name=A src={min=1 var=1}}", "unknown word in src: use min, max and var+"},
    {"col={name=A src={min=1 wat=1}}", "unknown word in src: use min, max and var+"},
    {"col=A:0-3,2", "column \"A\": its ranges overlap"},
    {"col=A:0~3 col=B:4~5", "~ may be used only once"},
    {"col=A:3-*", "it begins after the last source column"},
    {"col=A:0-1 col=B:0~1", "no source column is left for it"},
    {"col=A:0-2147483645,2147483646,0-**", "its ranges overlap"},
};

Test(text_options, says_what_is_wrong)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = dvt_text_open(refused[i][0], "1\t2\n", 4, NULL, &err);
        cr_expect_null(view, "%s", refused[i][0]);
        cr_expect_eq(err.status, DV_ERR_ARGUMENT, "%s: %s", refused[i][0], err.message);
        cr_expect(strstr(err.message, refused[i][1]), "%s: %s", refused[i][0], err.message);
        dv_view_release(&view);
    }
}

/* The same options inside a file are the file's fault. */
Test(text_options, are_corrupt_inside_a_file)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        char file[512];
        dv_error err = DV_ERROR_INIT;
        const int n =
            snprintf(file, sizeof file, "#@ TextLoader{\n#@ %s\n#@ }\n1\t2\n", refused[i][0]);
        dv_view *view = dvt_text_open("", file, (size_t)n, NULL, &err);
        cr_expect_null(view, "%s", refused[i][0]);
        cr_expect_eq(err.status, DV_ERR_CORRUPT, "%s: %s", refused[i][0], err.message);
        cr_expect_str_eq(err.rule, "semantics:6.3");
        dv_view_release(&view);
    }
}

/* --- Read --- */

/* Options, a file, its rows. */
static const char *const read[][3] = {
    {"", "1\t2\t3\n", "1 [2,3]\n"},
    {"allowquoting- col=A:TX:0", "\"a\"\n", "\"\\u0022a\\u0022\"\n"},
    {"AllowSparse- col=A:TX:0", "1:2\n", "\"1:2\"\n"},
    {"TrimWhitespace col=A:TX:0", "a  \n", "\"a\"\n"},
    {"hasheader=+ col=A:0", "x\n1\n", "1\n"},
    {"readmultilines+ col=A:TX:0", "\"a\n\nb\"\n", "\"a\\u000a\\u000ab\"\n"},
    {"missingrealsasnans col=A:0-1", "1\t\n", "[1,NA]\n"},
    {"inputsize=2 sparse- col=A:0-**", "1\t2\t3\n4\n", "[1,2]\n[4]\n"},
    {"inputsize=2 col=A:0-**", "1\t2\t3\t4\n5\n",
     "[1,2,3]\n{2 0:5}\n"}, /* ML.NET's, with sparse+ */
    {"size=1 col=A:0-** col=B:0", "1\t2\t3\n", "[1,2] 1\n"},
    {"size=1 sparse- missingrealnan col=A:0-2", "1\t2\t3\n", "[1,NA,NA]\n"},
    {"size=4 missingrealnan col=A:1-**", "1\t2\n", "[2,NA,NA]\n"},
    {"separator=comma,BAR col=A:0-2", "1,2|3\n", "[1,2,3]\n"},
    {"sep=, col=A:0-1", "1,2\n", "[1,2]\n"},
    {"sep=X col=A:0-1", "1x2\n", "[1,2]\n"},
    {"maxrows=1 col=A:0", "1\n2\n", "1\n"},
    {"quotechar=' sep=comma col=A:TX:0 col=B:I4:1", "'it''s, \"so\"',1\n\"x,2\n'u',3\n",
     "\"it's, \\u0022so\\u0022\" 1\n\"\\u0022x\" 2\n\"u\" 3\n"},
    {"quotecharacter=| escapechar=\\ sep=comma col=A:TX:0", "|a\\|,|\n", "\"a|,\"\n"},
    {"escapecharacter=\\ col=A:TX:0", "\"a\\\"\\b\"\n", "\"a\\u0022\\u005cb\"\n"},
    {"decimalmarker=, col=A:0", "1,5\n", "1.5\n"},
    {"blank=empty col=A:TX:0 col=B:TX:1", "\tb\n", "\"\" \"b\"\n"},
    {"blank=na quote- col=A:TX:0 col=B:TX:1", "\tb\n", "null \"b\"\n"},
    {"usethreads- col=A:0", "1\n", "1\n"},
    {"column=A:I4:0", "7\n", "7\n"},
    {"col={name=A type=I4 src=1,0}", "7\t8\n", "[8,7]\n"},
    {"col={name={a b} type=I4 source={min=1}}", "7\t8\n", "8\n"},
    {"col={name=\\\"a b\\\" type=I4 src={min=0 max=1}}", "7\t8\n", "[7,8]\n"},
    {"col={name=A type=I4 src={min=1 var+}}", "7\t8\t9\n", "[8,9]\n"},
    {"col=A:~ col=B:1", "7\t8\t9\n", "[7,9] 8\n"},
    {"col=A:1,2~ col=B:2-*", "7\t8\t9\n", "8 [9]\n"}, /* nothing is left, so a value; */
    {"col=A:1-1,2~ col=B:2", "7\t8\t9\n", "[8] 9\n"}, /* a range makes a vector even so */
    {"col=A:0,2~** col=B:1-**", "7\t8\t9\n", "7 [8,9]\n"},
    {"col=A:0~1 col=B:3", "5\t6\t7\t8\n", "[5,6,7] 8\n"}, /* ML.NET's: up to the next range */
    {"col=A:TX:0 # col=B:1", "7\n", "\"7\"\n"},
};

Test(text_options, are_understood)
{
    for (size_t i = 0; i < COUNT(read); i++) {
        dv_error err = DV_ERROR_INIT;
        dvt_lines lines = {0};
        dv_view *view = dvt_text_open(read[i][0], read[i][1], strlen(read[i][1]), NULL, &err);
        cr_assert_not_null(view, "%s: %s", read[i][0], err.message);
        cr_expect_eq(dvt_text_rows(&lines, view, NULL, &err), DV_END, "%s", err.message);
        cr_expect_str_eq(lines.data, read[i][2], "%s: %s", read[i][0], lines.data);
        dvt_lines_free(&lines);
        dv_view_release(&view);
    }
}

Test(text_options, keys_have_counts_or_bounds)
{
    static const struct {
        const char *options;
        uint64_t min, count;
    } keys[] = {{"col=A:U1[5]:0", 0, 5},
                {"col=A:U1[]:0", 0, 255},
                {"col=A:U1[0-*]:0", 0, 255},
                {"col=A:U2[3-9]:0", 3, 7},
                {"col=A:U4[3-]:0", 3, 0},
                {"col={name=A type=U8 key=4 src=0}", 0, 4},
                {"keysyntax=seed col=A:U4[1-9]:0", 1, 9}};
    for (size_t i = 0; i < COUNT(keys); i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = dvt_text_open(keys[i].options, "1\n", 2, NULL, &err);
        cr_assert_not_null(view, "%s: %s", keys[i].options, err.message);
        const dv_type want = dv_schema_column(dv_view_schema(view), 0)->type;
        cr_expect(want.is_key && want.key_min == keys[i].min && want.key_count == keys[i].count,
                  "%s", keys[i].options);
        dv_view_release(&view);
    }
}

/* --- In the file --- */

static const char *const embedded[][3] = {
    {"", "#@ TextLoader   {\n#@\n#@ sep=comma\n#@ col=A:I4:0-1 }\n#@\n1,2\n", "[1,2]\n"},
    {"rows=1", "#@ Text{ col=A:I4:0 rows=2 }\n1\n2\n3\n", "1\n"},
    {"", "#@ Text{ col=A:I4:0 rows=2 }\n1\n2\n3\n", "1\n2\n3\n"}, /* as in ML.NET */
    {"keysyntax=seed", "#@ Text{ col=A:U4[5]:0 keysyntax=count }\n1\n", NULL},
    {"blank=empty", "#@ Text{ col=A:TX:0-1 blank=na }\n\tx\n", "{2 1:\"x\"}\n"},
};

/* Regression: spaces before the brace and empty lines after it were an error; the caller's
 * keysyntax was lost. */
Test(text_options, of_a_file_yield_to_the_callers)
{
    for (size_t i = 0; i < COUNT(embedded); i++) {
        dv_error err = DV_ERROR_INIT;
        dvt_lines lines = {0};
        dv_view *view =
            dvt_text_open(embedded[i][0], embedded[i][1], strlen(embedded[i][1]), NULL, &err);
        if (!embedded[i][2]) { /* seed: 5 is a minimum, of which there is no count */
            cr_expect(!view || dv_schema_column(dv_view_schema(view), 0)->type.key_count != 5);
            dv_view_release(&view);
            continue;
        }
        cr_assert_not_null(view, "%s", err.message);
        cr_expect_eq(dvt_text_rows(&lines, view, NULL, &err), DV_END, "%s", err.message);
        cr_expect_str_eq(lines.data, embedded[i][2], "%s", lines.data);
        dvt_lines_free(&lines);
        dv_view_release(&view);
    }
}

Test(text_options, of_a_file_that_are_none)
{
    static const char *const files[][2] = {
        {"#@ Other{ col=A:0 }\n1\n", "something else"},
        {"#@ Text{ sep=comma }\n1\n", "no column"},
        {"#@ Text{ col=A:0 } }\n1\n", "unbalanced braces"},
        {"#@ Text{ col=A:x }\n1\n", "invalid range"},
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        dv_error err = DV_ERROR_INIT;
        dv_view *view = dvt_text_open("", files[i][0], strlen(files[i][0]), NULL, &err);
        cr_expect_null(view);
        cr_expect_eq(err.status, DV_ERR_CORRUPT);
        cr_expect_str_eq(err.rule, "semantics:6.3");
        cr_expect(strstr(err.message, files[i][1]), "%s", err.message);
    }
}
