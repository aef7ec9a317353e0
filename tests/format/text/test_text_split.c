/* SPDX-License-Identifier: MIT */
/* test_text_split.c: checks that a line shows the same wherever it stands.
 *
 * Lines after the first 200 that look like those before them are not split. So each odd field is
 * put once among the first lines and once far behind them: the proposals must be equal. */
#include "format/text/propose/text_propose.h"
#include "support/lines.h"
#include "support/test.h"
#include "support/text_table.h"
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ROWS 900
#define EARLY 150 /* among the lines that are all split */
#define LATE 700

/* The fields of a column, which repeat themselves. */
static const char *const usual[][3] = {
    {"1", "22", "333"},
    {"1.5", "2.25", "-3.5"},
    {"1.500", "22.250", "3.125"},
    {"1,500", "22,250", "3,125"},
    {"word", "\"in quotes\"", "said \"no\""},
    {"\"a \"\"b\"\"\"", "\"\"\"c\"\"\"", "\"d, e\""},
    {"", "x", "nu"},
    {"", "1", "2"},
    {"", "\"\"", ""},
    {"NA", "1", "2"},
    {"2020-01-02", "2020-03-04", "2020-05-06"},
    {"13/05/2020", "01/02/2020", "28/02/2020"},
    {"01/02/2020", "03/04/2020", "05/06/2020"},
    {"true", "false", "true"},
    {"18446744073709551615", "1", "2"},
    {"18446744073709549568", "-1", "-22"}, /* whole in R8 alone: TX, unless one is not whole */
    {"$1", "$2", "$3"},
    {"007", "12", "3"},
    {"-1", "-22", "3"},
    {"\xC3\xA4", "\xC3\xB6", "z"},
};

static const char *const odd[] = {
    "4",
    "4.5",
    "4.500",
    "44,500",
    "-0",
    "0.1",
    "1e5",
    "007",
    "-07",
    "x",
    "c1",
    "iota",
    "",
    "\"\"",
    "NA",
    "null",
    "inf",
    "-Infinity",
    "nan",
    "1.#QNAN",
    "?",
    ".",
    "2020-12-31",
    "31/12/2020",
    "12/31/2020",
    "10:00:00",
    "true",
    "\"7\"",
    "\"x\"\"y\"",
    "\"\"\"q\"",
    "\"open",
    "a\"b",
    "\"a\" b",
    " 7 ",
    "' q",
    "$5",
    "5%",
    "(5)",
    "1 000",
    "\xC2\xA0",
    "\xFF",
    "12345678901234567890",
    "12345678901234567",
    "123456789012345",
    "1234567890123456.5",
    "9.9.9",
    "# n",
    "+5",
    "9999999999999999999999",
    ".5",
    "5.",
    "-",
    "--1",
    "1-2",
};

static void append_row(dvt_lines *file, char sep, const char *first, const char *x, int i)
{
    dvt_lines_print(file, "%s%c%s%ctext %d\n", first, sep, x, sep, i);
}

/* A table whose row `at` has an odd field; column: 0 or 1. */
static dvt_lines table_of(const char *const values[3], const char *field, int at, int column)
{
    dvt_lines file = {0};
    char id[16];
    append_row(&file, ';', "c0", "c1", -1);
    for (int i = 0; i < ROWS; i++) {
        snprintf(id, sizeof id, "%d", i % 97);
        const char *own = i == at ? field : values[i % 3];
        append_row(&file, ';', column == 0 ? own : id, column == 0 ? id : own, i);
    }
    return file;
}

/* Propose options for one file, or for two that are one table. */
static void propose_table(dv_buffer *text_out, dv_buffer *notes_out, const char *options,
                          const dvt_lines *files, int32_t n)
{
    dvi_arena arena;
    dvi_map *maps[2] = {NULL};
    dvi_text_given given;
    dvi_arena_init(&arena, NULL);
    cr_assert_eq(dvi_text_given_read(&given, options, &arena, NULL), DV_OK, "%s", options);
    given.maps = maps;
    given.maps_count = n;
    for (int32_t i = 0; i < n; i++)
        cr_assert_eq(dvi_map_open_memory(&maps[i], files[i].data, files[i].nbytes, NULL, NULL,
                                         "input", DV_IO_PREAD, NULL, NULL),
                     DV_OK);
    cr_assert_eq(dvi_text_propose(text_out, notes_out, maps[0], &given, NULL), DV_OK);
    for (int32_t i = 0; i < n; i++)
        dvi_map_release(&maps[i]);
    dvi_arena_free(&arena);
}

static void propose(dv_buffer *text_out, dv_buffer *notes_out, const dvt_lines *file)
{
    propose_table(text_out, notes_out, "auto", file, 1);
}

static bool are_equal(const dv_buffer *a, const dv_buffer *b)
{
    return a->nbytes == b->nbytes && (a->nbytes == 0 || memcmp(a->data, b->data, a->nbytes) == 0);
}

