/* SPDX-License-Identifier: MIT */
/* test_text_propose.c: checks that the proposed options read a file as a person would. */
#include "format/text/propose/text_guess.h"
#include "format/text/propose/text_propose.h"
#include "support/allocator.h"
#include "support/file.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/inspect.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_status propose(dv_buffer *text_out, const char *file, size_t n,
                         const dv_allocator *allocator)
{
    dvi_map *map = NULL;
    dv_buffer notes = {0};
    *text_out = (dv_buffer){0};
    dv_status status =
        dvi_map_open_memory(&map, file, n, NULL, NULL, "input", DV_IO_PREAD, allocator, NULL);
    if (status == DV_OK)
        status = dvi_text_propose(text_out, &notes, map, NULL, NULL);
    dv_buffer_release(&notes);
    dvi_map_release(&map);
    return status;
}

/* What every proposal says of the dialect. */
#define RULES " sparse- comment=none defaults- strict+ csv+"

/* A file, and the proposed string. */
static const struct {
    const char *file, *text;
} cases[] = {
    /* separators */
    {"a,b\n1,2\n", "sep=comma" RULES " header+ col=a:I8:0 col=b:I8:1"},
    {"a\tb\n1\t2.5\n", "sep=tab" RULES " header+ col=a:I8:0 col=b:R8:1"},
    {"/,1\n#@,2\n", "sep=comma" RULES " col=C0:TX:0 col=C1:I8:1"},
    {"a;b\n1,5;2\n1;3\n", "sep=semicolon decimal=," RULES " header+ col=a:R8:0 col=b:I8:1"},
    {"1,5\t2,5\n", "sep=tab decimal=," RULES " col=C0:R8:0 col=C1:R8:1"},
    {"a\tb\n1,234\t5\n12,345\t6\n", "sep=tab" RULES " header+ col=a:TX:0 col=b:I8:1"},
    {"a;b\n1.5;2\n", "sep=semicolon" RULES " header+ col=a:R8:0 col=b:I8:1"},
    {"1|x\n2|y\n", "sep=bar" RULES " col=C0:I8:0 col=C1:TX:1"},
    {"1 2.5 3\n4 5 6\n", "sep=space" RULES " col=C0:I8:0 col=C1:R8:1 col=C2:I8:2"},
    {"2017-01-01 12:00:00,a b\n2017-01-01 12:00:01,c d\n",
     "sep=comma" RULES " col=C0:DT:0 col=C1:TX:1"},
    {"x y\nz\n", "sep=tab" RULES " col=C0:TX:0"},
    {"1\n2\n3\n", "sep=tab" RULES " col=C0:I8:0"},
    {"n\n1\n", "sep=tab" RULES " header+ col=n:I8:0"},
    {"it\"s\n\"open\n", "sep=tab quote- blank=na" RULES " col=C0:TX:0"},
    {"a,b\n\"x\" y,1\n\"z\" y,2\n\"u\" y,3\n4,4\n5,5\n6,6\n7,7\n8,8\n9,9\n4,4\n5,5\n6,6\n7,7\n"
     "8,8\n9,9\n4,4\n5,5\n6,6\n7,7\n8,8\n9,9\n4,4\n5,5\n6,6\n7,7\n8,8\n9,9\n4,4\n5,5\n6,6\n7,7\n8,"
     "8\n",
     "sep=comma quote- blank=na" RULES " header+ col=a:TX:0 col=b:I8:1"},
    {"a,b\n\"x ^\"y^\", z\",1\nk,2\n\"^\"l^\"\",3\nm,4\n",
     "sep=comma escapechar=^" RULES " header+ col=a:TX:0 col=b:I8:1"},
    {"a,b\n\"x ^\"y\",1\nk,2\n\"l\",3\n\"m\",4\n",
     "sep=comma" RULES " header+ col=a:TX:0 col=b:I8:1"},
    /* single quotes; apostrophes in texts */
    {"a,b\n'x, y','it''s'\nplain,'z'\n",
     "sep=comma quotechar='" RULES " header+ col=a:TX:0 col=b:TX:1"},
    {"a,b\n'x\\'s, y',1\nplain,2\n",
     "sep=comma escapechar=\\ quotechar='" RULES " header+ col=a:TX:0 col=b:I8:1"},
    {"a,b\n'x\ny, z',1\n'u, v',2\n",
     "sep=comma multilines+ quotechar='" RULES " header+ col=a:TX:0 col=b:I8:1"},
    {"'a' 'b'\n1 2\n3 4\n", "sep=space quotechar='" RULES " header+ col=a:I8:0 col=b:I8:1"},
    {"a,b\n'tis,1\n'twas,2\n'x',3\n", "sep=comma" RULES " header+ col=a:TX:0 col=b:I8:1"},
    {"a,b\n'x',\"y\"\n'z',\"u\"\n", "sep=comma" RULES " header+ col=a:TX:0 col=b:TX:1"},
    {"\"a\"b,1\nc,2\n\"d\"e,3\n", "sep=comma quote- blank=na" RULES " col=C0:TX:0 col=C1:I8:1"},
    /* types */
    {"yes,true\nno,FALSE\n", "sep=comma" RULES " col=C0:TX:0 col=C1:BL:1"},
    {"0,1\n1,0\n", "sep=comma" RULES " col=C0:I8:0 col=C1:I8:1"},
    {"2147483647,2147483648\n-2147483647,1\n", "sep=comma" RULES " col=C0:I8:0 col=C1:I8:1"},
    {"-9223372036854775808,9223372036854775808\n1,2\n",
     "sep=comma" RULES " col=C0:TX:0 col=C1:U8:1"},
    {"9223372036854775808,1\n,2\n", "sep=comma" RULES " col=C0:TX:0 col=C1:I8:1"},
    {"123456789012345678901,1\n5,2\n", "sep=comma" RULES " col=C0:TX:0 col=C1:I8:1"},
    {"1.5,9007199254740993\n9007199254740993,1.5\n", "sep=comma" RULES " col=C0:TX:0 col=C1:TX:1"},
    {"00501,0.5\n00502,-0\n", "sep=comma" RULES " col=C0:TX:0 col=C1:R8:1"},
    {"+1,-5\n2,6\n", "sep=comma" RULES " col=C0:TX:0 col=C1:I8:1"},
    {"1,\n,2.5\n?,NA\n", "sep=comma" RULES " col=C0:I8:0 col=C1:R8:1"},
    {"1,\n2,?\n", "sep=comma" RULES " col=C0:I8:0 col=C1:R8:1"},
    {"12:30:00,2017-01-01T02:00:00+02:00\n23:00:00,2017-01-02T00:00:00+00:00\n",
     "sep=comma" RULES " col=C0:TS:0 col=C1:DZ:1"},
    {"12:30,3:4\n13:00,1:2\n", "sep=comma" RULES " col=C0:TX:0 col=C1:TX:1"},
    {"25:00:00,1/2/2003\n01:00:00,2/3/2004\n", "sep=comma" RULES " col=C0:TX:0 col=C1:TX:1"},
    {"2017-01-02,2017-01-02T03:04:05Z,2017-01\n2018/01/02,2018-01-02 03:04Z,2017-02\n",
     "sep=comma" RULES " col=C0:DT:0 col=C1:DT:1 col=C2:TX:2"},
    {"2017-01-02T03:04:05.12345678,1\n2017-01-02,2\n",
     "sep=comma" RULES " col=C0:TX:0 col=C1:I8:1"},
    {"5,x\n1:02:03,y\n", "sep=comma" RULES " col=C0:TX:0 col=C1:TX:1"},
    {"1 ,2\n", "sep=comma" RULES " col=C0:I8:0 col=C1:I8:1"},
    {"\xC2\xA0" /* no-break space */
     "1,2\n2\xC2\xA0,3\n",
     "sep=comma" RULES " col=C0:I8:0 col=C1:I8:1"},
    {"1e5,1e400\n2,3\n", "sep=comma" RULES " col=C0:R8:0 col=C1:TX:1"},
    {"Infinity,x\nInfinity,y\n", "sep=comma" RULES " col=C0:R8:0 col=C1:TX:1"},
    /* missing values */
    {"1,null\nNULL,2\n", "sep=comma" RULES " novalue=[NULL] col=C0:I8:0 col=C1:TX:1"},
    {"null,a\nx,null\n", "sep=comma" RULES " header+ col=null:TX:0 col=a:TX:1"},
    /* headers */
    {"a,b\nc,d\n", "sep=comma" RULES " header+ col=a:TX:0 col=b:TX:1"},
    {"a,b\nc,b\n", "sep=comma" RULES " col=C0:TX:0 col=C1:TX:1"},
    {"a,a\nc,d\n", "sep=comma" RULES " col=C0:TX:0 col=C1:TX:1"},
    {"2019,2020\n1,2\n", "sep=comma" RULES " header+ col=2019:I8:0 col=2020:I8:1"},
    {"city,1990,1991,1995\nx,5,2,9\ny,3,1,2\n",
     "sep=comma" RULES " header+ col=city:TX:0 col=1990:I8:1 col=1991:I8:2 col=1995:I8:3"},
    {",0,1,2\n0,5,3,1\n1,2,8,4\n",
     "sep=comma" RULES " header+ col=C0:I8:0 col=0:I8:1 col=1:I8:2 col=2:I8:3"},
    {"\"\",\"x\",\"y\"\n\"1\",\"a\",\"b\"\n\"2\",\"c\",\"d\"\n",
     "sep=comma" RULES " header+ col=C0:I8:0 col=x:TX:1 col=y:TX:2"},
    {"alice,5\nbob,7\n", "sep=comma" RULES " col=C0:TX:0 col=C1:I8:1"},
    {"1,2,3\n4,5,6\n7,8,9\n", "sep=comma" RULES " col=C0:I8:0 col=C1:I8:1 col=C2:I8:2"},
    {"150,4,x,y,z\n5.1,3.5,1.4,0.2,0\n4.9,3.0,1.4,0.2,1\n",
     "sep=comma" RULES " header+ col=150:R8:0 col=4:R8:1 col=x:R8:2 col=y:R8:3 col=z:I8:4"},
    {"30,2,x,y\n1,2,3,4,5,0\n1,2,3,4,5,1\n1,2,3,4,5,1\n1,2,3,4,5,0\n1,2,3,4,5,0\n1,2,3,4,5,0\n1,2,"
     "3,4,5,0\n1,2,3,4,5,0\n1,2,3,4,5,0\n",
     "sep=comma" RULES
     " header+ col=30:I8:0 col=2:I8:1 col=x:I8:2 col=y:I8:3 col=C4:I8:4 col=C5:I8:5"},
    {"x y\n1 3 4\n2 5 6\n3 7 8\n4 1 2\n5 1 2\n6 1 2\n7 1 2\n8 1 2\n9 1 2\n10 1 2\n",
     "sep=space" RULES " header+ col=C0:I8:0 col=x:I8:1 col=y:I8:2"},
    {",b\n0,2\n", "sep=comma" RULES " header+ col=C0:I8:0 col=b:I8:1"},
    {"a,b\n", "sep=comma" RULES " header+ col=a:TX:0 col=b:TX:1"},
    {"name\n", "sep=tab" RULES " header+ col=name:TX:0"},
    {"one line of text\n", "sep=tab" RULES " col=C0:TX:0"},
    {"a,a,a_2,a\n1,2,3,4\n",
     "sep=comma" RULES " header+ col=a:I8:0 col=a_2:I8:1 col=a_2_2:I8:2 col=a_3:I8:3"},
    {"yes,y\nno,1\n", "sep=comma" RULES " header+ col=yes:TX:0 col=y:I8:1"},
    {"# note\n\n// note\na,b\n1,2\n", "sep=comma skip=3" RULES " header+ col=a:I8:0 col=b:I8:1"},
    {"#a,b\n1,2\n#2,3\n", "sep=comma" RULES " header+ col={name={#a} type=TX src=0} col=b:I8:1"},
    {"a:b,c\n1,2\n", "sep=comma" RULES " header+ col={name={a:b} type=I8 src=0} col=c:I8:1"},
    {"a b,c=\n1,2\n",
     "sep=comma" RULES " header+ col={name={a b} type=I8 src=0} col={name={c=} type=I8 src=1}"},
    {"\"{\",\\,a\\}\n1,2,3\n", "sep=comma" RULES " col=C0:TX:0 col=C1:TX:1 col=C2:TX:2"},
    {"a\x01\xFF,b\n1,2\n",
     "sep=comma" RULES " header+ col={name={a \xEF\xBF\xBD} type=I8 src=0} col=b:I8:1"},
    /* quotes */
    {"\"a,b\",1\n\"c\",2\n", "sep=comma" RULES " col=C0:TX:0 col=C1:I8:1"},
    {"n,t\n1,\"a\nb\"\n2,c\n", "sep=comma multilines+" RULES " header+ col=n:I8:0 col=t:TX:1"},
    /* many columns, longer lines */
    {"Label,a,b,c,d,e,f,g,h,i,t\n1,1,2,3,4,5,6,7,8,9.5,x\n",
     "sep=comma" RULES " header+ col=Label:I8:0 col=a:I8:1 col=b:I8:2 col=c:I8:3 col=d:I8:4 "
     "col=e:I8:5 col=f:I8:6 col=g:I8:7 col=h:I8:8 col=i:R8:9 col=t:TX:10"},
    {"1,2\n3\n4,5\n6,7\n8,9\n1,2\n3,4\n5,6\n7,8\n9,0\n",
     "sep=comma" RULES " col=C0:I8:0 col=C1:I8:1"},
    {"1,2\n3,4,x\n4,5\n6,7\n8,9\n1,2\n3,4\n5,6\n7,8\n9,0\n",
     "sep=comma" RULES " col=C0:I8:0 col=C1:I8:1"},
    /* encodings, line ends */
    {"\xEF\xBB\xBF"
     "a,b\r\n1,2\r\n",
     "sep=comma" RULES " header+ col=a:I8:0 col=b:I8:1"},
};

