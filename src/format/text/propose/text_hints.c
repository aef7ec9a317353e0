/* SPDX-License-Identifier: MIT */
/* text_hints.c: what the first bytes of a file say of all of it, before lines are compared. */
#include "format/text/propose/text_hints.h"
#include "base/check.h"
#include "base/size.h"
#include "format/text/propose/text_guess.h"
#include <string.h>

static dv_status start_lines(dvi_text_lines *lines, dvi_map *map, const dvi_text_given *given,
                             dv_error *err)
{
    return dvi_text_lines_start(lines, map, &given->encoding, dvi_text_guess_limit(map), err);
}

dv_status dvi_text_count_comments(int32_t *count_out, dvi_map *map, const dvi_text_given *given,
                                  dv_error *err)
{
    dvi_text_lines lines = {0};
    dv_text line;
    int64_t offset;
    int32_t n = 0;
    dv_error own = DV_ERROR_INIT;
    dv_status status = start_lines(&lines, map, given, &own);
    *count_out = 0;
    while (status == DV_OK && n < DVI_TEXT_GUESS_LINES) {
        status = dvi_text_lines_next(&lines, &line, &offset, &own);
        const bool is_comment =
            status == DV_OK && line.nbytes > 0 &&
            (line.data[0] == '#' || (line.nbytes > 1 && memcmp(line.data, "//", 2) == 0));
        if (status != DV_OK || (line.nbytes > 0 && !is_comment))
            break;
        n++;
        if (is_comment)
            *count_out = n;
    }
    dvi_text_lines_free(&lines);
    if (status >= 0 || status == DV_ERR_LIMIT)
        return DV_OK;
    if (err)
        *err = own;
    return status;
}

bool dvi_text_has_bare_cr(const uint8_t *head, size_t n)
{
    const uint8_t *const end = head + n;
    bool has = false;
    for (const uint8_t *p = head; p < end && !has && (p = memchr(p, '\r', (size_t)(end - p)));)
        has = ++p < end && *p != '\n';
    return has;
}

/* sep=; in the first line, which spreadsheets write and read.  Returns the separator; NUL: none. */
static char named_separator(dv_text line)
{
    const bool is_quoted = line.nbytes == 7 && line.data[0] == '"' && line.data[6] == '"';
    if (is_quoted)
        line = (dv_text){line.data + 1, 5};
    const bool is_it = line.nbytes == 5 && dvi_text_is((dv_text){line.data, 4}, "sep=");
    return is_it && strchr(",;|\t:", line.data[4]) ? line.data[4] : '\0';
}

dv_status dvi_text_find_named(const char **option_out, dvi_map *map, const dvi_text_given *given,
                              dv_error *err)
{
    static const struct {
        char c;
        const char *option;
    } options[] = {{',', "sep=comma"},
                   {';', "sep=semicolon"},
                   {'|', "sep=bar"},
                   {'\t', "sep=tab"},
                   {':', "sep=colon"}};
    dvi_text_lines lines = {0};
    *option_out = NULL;
    dv_text line;
    int64_t offset;
    dv_error own = DV_ERROR_INIT;
    dv_status status = start_lines(&lines, map, given, &own);
    if (status == DV_OK)
        status = dvi_text_lines_next(&lines, &line, &offset, &own);
    const char c = status == DV_OK ? named_separator(line) : '\0';
    for (size_t i = 0; c && i < sizeof options / sizeof *options; i++)
        *option_out = options[i].c == c ? options[i].option : *option_out;
    dvi_text_lines_free(&lines);
    if (status >= 0 || status == DV_ERR_LIMIT)
        return DV_OK;
    if (err)
        *err = own;
    return status;
}
