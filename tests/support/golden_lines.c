/* SPDX-License-Identifier: MIT */
/* golden_lines.c: reads the lines and fields of golden text files. */
#include "support/golden_lines.h"
#include "support/golden_files.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void stop(const char *why, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, why);
    abort();
}

static int check_file(const char *path, void (*check)(dv_text line))
{
    size_t nbytes;
    char *data = (char *)dvt_file_read(path, &nbytes);
    int lines = 0;
    for (char *p = data; p < data + nbytes; lines++) {
        char *newline = memchr(p, '\n', (size_t)(data + nbytes - p));
        if (!newline)
            stop("the last line has no end", path);
        check((dv_text){p, newline - p});
        p = newline + 1;
    }
    free(data);
    return lines;
}

int dvt_golden_lines(const char *name, void (*check)(dv_text line))
{
    const dvt_path ours = dvt_test_path("golden"), path = dvt_path_in(&ours, name);
    const char *shared = getenv("DV_GOLDEN_DIR");
    int lines = 0;
    if (access(path.text, R_OK) == 0)
        lines += check_file(path.text, check);
    if (shared && *shared) {
        char more[sizeof path.text];
        if (snprintf(more, sizeof more, "%s/%s", shared, name) >= (int)sizeof more)
            stop("the path is too long", shared);
        lines += check_file(more, check);
    }
    if (lines == 0)
        stop("there is no such file, or nothing in it", name);
    return lines;
}

/* Which check dvt_golden_json() is to call: callbacks have no context. */
static void (*check_json)(const dvt_json *line);

static void check_json_line(dv_text line)
{
    dvi_arena arena;
    dvi_arena_init(&arena, NULL);
    const dvt_json *value = dvt_json_parse(&arena, line);
    if (!value)
        stop("is no JSON", line.data);
    check_json(value);
    dvi_arena_free(&arena);
}

int dvt_golden_json(const char *name, void (*check)(const dvt_json *line))
{
    check_json = check;
    return dvt_golden_lines(name, check_json_line);
}

/* UTF-8 of a character of the basic plane. */
static size_t put_character(char *dst, unsigned code)
{
    if (code < 0x80) {
        dst[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        dst[0] = (char)(0xC0 | code >> 6);
        dst[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    dst[0] = (char)(0xE0 | code >> 12);
    dst[1] = (char)(0x80 | (code >> 6 & 0x3F));
    dst[2] = (char)(0x80 | (code & 0x3F));
    return 3;
}

/* Read one character or escape, and move *p past it. */
static size_t unescape(char *dst, const char **p)
{
    static const char from[] = "tnr\\", to[] = "\t\n\r\\";
    if (**p != '\\') {
        *dst = *(*p)++;
        return 1;
    }
    const char c = *++*p;
    unsigned code;
    if (c == 'u' && sscanf(*p + 1, "%4x", &code) == 1) {
        *p += 5;
        return put_character(dst, code);
    }
    const char *known = strchr(from, c);
    if (!known)
        stop("unknown escape", *p);
    *dst = to[known - from];
    ++*p;
    return 1;
}

dv_text dvt_line_field(dv_text line, int i, char *dst, size_t cap)
{
    const char *p = line.data, *end = line.data + line.nbytes;
    for (; i > 0; i--, p++) {
        p = memchr(p, '\t', (size_t)(end - p));
        if (!p)
            stop("too few fields", line.data);
    }
    size_t n = 0;
    while (p < end && *p != '\t') {
        if (n + 4 > cap)
            stop("too long a field", line.data);
        n += unescape(dst + n, &p);
    }
    dst[n] = '\0';
    return (dv_text){dst, (int64_t)n};
}