Test(text_propose, what_a_file_looks_like)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        dv_buffer text;
        cr_expect_eq(propose(&text, cases[i].file, strlen(cases[i].file), NULL), DV_OK);
        cr_assert_not_null(text.data, "%s", cases[i].file);
        cr_expect_str_eq(text.data, cases[i].text, "file:\n%s\nwanted: %s\ngot:    %s",
                         cases[i].file, cases[i].text, (const char *)text.data);
        cr_expect_eq(text.nbytes, strlen(text.data));
        dv_buffer_release(&text);
    }
}

Test(text_propose, nothing_for_files_without_lines)
{
    static const char *const none[] = {"", "\n\n", "\r\n", "\xEF\xBB\xBF"};
    for (size_t i = 0; i < COUNT(none); i++) {
        dv_buffer text;
        cr_expect_eq(propose(&text, none[i], strlen(none[i]), NULL), DV_NOT_FOUND, "%s", none[i]);
        cr_expect_null(text.data);
    }
}

/* A line that is too long was once an error in *err of a call that returned DV_OK. */
Test(text_propose, a_long_line_is_data)
{
    const size_t n = DVI_TEXT_GUESS_LINE_NBYTES + 10;
    char *file = malloc(n);
    dv_buffer text;
    dvi_map *map = NULL;
    dv_error err = DV_ERROR_INIT;
    cr_assert_not_null(file);
    memset(file, '/', n);
    cr_assert_eq(dvi_map_open_memory(&map, file, n, NULL, NULL, "input", DV_IO_PREAD, NULL, NULL),
                 DV_OK);
    cr_expect_eq(dvi_text_propose(&text, NULL, map, NULL, &err), DV_NOT_FOUND);
    cr_expect_eq(err.status, DV_OK, "%s", err.message);
    dvi_map_release(&map);
    free(file);
}