Test(text_split, an_odd_field_shows_the_same_in_any_line)
{
    for (size_t k = 0; k < COUNT(usual); k++)
        for (size_t i = 0; i < 2 * COUNT(odd); i++) {
            dv_buffer text[2], notes[2];
            const char *field = odd[i / 2];
            for (int late = 0; late < 2; late++) {
                dvt_lines file = table_of(usual[k], field, late ? LATE : EARLY, (int)(i % 2));
                propose(&text[late], &notes[late], &file);
                dvt_lines_free(&file);
            }
            cr_expect(are_equal(&text[0], &text[1]), "column %zu of %s with %s: %s, not %s", i % 2,
                      usual[k][0], field, (const char *)text[1].data, (const char *)text[0].data);
            cr_expect(are_equal(&notes[0], &notes[1]), "notes of column %zu of %s with %s", i % 2,
                      usual[k][0], field);
            for (int late = 0; late < 2; late++) {
                dv_buffer_release(&text[late]);
                dv_buffer_release(&notes[late]);
            }
        }
}

/* Lines with other numbers of fields, and the first line again. */
Test(text_split, an_odd_line_shows_the_same_wherever_it_stands)
{
    static const char *const lines[] = {"1;2",           "1",          "1;2;text;", "1;2;text;4",
                                        "c0;c1;text -1", "c0;c1;text", "#;1;2",     "# remark",
                                        "// remark",     "",           "  ",        ";;",
                                        "\"1\";2;3",     "1;2;\"t",    "1;2;t\x1A", "1;2;\xFE"};
    for (size_t k = 0; k < 2 * COUNT(lines); k++) {
        const char *line = lines[k / 2], *first = k % 2 ? "5" : "k", *x = k % 2 ? "0.5" : "v";
        dv_buffer text[2], notes[2];
        for (int late = 0; late < 2; late++) {
            dvt_lines file = {0};
            append_row(&file, ';', "c0", "c1", -1);
            for (int i = 0; i < ROWS; i++)
                if (i == (late ? LATE : EARLY))
                    dvt_lines_print(&file, "%s\n", line);
                else
                    append_row(&file, ';', first, x, i);
            propose(&text[late], &notes[late], &file);
            dvt_lines_free(&file);
        }
        cr_expect(are_equal(&text[0], &text[1]), "%s: %s, not %s", line, (const char *)text[1].data,
                  (const char *)text[0].data);
        cr_expect(are_equal(&notes[0], &notes[1]), "notes of %s", line);
        for (int late = 0; late < 2; late++) {
            dv_buffer_release(&text[late]);
            dv_buffer_release(&notes[late]);
        }
    }
}

/* A table of texts with a column that repeats itself, and a name that occurs again in row `at`. */
static dvt_lines texts_of(const char *name, int at, bool is_first)
{
    dvt_lines file = {0};
    dvt_lines_print(&file, "%s;%s\n", is_first ? name : "other", is_first ? "other" : name);
    for (int i = 0; i < ROWS; i++) {
        const char *own = i == at ? name : "said", *word = i % 2 ? "word" : "words";
        dvt_lines_print(&file, "%s;%s\n", is_first ? own : word, is_first ? word : own);
    }
    return file;
}

/* Where all is text, names are known by not occurring again.  Regression: a name with a quote was
 * not found far behind the first lines, where its field was compared as it is written. */
Test(text_split, a_name_that_occurs_again)
{
    static const char *const names[] = {"town", "\"a \"\"b\"\"\"", "\"\"\"q\"\"\"", "nu"};
    static const int places[] = {EARLY, LATE, ROWS /* nowhere */};
    for (size_t k = 0; k < 2 * COUNT(names); k++) {
        const char *const name = names[k / 2];
        dv_buffer text[COUNT(places)];
        for (size_t i = 0; i < COUNT(places); i++) {
            dvt_lines file = texts_of(name, places[i], k % 2);
            propose(&text[i], NULL, &file);
            dvt_lines_free(&file);
        }
        cr_expect(are_equal(&text[0], &text[1]), "%s: %s, not %s", name, (const char *)text[1].data,
                  (const char *)text[0].data);
        cr_expect(!are_equal(&text[0], &text[2]), "%s: %s", name, (const char *)text[2].data);
        for (size_t i = 0; i < COUNT(places); i++)
            dv_buffer_release(&text[i]);
    }
}

