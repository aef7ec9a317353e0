/* SPDX-License-Identifier: MIT */
/* test_text_lines.c: checks that lines are found with any line ends and windows.
 * (semantics:6.1, semantics:6.3) */
#include "format/text/read/text_reader.h"
#include "support/lines.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define LIMIT INT64_C(1000)

/* n bytes as a map; io PREAD copies them, window by window. */
static dvi_map *map_of(const void *data, size_t n)
{
    dvi_map *map = NULL;
    cr_assert_eq(dvi_map_open_memory(&map, data, n, NULL, NULL, "input", DV_IO_PREAD, NULL, NULL),
                 DV_OK);
    return map;
}

static dvi_text_limit limit_of(int64_t nbytes)
{
    return (dvi_text_limit){nbytes, "cursor_nbytes"};
}

/* Lines in brackets, as "offset[text]". */
static dvt_lines lines_of(dvi_map *map, int64_t window, int64_t limit, dv_status *status_out)
{
    dvt_lines out = {0};
    dvi_text_lines lines;
    dv_text line;
    int64_t offset;
    dv_status status = dvi_text_lines_start(&lines, map, NULL, limit_of(limit), NULL);
    lines.window = window;
    while (status == DV_OK) {
        status = dvi_text_lines_next(&lines, &line, &offset, NULL);
        if (status != DV_OK)
            break;
        dvt_lines_print(&out, "%d[", (int)offset);
        dvt_lines_add(&out, line.data, (size_t)line.nbytes);
        dvt_lines_add(&out, "]", 1);
    }
    dvi_text_lines_free(&lines);
    *status_out = status;
    return out;
}

/* A file (a NUL is written ~ in the table), and its lines. */
static const struct {
    const char *file, *lines;
} files[] = {
    {"", ""},
    {"a", "0[a]"},
    {"a\n", "0[a]"},
    {"a\nb", "0[a]2[b]"},
    {"a\rb\r", "0[a]2[b]"},
    {"a\r\nb\r\n", "0[a]3[b]"},
    {"\n\r\r\n\n\r", "0[]1[]2[]4[]5[]"},
    {"abcdefghij\r\nk\rlmnopqrstu\n\r\n", "0[abcdefghij]12[k]14[lmnopqrstu]25[]"},
    {"\xEF\xBB\xBFx\n\xEF\xBB\xBF\n", "3[x]5[\xEF\xBB\xBF]"},
    {"\xEF\xBB\xBF", ""},
    {"\xEF\xBBx\n", "0[\xEF\xBBx]"},
    /* Regression: a file that ends inside its mark is empty, as for ML.NET. It had a row. */
    {"\xEF", ""},
    {"\xEF\xBB", ""},
    {"\xEF\n", "0[\xEF]"},
    {"\xFE", "0[\xFE]"},
    {"\xFF", "0[\xFF]"},
    /* UTF-16: A, e acute, euro, a face; CR, LF and both; halves of pairs and of units,
     * which become a byte that is not UTF-8. Regression: they became U+FFFD, and were not counted
     */
    {"\xFF\xFE"
     "A~\n~\xE9~\r~\n~\xAC\x20\r~B~",
     "2[A]6[\xC3\xA9]12[\xE2\x82\xAC]16[B]"},
    {"\xFE\xFF~A~\n~\xE9~\r~\n\x20\xAC~\r~B", "2[A]6[\xC3\xA9]12[\xE2\x82\xAC]16[B]"},
    {"\xFE\xFF\xD8\x3D\xDE\x01~\r~C", "2[\xF0\x9F\x98\x81]8[C]"},
    {"\xFE\xFF\xD8\x3D~A~\n\xDE\x01~B", "2[\xFF"
                                        "A]8[\xFF"
                                        "B]"},
    {"\xFE\xFF\xDE\x01\xD8\x3D", "2[\xFF\xFF]"},
    {"\xFF\xFE"
     "A~\x3D\xD8",
     "2[A\xFF]"},
    {"\xFF\xFE"
     "A~B",
     "2[A\xFF]"},
    {"\xFF\xFE"
     "A~\n~\r",
     "2[A]6[\xFF]"},
    {"\xFF\xFE\x0A\x0D\x0D\x0A", "2[\xE0\xB4\x8A\xE0\xA8\x8D]"}, /* these bytes end no line */
};

