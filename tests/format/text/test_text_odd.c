/* SPDX-License-Identifier: MIT */
/* test_text_odd.c: one odd line of a CSV changes no other line, and is reported. */
#include "support/lines.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/view.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool note(void *ctx, const char *file, const char *sentence)
{
    (void)file;
    dvt_lines_add(ctx, sentence, strlen(sentence));
    dvt_lines_add(ctx, "\n", 1);
    return true;
}

static dv_view *open_odd(const char *options, const char *file, size_t n, dv_error *err)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.bad_fields = DV_BAD_FIELDS_COUNT;
    return dvt_text_open(options, file, n, &how, err);
}

/* Files as they are found, their rows, and a part of each report; "": there is none. */
static const struct {
    const char *options, *file, *rows, *report;
} odd[] = {
    /* One broken quote among many once turned quoting off for all rows, or moved the names by a
     * column. */
    {"auto", "a,b\n1,\"x\"\n2,\"y\"\n3,\"z\"\n4,\"u\"v\"\n5,\"w\"\n",
     "1 \"x\"\n2 \"y\"\n3 \"z\"\n4 \"\\u0022u\\u0022v\\u0022\"\n5 \"w\"\n", "in row 3"},
    {"auto", "a,b,c\n1,\"x,x\",1\n2,\"y\",2\n3,\"z\",3\n4,\"u\"v,w\",4\n5,\"w\",5\n",
     "1 \"x,x\" 1\n2 \"y\" 2\n3 \"z\" 3\n4 \"\\u0022u\\u0022v,w\\u0022\" 4\n5 \"w\" 5\n",
     "in row 3"},
    /* a quote that opens and is not closed is text up to the next separator */
    {"auto", "a,b,c\n1,\"x\",\"k\"\n2,\"y\",\"l\"\n\"3,z,\"m\"\n4,\"u\",\"n\"\n",
     "1 \"x\" \"k\"\n2 \"y\" \"l\"\nNA \"z\" \"m\"\n4 \"u\" \"n\"\n", "in row 2"},
    {"auto", "a,b\n1,\"x\ny\"\n2,\"z\n3,\"u\"\n4,\"v\"\n",
     "1 \"x\\u000ay\"\n2 \"\\u0022z\"\n3 \"u\"\n4 \"v\"\n", "in row 1"},
    /* a line break in quotes stays as it is */
    {"auto", "a,b\r\n1,\"x\r\ny\"\r\n2,\"z\rz\"\r\n3,\"u\nu\"\r\n",
     "1 \"x\\u000d\\u000ay\"\n2 \"z\\u000dz\"\n3 \"u\\u000au\"\n", ""},
    /* its separators make no column after the last name */
    {"auto", "a,b,\n1,\"x\",\n2,\"y\",\n3,\"z\",\n4,\"p, q\" r,\n5,\"w\",\n",
     "1 \"x\"\n2 \"y\"\n3 \"z\"\n4 \"\\u0022p\"\n5 \"w\"\n", "in row 3"},
    /* blank fields too many: in some rows; in all rows and not in the header, whose names may have
     * moved; everywhere */
    {"auto", "a,b\n1,2\n3,4\n5,6,\n7,8\n", "1 2\n3 4\n5 6\n7 8\n", "blank field after"},
    {"auto", "a,b\n1,2,\n3,4,\n5,6,\n", "1 2\n3 4\n5 6\n", "moved the names"},
    {"auto", "a,b,\n1,2,\n3,4,\n", "1 2\n3 4\n", ""},
    {"auto", "a,b,\n1,2\n3,4\n", "1 2\n3 4\n", ""},
    /* fields of a line that is too short, in the columns of others */
    {"auto", "a,b,c\n1,x,2\n3,y,4\n5,z,6\n7,8\n", "1 \"x\" 2\n3 \"y\" 4\n5 \"z\" 6\n7 \"8\" NA\n",
     "too short"},
    {"auto", "a,b,c\nk,1,2\nl,3,4\nm,5,6\nn,o\n", "\"k\" 1 2\n\"l\" 3 4\n\"m\" 5 6\n\"n\" NA NA\n",
     "no value of I8: \"o\" in row 3"},
    /* no rows */
    {"auto", "a,b\n1,2\n   \n3,4\n", "1 2\n3 4\n", ""},
    {"auto", "a,b\r\n1,2\r\n\x1A", "1 2\n", ""},
    {"auto", "a,b\n# no row\n1,2\n3,4\n", "1 2\n3 4\n", ""},
    {"auto", "Made by hand\n\na,b\n1,2\n3,4\n", "1 2\n3 4\n", ""},
    /* titles with the separators of the rows */
    {"auto", "Report,,\n,,\na,b,c\n1,x,2\n3,y,4\n", "1 \"x\" 2\n3 \"y\" 4\n", ""},
    {"auto", "Report,,\n,,\nname,town,c\nu,x,y\nv,y,z\n", "\"u\" \"x\" \"y\"\n\"v\" \"y\" \"z\"\n",
     ""},
    {"auto", "Report,,\na,b,c\n1,x,2\n3,y,4\n", "1 \"x\" 2\n3 \"y\" 4\n", ""},
    {"auto", "x,,\n,,\n1,2,3\n4,5,6\n", "NA NA NA\n1 2 3\n4 5 6\n", ""},
    {"auto unitrow+", "a,b\ns,kg\n1,2\n3,4\n", "1 2\n3 4\n", ""},
    {"auto unitrow+", "#\na,b\ns,kg\n1,2\n3,4\n", "1 2\n3 4\n", ""},
    /* CR ends lines, one of which is odd; LF would end none */
    {"auto", "a,b\r1,x\r2,y\rno more\r3,z\r4,u\r", "1 \"x\"\n2 \"y\"\nNA null\n3 \"z\"\n4 \"u\"\n",
     "in row 2"},
    /* names */
    {"auto", "a,b,c\n1,2,3,4\n5,6,7,8\n", "1 2 3 4\n5 6 7 8\n", "the header has 3 names"},
    {"auto", "a,,b\n1,2\n3,4\n", "1 2\n3 4\n", "a blank name too many"},
    {"auto", "a,,b,c\nx,1,\ny,2,\n", "\"x\" 1 null\n\"y\" 2 null\n", "a blank name too many"},
    {"auto", "first,,last\nu,x\nv,y\nw,z\n", "\"u\" \"x\"\n\"v\" \"y\"\n\"w\" \"z\"\n",
     "a blank name too many"},
    {"auto", "a,b,c,d\n1,2\n3,4\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n",
     "1 2 null null\n3 4 null null\n1 2 null null\n1 2 null null\n1 2 null null\n1 2 null null\n1 "
     "2 null null\n1 2 null null\n"
     "1 2 null null\n1 2 null null\n",
     "4 names for 2 columns"},
    {"auto", "first,last\nu,x,2\nv,y,3\nw,z,4\n", "\"u\" \"x\" 2\n\"v\" \"y\" 3\n\"w\" \"z\" 4\n",
     "2 names for 3 columns"},
    {"auto", "first,\"last\nu,\"x\"\nv,\"y\"\nw,\"z\"\n", "\"u\" \"x\"\n\"v\" \"y\"\n\"w\" \"z\"\n",
     "the header has broken quotes"},
    {"auto", "a,b\n1,2\n3,4\na,b\n5,6\n", "1 2\n3 4\nNA NA\n5 6\n", "below the header"},
    {"auto", "a,b\n1,x\n3,y\na,b\n5,z\n", "1 \"x\"\n3 \"y\"\nNA \"b\"\n5 \"z\"\n",
     "no value of I8: \"a\" in row 2"},
    /* the header again ended the rows if its names had to be changed to become those of columns */
    {"auto", "a,a,a\n1,2,3\na,a,a\n4,5,6\n", "1 2 3\nNA NA NA\n4 5 6\n", "below the header"},
    {"auto", "a\x01x,b\xff\n1,2\n a\x01x,\"b\xff\"\n3,4\n", "1 2\nNA NA\n3 4\n",
     "below the header"},
    /* a line with more names than the header is a row: its last name once ended the rows */
    {"auto", ",b,\n,b,c\n1,y,4\n", "NA \"b\" null\nNA \"b\" \"c\"\n1 \"y\" \"4\"\n", ""},
    {"auto", "a,b\nx,1,2\ny,3,4\nz,5,6\n", "\"x\" 1 2\n\"y\" 3 4\n\"z\" 5 6\n", "the header has 2"},
    {"auto", "a,b\nx,y,1,2\nz,w,3,4\n", "\"x\" \"y\" 1 2\n\"z\" \"w\" 3 4\n",
     "2 names for 4 columns"},
    {"auto", "Report\nof a year\na,b,c\n1,x,2,3\n4,y,5,6\n", "1 \"x\" 2 3\n4 \"y\" 5 6\n",
     "the header has 3 names"},
    {"auto", "Wind\nAda 7\nBern 8\nCork 9\n", "\"Ada 7\"\n\"Bern 8\"\n\"Cork 9\"\n", ""},
    {"auto", "#\n# made: m\nx y z\n\"a b\" 1 2\n\"c d\" 3 4\n", "\"a b\" 1 2\n\"c d\" 3 4\n", ""},
    {"auto", "k v\ncord x\n1,2\n3,4\n", "1 2\n3 4\n", "option skip=0"},
    {"auto", "a b\n1 x\n2  y\n3 z\n4 w\n", "1 \"x\"\n2 \"y\"\n3 \"z\"\n4 \"w\"\n", ""},
    {"auto", "user\nvarna\ncork\n", "\"user\"\n\"varna\"\n\"cork\"\n", "option header+"},
    {"auto", "MAX LOAD\nnorth\nnorth\ninlet 7\nAda 7\nnorth\n",
     "\"MAX LOAD\"\n\"north\"\n\"north\"\n\"inlet 7\"\n\"Ada 7\"\n\"north\"\n", "option header+"},
    {"auto", "Dear Ada\nhow are you\nI am well\nso is Bern\n",
     "\"Dear Ada\"\n\"how are you\"\n\"I am well\"\n\"so is Bern\"\n", ""},
    {"auto", "# b\n1 2\n3 4\n", "1 2\n3 4\n", ""},
    /* a name above row names, as R writes it, or above a list of texts */
    {"auto", "Rain\nParis 7\nWien 7\nParis 7\nWien 7\nParis 7\n",
     "\"Paris 7\"\n\"Wien 7\"\n\"Paris 7\"\n\"Wien 7\"\n\"Paris 7\"\n", ""},
    {"auto", "# 2020\nRain\nParis 7\nWien 7\nParis 7\n",
     "\"# 2020\"\n\"Rain\"\n\"Paris 7\"\n\"Wien 7\"\n\"Paris 7\"\n", "option comment=#"},
    {"auto comment=#", "# 2020\nRain\nParis 7\nWien 7\nParis 7\n",
     "\"Paris 7\"\n\"Wien 7\"\n\"Paris 7\"\n", ""},
    {"auto", "x\number 7\number 7\njetty 7\n\"Ada\" 8\n",
     "\"umber\" 7\n\"umber\" 7\n\"jetty\" 7\n\"Ada\" 8\n",
     "and sep=tab reads each line as one text"},
    {"auto", "FIRST NAME\nzephyr\ninlet 7\nmaple 7\nzephyr\ninlet 7\nmaple 7\n",
     "\"FIRST NAME\"\n\"zephyr\"\n\"inlet 7\"\n\"maple 7\"\n\"zephyr\"\n\"inlet 7\"\n\"maple 7\"\n",
     "option header+"},
    /* single spaces that split all lines alike, though a tab is part of a text */
    {"auto", "id n town\n5 10 a\tb\n6 007 \"c d\"\n", "5 \"10\" \"a\\u0009b\"\n6 \"007\" \"c d\"\n",
     ""},
    /* numbers that no type reads show columns, too */
    {"auto", "cost n price\n\"Ulm Oslo\" 679 kot\n\"Kiel yarrow\" 000123 jetty\n",
     "\"Ulm Oslo\" \"679\" \"kot\"\n\"Kiel yarrow\" \"000123\" \"jetty\"\n", ""},
    {"auto", "name    sum\n    \nB751    -0.7\nA446    007\n",
     "\"B751\" \"-0.7\"\n\"A446\" \"007\"\n", ""},
    {"auto", "a    b\n683  x\n684  y\n685  z\n\"see note\"  x\n",
     "\"683\" \"x\"\n\"684\" \"y\"\n\"685\" \"z\"\n\"see note\" \"x\"\n", ""},
    /* a first row with broken quotes says nothing about types */
    {"auto",
     "\"p, q\" "
     "r,17:58:57\nu,15:33:36\nv,01:04:12\nw,10:29:14\n$,12:00:00\nu,15:33:36\nv,01:04:12\nw,10:29:"
     "14\n$,12:00:00\nu,15:33:36\nv,01:04:12\nw,10:29:14\n",
     "\"\\u0022p\" NA\n\"u\" 15:33:36\n\"v\" 01:04:12\n\"w\" 10:29:14\n\"$\" 12:00:00\n\"u\" "
     "15:33:36\n\"v\" 01:04:12\n\"w\" 10:29:14\n\"$\" 12:00:00\n\"u\" 15:33:36\n\"v\" "
     "01:04:12\n\"w\" 10:29:14\n",
     "in row 0"},
    {"auto", "a b\n5,1 2\n15,1,2 3\n", "\"5,1\" 2\n\"15,1,2\" 3\n", ""},
    {"auto", "#\n# 2020\nmass       sum\n\"a; b\"     \"76\"\n\"c d\"      \"x\"\n",
     "\"a; b\" \"76\"\n\"c d\" \"x\"\n", ""},
    /* a title with as many words as the table has columns */
    {"auto",
     "Report of the "
     "year\nname\tday\tb\tn\nu\t2016-11-09\tTRUE\t8\nv\t1981-10-15\tFALSE\t9\nw\t1982-10-"
     "15\tTRUE\t7\n",
     "\"u\" 2016-11-09T00:00:00.0000000 1 8\n\"v\" 1981-10-15T00:00:00.0000000 0 9\n\"w\" "
     "1982-10-15T00:00:00.0000000 1 7\n",
     ""},
    /* commas would split most lines */
    {"auto", "willow       \"Essen, inlet\"  5\ntrue  Ada    2\n1,5   vale   4\n",
     "\"willow\" \"Essen, inlet\" 5\n\"true\" \"Ada\" 2\n\"1,5\" \"vale\" 4\n", ""},
    /* bars would break quotes */
    {"auto", "\"k l\" -5.5 peb|ble\n\"m n\" 6e5 in|let\n",
     "\"k l\" -5.5 \"peb|ble\"\n\"m n\" 600000 \"in|let\"\n", ""},
    /* remarks and runs of blanks, of which there are fewer below the names */
    {"auto", "# one\n# two of a\nlabel    load\nx8    1.5\ny8    2.5\nz8    Inf\n",
     "\"x8\" 1.5\n\"y8\" 2.5\n\"z8\" Infinity\n", ""},
    /* a second table */
    {"auto", "a,b,c\n1,x,2\n3,y,4\na,b\n5,z\n6,u\n7,v\n",
     "1 \"x\" 2\n3 \"y\" 4\nNA \"b\" NA\n5 \"z\" NA\n6 \"u\" NA\n7 \"v\" NA\n", "too short"},
    /* an odd value below a name */
    {"auto", "value\n1\n2\n3\nunknown\n", "\"1\"\n\"2\"\n\"3\"\n\"unknown\"\n", ""},
    {"auto", "value\nunknown\n1\n2\n3\n", "\"unknown\"\n\"1\"\n\"2\"\n\"3\"\n", ""},
    /* separators */
    {"auto sep=||", "a||b\n1||2|3\n", "1 \"2|3\"\n", ""},
    {"auto sep=blanks", "  1.5   \"a b\"\n10.5\t c  \n", "1.5 \"a b\"\n10.5 \"c\"\n", ""},
    {"auto", "a    b\n1    2\n100  200\n", "1 2\n100 200\n", ""},
    {"auto", "sep=;\na;b\n1;2,5\n", "1 2.5\n", ""},
    {"auto", "a|b\n1|2,5\n2|3,25\n", "1 2.5\n2 3.25\n", ""},
    {"auto", "k|x|1,5\nl|y|-2,25\nm|z|1,5e2\n",
     "\"k\" \"x\" 1.5\n\"l\" \"y\" -2.25\n\"m\" \"z\" 150\n", ""},
    {"auto", "k;1,5\nl;-2,25\n", "\"k\" 1.5\n\"l\" -2.25\n", ""},
    {"auto", "k;l,5\nm;n,25\n", "\"k;l\" 5\n\"m;n\" 25\n", ""},
    {"auto sep=colon", "a:b\n1:2\n", "1 2\n", ""},
    {"auto sep=,", "a,b\n\"x\"y,1\n\"z\"w,2\n", "\"\\u0022x\\u0022y\" 1\n\"\\u0022z\\u0022w\" 2\n",
     ""},
    {"auto", "a,b\nx\ry,1\nz,2\n", "\"x\\u000dy\" 1\n\"z\" 2\n", ""},
    /* escapes */
    {"auto", "a,b\n1,\"x\"\n2,\"y \\\"z\\\", u\"\n", "1 \"x\"\n2 \"y \\u0022z\\u0022, u\"\n", ""},
    /* digits */
    {"auto", "a,b\n1,inf\n2,-inf\n3,0.5\n4,+Infinity\n",
     "1 Infinity\n2 -Infinity\n3 0.5\n4 Infinity\n", ""},
    {"auto", "a,b\n1,-nan\n2,#NA\n3,0.5\n4,\\N\n5,1.#QNAN\n", "1 NA\n2 NA\n3 0.5\n4 NA\n5 NA\n",
     ""},
    {"auto", "a,b\n. ,x\n.\f,y\n2,z\n", "NA \"x\"\nNA \"y\"\n2 \"z\"\n", ""}, /* once errors */
    {"auto", "a;b\n1;2,5\n2;1,#QNAN\n3;-1,#IND\n", "1 2.5\n2 NA\n3 NA\n", ""},
    {"auto", "a,b\n1\t,2\n 3,\t4\n", "1 2\n3 4\n", ""},
    /* dates */
    {"auto", "a,b\n1.2.2023,1\n17.2.2023,2\n",
     "2023-02-01T00:00:00.0000000 1\n2023-02-17T00:00:00.0000000 2\n", ""},
    {"auto", "a,b\n1/2/2023,1\n2/17/2023 4:05 PM,2\n",
     "2023-01-02T00:00:00.0000000 1\n2023-02-17T16:05:00.0000000 2\n", ""},
    {"auto", "a,b\n1/2/2023,1\n3/4/2023,2\n", "\"1/2/2023\" 1\n\"3/4/2023\" 2\n", "date=dmy"},
    {"auto", "a,b\n13/2/2023,2/13/2023\n1/2/2023,1/2/2023\n",
     "2023-02-13T00:00:00.0000000 \"2/13/2023\"\n2023-02-01T00:00:00.0000000 \"1/2/2023\"\n",
     "not in the order of the others"},
    {"auto date=mdy", "a,b\n1/2/2023,1\n", "2023-01-02T00:00:00.0000000 1\n", ""},
    {"auto date=%d/%m/%Y %H:%M sep=,", "a,b,c\n1/2/2023 16:05,1,2023-01-02\n",
     "2023-02-01T16:05:00.0000000 1 2023-01-02T00:00:00.0000000\n", ""},
    {"auto date={%d %b %y}", "a,b\n1 feb 23,1\n2 Mar 99,2\n",
     "2023-02-01T00:00:00.0000000 1\n1999-03-02T00:00:00.0000000 2\n", ""},
    {"auto date=%Y%m%d", "a,b\n20230217,20230217\n20230218,20231399\n",
     "2023-02-17T00:00:00.0000000 20230217\n2023-02-18T00:00:00.0000000 20231399\n", ""},
    {"auto date=%d/%m/%Y%z", "a,b\n1/2/2023+02,1\n", "2023-02-01T00:00:00.0000000+02:00 1\n", ""},
    /* the order is found in spite of an odd field */
    {"auto", "a,b\n1/2/2023,1\n17/2/2023,2\n2/3/2023,3\n?x,4\n",
     "\"1/2/2023\" 1\n\"17/2/2023\" 2\n\"2/3/2023\" 3\n\"?x\" 4\n", ""},
    /* spreadsheets */
    {"auto thousands=,", "a,b\n1,\"1,626.5\"\n2,89\n3,\"12,34\"\n",
     "1 \"1,626.5\"\n2 \"89\"\n3 \"12,34\"\n", ""},
    {"auto thousands=,", "a,b\n1,\"1,626.5\"\n2,89\n", "1 1626.5\n2 89\n", ""},
    {"auto thousands=,", "a  b\nx  1,626.5\ny  12,089\n", "\"x\" 1626.5\n\"y\" 12089\n", ""},
    {"auto thousands=,", "a b\nx 1,626.5\ny 12,089\nz 1,012,089\n",
     "\"x\" 1626.5\n\"y\" 12089\n\"z\" 1012089\n", ""},
    {"auto thousands=' affixes=[CHF %] parentheses+", "a,b\nCHF 1'234.5,(5 %)\n-CHF12,7\n",
     "1234.5 -5\n-12 7\n", ""},
    {"auto decimal=, thousands=.", "a;b\n1.234,5;1.234\n2;2.000.000\n", "1234.5 1234\n2 2000000\n",
     ""},
    {"auto type=a:I8", "a,b\n007,1\n8,2\n", "7 1\n8 2\n", ""},
};