/* --- Sampling --- */

static dvt_lines rows_of(int64_t n, int64_t odd, const char *field)
{
    dvt_lines file = {0};
    dvt_lines_print(&file, "id,x,text\n");
    for (int64_t i = 0; i < n; i++) {
        const bool is_odd = i >= odd && i < odd + n / 100;
        dvt_lines_print(&file, "%" PRId64 ",%s,a text that makes the line longer\n", i,
                        is_odd ? field : "5");
    }
    return file;
}

static void expect_rows(const dvt_lines *file, const char *wanted)
{
    dv_buffer text;
    cr_expect_eq(propose(&text, file->data, file->nbytes, NULL), DV_OK);
    cr_expect_str_eq(text.data, wanted);
    dv_buffer_release(&text);
}

/* Once 200 lines decided, and later ones were lost. */
Test(text_propose, every_line_of_a_small_file_counts)
{
    for (int64_t odd = 1000; odd < 50000; odd += 15000) {
        dvt_lines file = rows_of(50000, odd, "1.5");
        cr_expect_lt(file.nbytes, DVI_TEXT_GUESS_WHOLE_NBYTES);
        expect_rows(&file, "sep=comma" RULES " header+ col=id:I8:0 col=x:R8:1 col=text:TX:2");
        dvt_lines_free(&file);
    }
}