/* A line that shows something only in such a table. */
static const struct {
    const char *options, *header, *rows[3];
    struct {
        int at;
        const char *line;
    } fixed[3];
    const char *odd;
} tables[] = {
    /* after an odd field dates still show their order */
    {"auto",
     "day;n",
     {"01/02/2020;1", "03/04/2020;2", "05/06/2020;3"},
     {{10, "x?;4"}},
     "13/05/2020;4"},
    /* blanks around a name are not part of it */
    {"auto", "town;kind", {"said;word", "said;words", "so;word"}, {{0}}, " town ;word"},
    /* the third field with a type makes a later one odd */
    {"auto", "a;b", {";1", ";2", ";3"}, {{10, "1;4"}, {20, "2;4"}, {800, "x;4"}}, "3;4"},
    /* the header again, each of whose names has been a value */
    {"auto", "name;n", {"k;5", "l;6", "m;7"}, {{10, "name;5"}, {20, "k;n"}}, "name;n"},
    /* a blank name is a corner only above a column without missing values */
    {"auto", ";name", {"k;word", "l;words", "m;word"}, {{0}}, "null;word"},
    /* U8 has no NA: neither for a word that an option names, nor for a line that is too short */
    {"auto missing=[999]", "a;b", {"18446744073709551615;x", "1;y", "2;z"}, {{0}}, "999;x"},
    {"auto", "a;b;c", {"18446744073709551615;x;t", "1;y;u", "2;z;v"}, {{0}}, "1;x"},
    {"auto narrow+", "a;b", {"1;x", "2;y", "3;z"}, {{0}}, "40000;x"},
};

static dvt_lines lines_of(size_t k, int at)
{
    dvt_lines file = {0};
    dvt_lines_print(&file, "%s\n", tables[k].header);
    for (int i = 0; i < ROWS; i++) {
        const char *line = i == at ? tables[k].odd : tables[k].rows[i % 3];
        for (size_t j = 0; j < COUNT(tables[k].fixed); j++)
            if (tables[k].fixed[j].line && tables[k].fixed[j].at == i)
                line = tables[k].fixed[j].line;
        dvt_lines_print(&file, "%s\n", line);
    }
    return file;
}

Test(text_split, a_line_that_matters_does_so_anywhere)
{
    static const int places[] = {EARLY, LATE, ROWS /* nowhere */};
    for (size_t k = 0; k < COUNT(tables); k++) {
        dv_buffer text[COUNT(places)], notes[COUNT(places)];
        for (size_t i = 0; i < COUNT(places); i++) {
            dvt_lines file = lines_of(k, places[i]);
            propose_table(&text[i], &notes[i], tables[k].options, &file, 1);
            dvt_lines_free(&file);
        }
        cr_expect(are_equal(&text[0], &text[1]), "%s: %s, not %s", tables[k].odd,
                  (const char *)text[1].data, (const char *)text[0].data);
        cr_expect(are_equal(&notes[0], &notes[1]), "notes of %s", tables[k].odd);
        cr_expect(!are_equal(&text[0], &text[2]) || !are_equal(&notes[0], &notes[2]), "%s",
                  tables[k].odd);
        for (size_t i = 0; i < COUNT(places); i++) {
            dv_buffer_release(&text[i]);
            dv_buffer_release(&notes[i]);
        }
    }
}

/* Whether a column has values but for single ones is known by its first lines, all of which count:
 * the name above it is one, though another one occurs again. */
Test(text_split, a_header_that_the_first_lines_show)
{
    dv_buffer text;
    dvt_lines file = {0};
    dvt_lines_print(&file, "name;n\nk;x?\nname;7\n");
    for (int i = 0; i < ROWS; i++)
        dvt_lines_print(&file, "k;5\n");
    propose(&text, NULL, &file);
    cr_expect(strstr(text.data, "header+"), "%s", (const char *)text.data);
    dv_buffer_release(&text);
    dvt_lines_free(&file);
}

/* A second file, whose lines come after those that are all split. */
static void expect_two(const char *header, const char *const rows[2], const char *last,
                       const char *second, const char *wanted)
{
    dv_buffer text;
    dvt_lines files[2] = {{0}};
    dvt_lines_print(&files[0], "%s", header);
    for (int i = 0; i < ROWS; i++)
        dvt_lines_print(&files[0], "%s\n", rows[i % 2]);
    dvt_lines_print(&files[0], "%s", last);
    dvt_lines_print(&files[1], "%s", second);
    propose_table(&text, NULL, "auto", files, 2);
    cr_expect(strstr(text.data, wanted), "%s: %s", wanted, (const char *)text.data);
    dv_buffer_release(&text);
    for (int i = 0; i < 2; i++)
        dvt_lines_free(&files[i]);
}

Test(text_split, lines_of_a_second_file)
{
    static const char *const numbers[] = {"5;x", "1,234;x"}, *const rows[] = {"1;x", "2;y"};
    /* 0,5 shows that 1,234 is not a thousand */
    expect_two("", numbers, "", "7;x\n0,5;x\n7;x\n", "decimal=, ");
    /* its columns have another order */
    expect_two("a;b\n", rows, "", "b;a\n7;1.5\n7;2.5\n", "col=a:R8:0");
    /* Regression: its first row looked like those before it, so it was not split, and the last line
     * that was split was taken for it: the header again. */
    expect_two("a;b\n", rows, "a;b\n", "1;x\n1.5;y\n", "col=a:I8:0");
}