Test(text_odd, lines_change_no_others)
{
    for (size_t i = 0; i < COUNT(odd); i++) {
        dvt_lines rows = {0}, report = {0};
        dv_error err = DV_ERROR_INIT;
        dv_view *view = open_odd(odd[i].options, odd[i].file, strlen(odd[i].file), &err);
        cr_assert_not_null(view, "%s: %s", odd[i].file, err.message);
        cr_expect_eq(dvt_text_rows(&rows, view, NULL, &err), DV_END, "%s%s: %s",
                     dv_view_proposal(view), odd[i].file, err.message);
        cr_expect_str_eq(rows.data ? rows.data : "", odd[i].rows, "%s\n%s\nwanted:\n%s\ngot:\n%s",
                         dv_view_proposal(view), odd[i].file, odd[i].rows, rows.data);
        cr_expect_eq(dv_view_bad_fields(view, note, &report, &err), DV_OK);
        const bool is_good = *odd[i].report
                                 ? report.data && strstr(report.data, odd[i].report) != NULL
                                 : report.nbytes == 0;
        cr_expect(is_good, "%s\nreport: %s", odd[i].file, report.data ? report.data : "");
        dvt_lines_free(&rows);
        dvt_lines_free(&report);
        dv_view_release(&view);
    }
}

