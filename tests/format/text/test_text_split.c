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

static void propose(dv_buffer *text_out, dv_buffer *notes_out, const dvt_lines *file)
{
    dvi_map *map = NULL;
    cr_assert_eq(dvi_map_open_memory(&map, file->data, file->nbytes, NULL, NULL, "input",
                                     DV_IO_PREAD, NULL, NULL),
                 DV_OK);
    cr_assert_eq(dvi_text_propose(text_out, notes_out, map, NULL, NULL), DV_OK);
    dvi_map_release(&map);
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