/* A remark is left out wherever it stands, if every line was read and no row begins as it does. */
Test(text_propose, a_remark_among_many_rows)
{
    for (int row_begins = 0; row_begins < 2; row_begins++) {
        dvt_lines file = {0};
        dvt_lines_print(&file, "a,b\n");
        for (int i = 0; i < 3000; i++)
            dvt_lines_print(&file, "%s\n",
                            i == 1000                 ? "# remark"
                            : i == 2000 && row_begins ? "#7,x"
                                                      : "k,x");
        dv_buffer text;
        cr_expect_eq(propose(&text, file.data, file.nbytes, NULL), DV_OK);
        cr_expect_str_eq(text.data,
                         row_begins ? "sep=comma" RULES " header+ col=a:TX:0 col=b:TX:1"
                                    : "sep=comma sparse- comment=# defaults- strict+ csv+ header+ "
                                      "col=a:TX:0 col=b:TX:1");
        dv_buffer_release(&text);
        dvt_lines_free(&file);
    }
}

/* Of a large file lines at places all over it are read: a hundredth of its rows is found. */
Test(text_propose, places_all_over_a_large_file)
{
    for (int64_t odd = 0; odd <= 495000; odd += 49500) {
        dvt_lines file = rows_of(500000, odd, "x");
        cr_expect_gt(file.nbytes, 4 * DVI_TEXT_GUESS_WHOLE_NBYTES);
        expect_rows(&file, "sep=comma" RULES " header+ col=id:I8:0 col=x:TX:1 col=text:TX:2");
        dvt_lines_free(&file);
    }
}