/* Errors, also where rows are only looked at. */
static const struct {
    const char *options, *file, *message;
} errors[] = {
    {"auto", "a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12\n",
     "row 2: line: expected at most 3 fields, or strict-, found one more, \"9\""},
    {"auto", "a,b\n1,2\n3,4\n5,6\n7,x,8\n",
     "row 3: line: expected at most 2 fields, or strict-, found one more, \"8\""},
    {"auto", "a,b\n1,2\n3,4\na,b,c\n5,6,7\n8,9,10\n",
     "row 2: line: expected at most 2 fields, or strict-, found one more, \"c\""},
    {"auto", "1,2,x\n4,5\n7,8\n9,0\n2,3\n1,1\n2,2\n3,3\n4,4\n5,5\n", /* nor does the first row */
     "row 0: line: expected at most 2 fields, or strict-, found one more, \"x\""},
    {"auto", "a,b,\n1,2\n4,5,6\n7,8\n", /* a blank name makes no column */
     "row 1: line: expected at most 2 fields, or strict-, found one more, \"6\""},
    {"strict+ csv+ sep=comma col=a:I8:0", "1\n007\n",
     "row 1: column \"a\": field: expected I8, or type=a:TX, or strict-, found \"007\""},
    {"strict+ csv+ sep=comma col=a_2:I8:0 col=a_:I8:1", "a,1\n2,a\n", /* no number after it */
     "row 1: column \"a_\": field: expected I8, or type=a_:TX, or strict-, found \"a\""},
    {"strict+ csv+ sep=comma col=a:R8:0", "1.5\n12345678901234567\n",
     "row 1: column \"a\": field: expected R8, or type=a:TX"},
    {"auto type=a:DT", "a,b\n1/2/2023,1\n",
     "row 0: column \"a\": field: expected DT, or date=dmy or date=mdy, or type=a:TX"},
    {"auto type=a:DT date=%d/%m/%Y", "a,b\n1-2-2023,1\n",
     "row 0: column \"a\": field: expected DT, or another format in date=, or type=a:TX"},
    {"auto type=a:DT", "a,b\n1/2/2023,1\n2/2/2023,1\n3/2/2023,1\nx,1\n17/2/2023,2\n",
     "row 3: column \"a\": field: expected DT, or type=a:TX, or strict-, found \"x\""},
    {"strict+ csv+ sep=comma col=a:TX:0", "x\n\"y\nz\"\n",
     "row 1: quoted field: expected a closing quote in the same line, or option multilines+"},
};

