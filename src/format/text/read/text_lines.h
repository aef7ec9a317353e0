/* SPDX-License-Identifier: MIT */
/* text_lines.h: reads a file line by line as UTF-8, whatever its encoding. (semantics:6.1,
 * semantics:6.3) */
#ifndef DVI_FORMAT_TEXT_LINES_H
#define DVI_FORMAT_TEXT_LINES_H

#include "io/map.h"
#include "codec/encoding.h"

/* The most bytes of a line, and the option that sets them. */
typedef struct dvi_text_limit {
    int64_t nbytes;
    const char *option;
} dvi_text_limit;

/* A reader of lines from an offset on. Zero all but the first members; free with
 * dvi_text_lines_free. */
typedef struct dvi_text_lines {
    dvi_map *map;  /* no reference */
    int64_t at;    /* offset of the next line */
    int64_t count; /* lines that were read */
    int64_t end;   /* offset after a last line without a line end; 0: none seen */
    dvi_transcoder transcoder;
    dvi_text_limit limit;
    int64_t window; /* bytes read at a time; grows for longer lines */
    bool needs_lf;  /* a CR ends a line only before an LF */
    char ending[3]; /* the last line ended with it: "\n", "\r\n", "\r" or nothing */
    dvi_span span;
    dvi_memory *read;
} dvi_text_lines;

/* Start at the beginning of the file. A byte order mark sets the encoding; without one it is
 * the given one. If the bytes may be the marks of two encodings, the given one has its own. given:
 * NULL is UTF-8. The window may be changed afterwards. */
dv_status dvi_text_lines_start(dvi_text_lines *lines, dvi_map *map, const dvi_encoding *given,
                               dvi_text_limit limit, dv_error *err);

/* Do n bytes begin as UTF-16 or UTF-32 does: with a mark, or without one as it is known by its
 * zeros? */
bool dvi_text_lines_is_wide(const uint8_t *head, size_t n);
/* The encoding as which text without a mark is known by its zeros: UTF-16 or UTF-32; else UTF-8. */
dv_status dvi_text_lines_unmarked(dvi_encoding *encoding_out, dvi_map *map, dv_error *err);

/* The bytes of a line end; 1: lines can be found among bytes, wherever one starts to read. */
static inline size_t dvi_text_lines_width(const dvi_text_lines *lines)
{
    return dvi_encoding_width(&lines->transcoder.encoding);
}

/* The next line without its LF, CRLF or CR, as UTF-8, which is ill-formed where the file is
 * damaged. Valid until the next call. *offset_out: where it starts in the file. DV_OK; DV_END;
 * after DV_ERR_LIMIT (the option), DV_ERR_MEMORY and DV_ERR_IO the call may be repeated. */
dv_status dvi_text_lines_next(dvi_text_lines *lines, dv_text *line_out, int64_t *offset_out,
                              dv_error *err);

/* The next line of options: one that begins with #@ before the first line of data.  Statuses as
 * dvi_text_lines_next; DV_END: the next line is data, and passed, or there is none. */
dv_status dvi_text_lines_next_option(dvi_text_lines *lines, dv_text *line_out, int64_t *offset_out,
                                     dv_error *err);

/* Had the last line no line end? No line follows it, even if the file grows. */
bool dvi_text_lines_has_ended(const dvi_text_lines *lines);

void dvi_text_lines_free(dvi_text_lines *lines);

#endif
