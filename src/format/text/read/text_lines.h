/* SPDX-License-Identifier: MIT */
/* text_lines.h: where are the lines of a file?  (semantics:6.1, semantics:6.3) */
#ifndef DVI_FORMAT_TEXT_LINES_H
#define DVI_FORMAT_TEXT_LINES_H

#include "io/map.h"
#include <dataview/type.h>

typedef enum dvi_text_encoding {
    DVI_TEXT_UTF8,
    DVI_TEXT_UTF16_LE,
    DVI_TEXT_UTF16_BE
} dvi_text_encoding;

/* A file, from a place on.  Zeroed but for the first members; dvi_text_lines_free in the end. */
typedef struct dvi_text_lines {
    dvi_map *map; /* no reference */
    int64_t at;   /* of the next line */
    int64_t end;  /* behind a line without a line end; 0: there was none */
    dvi_text_encoding encoding;
    int64_t limit;  /* most bytes of a line */
    int64_t window; /* bytes of the file that are looked at together, while lines are not longer */
    dvi_span span;
    dvi_memory *read, *decoded;
} dvi_text_lines;

/* From the start: its byte order mark, if any, tells the encoding.  Then the window may be changed.
 */
dv_status dvi_text_lines_start(dvi_text_lines *lines, dvi_map *map, int64_t limit, dv_error *err);

/* The next line, without its LF, CRLF or CR: UTF-8 as the file has it, which may be ill-formed.
 * Good until the next call.  *offset_out: where it starts in the file.
 * DV_OK; DV_END; DV_ERR_LIMIT (cursor_nbytes), DV_ERR_MEMORY and DV_ERR_IO may be repeated. */
dv_status dvi_text_lines_next(dvi_text_lines *lines, dv_text *line_out, int64_t *offset_out,
                              dv_error *err);

/* Was the last line one without a line end?  No other follows it, even if the file grows. */
bool dvi_text_lines_has_ended(const dvi_text_lines *lines);

void dvi_text_lines_free(dvi_text_lines *lines);

#endif