Test(text_odd, errors_name_row_and_option)
{
    for (size_t i = 0; i < COUNT(errors); i++) {
        dvt_lines rows = {0};
        dv_error err = DV_ERROR_INIT;
        dv_view *view = open_odd(errors[i].options, errors[i].file, strlen(errors[i].file), &err);
        cr_assert_not_null(view, "%s: %s", errors[i].file, err.message);
        cr_expect_eq(dvt_text_rows(&rows, view, NULL, &err), DV_ERR_CORRUPT, "%s", errors[i].file);
        cr_expect(strstr(err.message, errors[i].message), "%s", err.message);
        dvt_lines_free(&rows);
        dv_view_release(&view);
    }
}

/* Verbs that write files refuse them. */
Test(text_odd, quotes_are_refused_where_nothing_may_be_lost)
{
    static const char file[] = "a,b\n1,\"x\"\n2,\"y\"\n3,\"u\"v\"\n";
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dvt_lines rows = {0};
    how.bad_fields = DV_BAD_FIELDS_REFUSE;
    dv_view *view = dvt_text_open("auto", file, sizeof file - 1, &how, &err);
    cr_assert_not_null(view);
    cr_expect_eq(dvt_text_rows(&rows, view, NULL, &err), DV_ERR_LOSS);
    cr_expect(strstr(err.message, "row 2: line: expected complete quotes"), "%s", err.message);
    dvt_lines_free(&rows);
    dv_view_release(&view);
}