static void check_file(const char *text, const char *want)
{
    static const int64_t windows[] = {1, 2, 3, 7, 64, 1 << 18};
    const size_t n = strlen(text);
    char *bytes = malloc(n + 1);
    memcpy(bytes, text, n);
    for (size_t i = 0; i < n; i++)
        bytes[i] = bytes[i] == '~' ? 0 : bytes[i];
    dvi_map *map = map_of(bytes, n);
    for (size_t i = 0; i < COUNT(windows); i++) {
        dv_status status;
        dvt_lines got = lines_of(map, windows[i], LIMIT, &status);
        cr_expect_eq(status, DV_END);
        cr_expect_str_eq(got.data ? got.data : "", want, "window %d: %s", (int)windows[i],
                         got.data);
        dvt_lines_free(&got);
    }
    dvi_map_release(&map);
    free(bytes);
}

Test(text_lines, are_the_same_in_any_window)
{
    for (size_t i = 0; i < COUNT(files); i++)
        check_file(files[i].file, files[i].lines);
}

/* Regression: a line of exactly the limit is read, one byte more is too much, for any window. The
 * window counted, and a line of more than half the limit was refused. */
Test(text_lines, have_a_limit)
{
    static const int64_t windows[] = {1, 7, 1 << 18};
    char bytes[64];
    for (size_t n = 1; n <= 40; n++)
        for (size_t ends = 0; ends < 3; ends++)
            for (size_t i = 0; i < COUNT(windows); i++) {
                dv_status status;
                memset(bytes, 'x', n);
                memcpy(bytes + n, "\r\n", 2);
                dvi_map *map = map_of(bytes, n + ends);
                dvt_lines got = lines_of(map, windows[i], 20, &status);
                cr_expect_eq(status, n <= 20 ? DV_END : DV_ERR_LIMIT, "%d bytes, window %d", (int)n,
                             (int)windows[i]);
                dvt_lines_free(&got);
                dvi_map_release(&map);
            }
}

/* Quotes continue over lines and windows. */
Test(text_lines, go_on_inside_quotes)
{
    static const char text[] = "#no\n//no\na,\"b\r\n\n//c\"\"\r\",d\n\"e\"f,\"\nx\"\n#yes\n";
    static const char *const want[] = {"a,\"b\n\n//c\"\"\n\",d", "\"e\"f,\"", "x\"", "#yes"};
    static const int64_t windows[] = {1, 2, 3, 7, 1 << 18};
    const dvi_text_options options = {.separators = ",",
                                      .separators_count = 1,
                                      .allow_quoting = true,
                                      .multilines = true,
                                      .quote = '"',
                                      .escape = '"'};
    dvi_map *map = map_of(text, sizeof text - 1);
    for (size_t i = 0; i < COUNT(windows); i++) {
        dvi_text_reader reader;
        dv_text line;
        int64_t offset;
        size_t n = 0;
        cr_assert_eq(dvi_text_reader_start(&reader, map, &options, limit_of(LIMIT), NULL), DV_OK);
        reader.lines.window = windows[i];
        while (dvi_text_reader_next(&reader, &line, &offset, NULL) == DV_OK) {
            cr_assert_lt(n, COUNT(want));
            cr_expect(dv_text_equal(line, dv_text_of(want[n])), "line %d, window %d", (int)n,
                      (int)windows[i]);
            n++;
        }
        cr_expect_eq(n, COUNT(want));
        dvi_text_reader_free(&reader);
    }
    dvi_map_release(&map);
}

/* The error is reported at the line that cannot be read, after the rows before it. */
static void expect_end(int64_t limit, dv_status status, const char *rule)
{
    static const char text[] = "1\n\"ab\ncd\nef\n";
    dv_error err = DV_ERROR_INIT;
    dvi_map *map = map_of(text, sizeof text - 1);
    const dvi_text_options options = {
        .allow_quoting = true, .multilines = true, .quote = '"', .escape = '"'};
    dvi_text_reader reader;
    dv_text line;
    int64_t offset;
    cr_assert_eq(dvi_text_reader_start(&reader, map, &options, limit_of(limit), &err), DV_OK);
    cr_expect_eq(dvi_text_reader_next(&reader, &line, &offset, &err), DV_OK);
    for (int again = 0; again < 2; again++) {
        cr_expect_eq(dvi_text_reader_next(&reader, &line, &offset, &err), status);
        cr_expect_str_eq(err.rule, rule);
    }
    dvi_text_reader_free(&reader);
    dvi_map_release(&map);
}

Test(text_lines, that_stay_open_or_are_too_long_in_all)
{
    expect_end(100, DV_ERR_CORRUPT, "semantics:6.1");
    expect_end(6, DV_ERR_LIMIT, "cursor_nbytes");
}