/* A column with few values, which lie close together, has the type of these wherever they are. */
Test(text_propose, a_few_values_of_a_large_file)
{
    for (int begin = 37; begin < 600000; begin += 99900) {
        dvt_lines file = {0};
        dvt_lines_print(&file, "id,x\n");
        for (int i = 0; i < 600000; i++)
            dvt_lines_print(&file, "%d,%s\n", i, i < begin || i >= begin + 40 ? "NA" : "7");
        cr_expect_gt(file.nbytes, DVI_TEXT_GUESS_WHOLE_NBYTES);
        expect_rows(&file, "sep=comma" RULES " header+ col=id:I8:0 col=x:I8:1");
        dvt_lines_free(&file);
    }
}

/* Where no line was read a quoted field may go on in the next line. */
Test(text_propose, a_large_file_with_quotes)
{
    dvt_lines file = rows_of(300000, 150000, "\"7\"");
    expect_rows(&file,
                "sep=comma multilines+" RULES " header+ col=id:I8:0 col=x:I8:1 col=text:TX:2");
    dvt_lines_free(&file);
}

Test(text_propose, a_line_that_does_not_end)
{
    const size_t cap = 3 * (size_t)DVI_TEXT_GUESS_LINE_NBYTES;
    char *file = malloc(cap);
    dv_buffer text;
    cr_assert_not_null(file);
    memset(file, '1', cap);
    cr_expect_eq(propose(&text, file, cap, NULL), DV_NOT_FOUND);
    free(file);
}

/* --- What is asked of a proposal --- */