/* --- The fast path and the general one --- */

static uint64_t draw(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static dvt_lines random_text(uint64_t seed)
{
    static const char *const parts[] = {
        ",",   ",",  "\n",   "\n", "\"", "\"\"", "x",  "1",    "0",       "7",
        "\r",  "\\", "\x1A", " ",  "\t", "|",    "||", "\r\n", "1,2,3\n", "\"a\",\"b\",4\n",
        "inf", "#"};
    dvt_lines file = {0};
    uint64_t state = seed;
    for (uint64_t n = 20 + draw(&state) % 300; n > 0; n--)
        dvt_lines_print(&file, "%s", parts[draw(&state) % COUNT(parts)]);
    return file;
}

/* The rows, then the error. */
static dvt_lines read_all(const char *options, const dvt_lines *file, int32_t threads)
{
    dvt_lines rows = {0};
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
    how.threads = threads;
    dv_view *view = open_odd(options, file->data, file->nbytes, &err);
    cr_assert_not_null(view, "%s: %s", options, err.message);
    const dv_status status = dvt_text_rows(&rows, view, &how, &err);
    dvt_lines_print(&rows, "%d %s", (int)status, status < 0 ? err.message : "");
    dv_view_bad_fields(view, note, &rows, &err);
    dv_view_release(&view);
    return rows;
}

/* Pieces of any length, and lines one by one, are the same rows, errors and sums. */
Test(text_odd, pieces_agree)
{
    static const char *const manners[] = {"sep=comma",
                                          "sep=comma multilines+",
                                          "sep=comma ends=lf",
                                          "sep=blanks",
                                          "sep=||",
                                          "sep=comma escapechar=\\",
                                          "sep=comma multilines+ escapechar=\\ ends=lf",
                                          "sep=comma quote-"};
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        dvt_lines file = random_text(seed);
        const char *manner = manners[seed % COUNT(manners)];
        char options[2][256];
        dvt_lines rows[2];
        for (int i = 0; i < 2; i++) {
            snprintf(options[i], sizeof options[i], "sparse- comment=none defaults- csv+ %s %s %s",
                     seed % 3 ? "strict+" : "strict-", manner, "col=a:TX:0 col=b:I8:1 col=c:R8:2");
            snprintf(options[i] + strlen(options[i]), 32, " piece=%d", i ? 16 : 0);
            rows[i] = read_all(options[i], &file, i ? 3 : 1);
        }
        cr_assert_str_eq(rows[1].data, rows[0].data,
                         "seed %" PRIu64 ": %s\n%s\nline by line:\n%s\nin pieces:\n%s", seed,
                         options[1], file.data, rows[0].data, rows[1].data);
        for (int i = 0; i < 2; i++)
            dvt_lines_free(&rows[i]);
        dvt_lines_free(&file);
    }
}