static const struct {
    const char *given, *file, *text;
} asked[] = {
    {"auto", "a,b\n1,2\n", "sep=comma" RULES " header+ col=a:I8:0 col=b:I8:1"},
    {"auto sep='", "a'b\n1'2\n3''x\n", "sep='" RULES " header+ col=a:I8:0 col=b:I8:1"},
    {"auto sep=\\", "a\\b\n1\\\"x\"y\n3\\\"x\"\n",
     "sep=\\ quote- blank=na" RULES " header+ col=a:I8:0 col=b:TX:1"},
    {"auto sep=;", "a;b,c\n1;2\n", "sep=;" RULES " header+ col=a:I8:0 col=b,c:I8:1"},
    {"auto sep=\xC2\xA7",
     "a\xC2\xA7"
     "b\n1\xC2\xA7"
     "2\n",
     "sep=\xC2\xA7" RULES " header+ col=a:I8:0 col=b:I8:1"},
    {"auto header+", "1,2\n3,4\n", "header+ sep=comma" RULES " col=1:I8:0 col=2:I8:1"},
    {"auto header-", "a,b\n3,4\n", "header- sep=comma" RULES " col=C0:TX:0 col=C1:TX:1"},
    {"auto multilines-", "n,t\n1,\"a\"\n",
     "multilines- sep=comma" RULES " header+ col=n:I8:0 col=t:TX:1"},
    {"auto type=b:TX type={a:R4}", "a,b\n1,2\n",
     "sep=comma" RULES " header+ col=a:R4:0 col=b:TX:1"},
    {"auto narrow+", "a,b,c,d,e\n1,200,40000,3000000000,0.1\n-1,5,6,7,16777217.5\n",
     "sep=comma" RULES " header+ col=a:I1:0 col=b:I2:1 col=c:I4:2 col=d:I8:3 col=e:R8:4"},
    {"auto narrow+", "0.1,-128\n0.25,127\n", "sep=comma" RULES " col=C0:R4:0 col=C1:I2:1"},
    {"auto pack+", "Label,a,b,t,c\n1,1,2,x,4\n",
     "sep=comma" RULES " header+ col=Label:I8:0 "
     "col=Features:I8:1-2 col=t:TX:3 col=c:I8:4"},
    {"auto missing=[-999 none]", "a,b\n1,none\n-999,2\n",
     "missing=[-999 none] sep=comma" RULES " header+ col=a:I8:0 col=b:I8:1"},
    {"auto comment=#", "# x\na,b\n#y\n1,2\n",
     "comment=# sep=comma sparse- defaults- strict+ csv+ header+ col=a:I8:0 col=b:I8:1"},
    {"auto rows=5 sparse+", "a,b\n1,2\n",
     "rows=5 sparse+ sep=comma comment=none defaults- strict+ csv+ header+ col=a:I8:0 col=b:I8:1"},
};

static dv_status propose_as(dv_buffer *text_out, const char *asked_for, const char *file,
                            dv_error *err)
{
    dvi_map *map = NULL;
    dvi_arena arena;
    dvi_text_given given;
    *text_out = (dv_buffer){0};
    cr_assert_eq(
        dvi_map_open_memory(&map, file, strlen(file), NULL, NULL, "input", DV_IO_PREAD, NULL, NULL),
        DV_OK);
    dvi_arena_init(&arena, dvi_map_allocator(map));
    dv_status status = dvi_text_given_read(&given, asked_for, &arena, err);
    if (status == DV_OK)
        status = dvi_text_propose(text_out, NULL, map, &given, err);
    dvi_arena_free(&arena);
    dvi_map_release(&map);
    return status;
}

Test(text_propose, keeps_what_is_given)
{
    for (size_t i = 0; i < COUNT(asked); i++) {
        dv_buffer text;
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(propose_as(&text, asked[i].given, asked[i].file, &err), DV_OK, "%s: %s",
                     asked[i].given, err.message);
        cr_expect_str_eq(text.data, asked[i].text, "%s\nwanted: %s\ngot:    %s", asked[i].given,
                         asked[i].text, (const char *)text.data);
        dv_buffer_release(&text);
    }
}

/* Files, and notes about columns that are text because of one field. */
static const char *const noted[][2] = {
    {"a,b\n1,1.5\n2,2.5\n3,3.5\n4,\"3,749.23\"\n5,x\n",
     "column \"b\" is TX, not R8, because of \"3,749.23\"; option type=NAME:R8 chooses R8, and "
     "strict- makes NA of what it cannot read"},
    {"c\ttrue\n0\tx\n1\t\n007\tx\n", NULL}, /* zeros would be lost after two numbers */
    {"c,d\n1,1\n2,2\n3,3\n007,4\n",
     "column \"c\" is TX, not I8, because of \"007\"; option type=NAME:I8 chooses I8, and strict- "
     "makes NA of what it cannot read"},
    {"c,d\n2020-01-01,1\n2020-01-02,2\n2020-01-03,3\nlater,4\n",
     "column \"c\" is TX, not DT, because of \"later\"; option type=NAME:DT chooses DT, and "
     "strict- "
     "makes NA of what it cannot read"},
    {"c\n1\n2\n3\nNA\n?\n4\n", NULL}, /* NA, and a word for it */
    {"c,d\nx,0\n1,1\n2,2\n3,3\n4,4\n", NULL},
};

Test(text_propose, notes_name_odd_fields)
{
    for (size_t i = 0; i < COUNT(noted); i++) {
        const char *file = noted[i][0], *note = noted[i][1];
        dvi_map *map = NULL;
        dv_buffer text, notes;
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(dvi_map_open_memory(&map, file, strlen(file), NULL, NULL, "input", DV_IO_PREAD,
                                         NULL, NULL),
                     DV_OK);
        cr_assert_eq(dvi_text_propose(&text, &notes, map, NULL, &err), DV_OK, "%s", err.message);
        cr_expect_eq(!notes.data, !note, "%s: %s", file, (const char *)notes.data);
        if (note && notes.data) {
            cr_expect_str_eq((const char *)notes.data + 1, note, "%s", (const char *)notes.data);
            cr_expect_eq(notes.nbytes, strlen(note) + 2);
        }
        dv_buffer_release(&notes);
        dv_buffer_release(&text);
        dvi_map_release(&map);
    }
}

static const char *const refused[][2] = {
    {"auto col=a:TX:0", "auto finds the columns"},
    {"auto size=5", "auto finds the columns"},
    {"auto type=c:TX", "no column \"c\" in the file"},
    {"auto type=TX", "NAME:TYPE, such as id:TX"},
    {"auto type=a:XX", "unknown type"},
    {"auto narrow=2", "option narrow is a flag"},
    {"auto nothing+", "unknown option nothing"},
    {"auto sep=5", "characters other than digits"},
    {"auto missing=[a", "words in brackets"},
    {"auto comment=123456789", "how a comment begins"},
    {"auto skip=-1", "a number of lines"},
};

Test(text_propose, refuses_what_it_cannot_keep)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        dv_buffer text;
        dv_error err = DV_ERROR_INIT;
        dv_status status = propose_as(&text, refused[i][0], "a,b\n1,2\n", &err);
        if (status == DV_OK) { /* a type is read when the file is opened */
            dv_view *view = dvt_text_open(text.data, "a,b\n1,2\n", 8, NULL, &err);
            status = err.status;
            dv_view_release(&view);
            dv_buffer_release(&text);
        }
        cr_expect_eq(status, DV_ERR_ARGUMENT, "%s", refused[i][0]);
        cr_expect(strstr(err.message, refused[i][1]), "%s: %s", refused[i][0], err.message);
    }
}

/* --- Random tables --- */

static uint64_t draw(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static const char *pick(uint64_t *state, const char *const *words, size_t n)
{
    return words[draw(state) % n];
}

static void add_field(dvt_lines *file, uint64_t *state, int kind)
{
    static const char *const words[] = {
        "a",  "b c",  "\"q\"\"\"", "\"x\ny\"", "{",  "\\",    "NA", "?",     "12:30", "\xFF",
        "#h", "true", "e;f",       "g|h",      "\"", "1e400", "-",  "1.2.3", "\t",    "  z "};
    static const char *const times[] = {"2017-01-01", "2018-05-07T12:34:56Z", "1/2/2003 4:05 PM",
                                        "2017-01-01 02:00+02:00"};
    const uint64_t bits = draw(state);
    if (bits % 16 == 0)
        return;
    if (kind == 0)
        dvt_lines_print(file, "%" PRId64, (int64_t)(bits >> 32) >> (bits % 32));
    else if (kind == 1)
        dvt_lines_print(file, "%.3f", (double)(int64_t)bits * 0x1p-60);
    else if (kind == 2)
        dvt_lines_print(file, "%s", pick(state, times, COUNT(times)));
    else if (kind == 3)
        dvt_lines_print(file, "%s", bits % 3 ? "yes" : "False");
    else
        dvt_lines_print(file, "%s", pick(state, words, COUNT(words)));
}

static void add_row(dvt_lines *file, uint64_t *state, char separator, const int *kinds, int columns)
{
    for (int i = 0; i < columns; i++) {
        if (i > 0)
            dvt_lines_add(file, &separator, 1);
        add_field(file, state, kinds[i]);
    }
    dvt_lines_add(file, "\n", 1);
}

static dvt_lines make_table(uint64_t seed)
{
    uint64_t state = seed;
    dvt_lines file = {0};
    int kinds[24];
    const char separator = ",\t;| "[draw(&state) % 5];
    const int columns = 1 + (int)(draw(&state) % COUNT(kinds)), most = draw(&state) % 4 ? 5 : 2;
    for (int i = 0; i < columns; i++)
        kinds[i] = (int)(draw(&state) % (uint64_t)most);
    const int texts[COUNT(kinds)] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
                                     4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    if (draw(&state) % 2)
        add_row(&file, &state, separator, texts, columns);
    for (int64_t rows = (int64_t)(draw(&state) % 40); rows >= 0; rows--)
        add_row(&file, &state, separator, kinds, columns);
    return file;
}

/* The proposed options open the file, and every field that was read has a value. */
static void expect_good(const dvt_lines *file, uint64_t seed)
{
    dv_buffer text;
    dv_facts *facts = NULL;
    dv_error err = DV_ERROR_INIT;
    const dv_status status = propose(&text, file->data, file->nbytes, NULL);
    if (status == DV_NOT_FOUND) /* no line is data */
        return;
    cr_assert_eq(status, DV_OK);
    dv_view *view = dvt_text_open(text.data, file->data, file->nbytes, NULL, &err);
    cr_assert_not_null(view, "seed %" PRIu64 ": %s: %s", seed, (const char *)text.data,
                       err.message);
    cr_expect_eq(dv_inspect(&facts, view, &err), DV_OK, "seed %" PRIu64 ": %s: %s", seed,
                 (const char *)text.data, err.message);
    bool has_odd_lines = false; /* whose fields no type was made for */
    for (int32_t i = 0; facts && i < facts->warnings; i++)
        has_odd_lines |= strstr(facts->warning[i], "too short") ||
                         strstr(facts->warning[i], "after the last column") ||
                         strstr(facts->warning[i], "more fields") ||
                         strstr(facts->warning[i], "more kinds") ||
                         strstr(facts->warning[i], "quotes");
    for (int32_t i = 0; facts && i < facts->warnings; i++)
        cr_expect_not(!has_odd_lines && strstr(facts->warning[i], "no value of"),
                      "seed %" PRIu64 ": %s: %s\n%s", seed, (const char *)text.data,
                      facts->warning[i], file->data);
    if (facts)
        dv_facts_free(&facts);
    dv_view_release(&view);
    dv_buffer_release(&text);
}

Test(text_propose, proposals_open_and_give_values)
{
    for (uint64_t seed = 1; seed <= 2000; seed += (uint64_t)DVT_FAIL_STEP) {
        dvt_lines file = make_table(seed);
        expect_good(&file, seed);
        dvt_lines_free(&file);
    }
}

/* --- Failures --- */

Test(text_propose, survive_each_allocation_that_fails)
{
    static const char file[] = "a,a,\"b\n\"\n1,2.5,x\n,3,y\n1,4,z\n1,odd,z\n"; /* with a note */
    int64_t k = 0, failed = 0;
    for (bool is_done = false; !is_done; k++) {
        dvt_allocator counted;
        dv_buffer text;
        dvt_allocator_init(&counted, k + 1);
        const dv_status status = propose(&text, file, sizeof file - 1, &counted.allocator);
        cr_expect(status == DV_ERR_MEMORY || status == DV_OK, "allocation %d", (int)k);
        failed += status == DV_ERR_MEMORY;
        is_done = counted.asked < k + 1;
        dv_buffer_release(&text);
        cr_expect_eq(counted.live, 0, "allocation %d: a leak", (int)k);
    }
    cr_expect_eq(failed, k - 1);
    cr_expect_gt(failed, 10);
}

static dv_status propose_file(const dvt_path *path, const char *format)
{
    dv_buffer text;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.format = format;
    const dv_status status = dv_open_propose(&text, path->text, &options, NULL);
    cr_expect_eq(text.data != NULL, status == DV_OK);
    dv_buffer_release(&text);
    return status;
}

Test(text_propose, files)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path csv = dvt_path_in(&folder, "x.csv"), other = dvt_path_in(&folder, "x.idv");
    const dvt_path none = dvt_path_in(&folder, "none.csv"), plain = dvt_path_in(&folder, "x");
    dvt_file_write(&csv, "a,b\n1,2\n", 8);
    dvt_file_write(&other, "a,b\n1,2\n", 8);
    dvt_file_write(&plain, "a,b\n1,2\n", 8);
    cr_expect_eq(propose_file(&csv, NULL), DV_OK);
    cr_expect_eq(propose_file(&csv, "idv"), DV_NOT_FOUND);
    cr_expect_eq(propose_file(&csv, "nonsense"), DV_ERR_ARGUMENT);
    cr_expect_eq(propose_file(&other, NULL), DV_NOT_FOUND);
    cr_expect_eq(propose_file(&other, "text"), DV_OK);
    cr_expect_eq(propose_file(&plain, NULL), DV_OK);
    cr_expect_eq(propose_file(&none, NULL), DV_ERR_IO);
    dvt_folder_remove(&folder);
}
