/* SPDX-License-Identifier: MIT */
/* text_scan.h: finds plain lines and the positions of their fields.
 *
 * Fields of a plain line can be separated by separators, quotes and line ends alone: quoted fields
 * are whole, there are no sparse items, the line does not continue, it has all requested fields,
 * and nothing has to be trimmed. The reader (text_reader.h), which implements every rule, reads
 * other lines. */
#ifndef DVI_FORMAT_TEXT_SCAN_H
#define DVI_FORMAT_TEXT_SCAN_H

#include "simd/kernel.h"
#include "io/map.h"
#include "format/text/read/text_fields.h"

/* n plain lines. Field k of line i, with its quotes and the blanks around it, is between two marks:
 * text[marks[m] + 1] to text[marks[m + 1] - 1], where m is lines[i] + k. (A mark may be -1.) */
typedef struct dvi_text_plain {
    const char *text;
    size_t begin, end, nbytes; /* the lines are text[begin..end - 1]; nbytes of text may be read */
    const uint32_t *marks, *lines;
    size_t n;
} dvi_text_plain;

/* What plain lines must have. 0 fields: only line ends matter. */
typedef struct dvi_text_wanted {
    int64_t fields;      /* at least; */
    int64_t most_fields; /* at most; 0: any number */
    int64_t full_fields; /* further ones are empty; 0: they may hold anything */
    int64_t line_nbytes; /* at most */
    dvi_text_comment comment;
    bool trims, joins; /* options trim, and multilines with quote */
    bool needs_lf;     /* a CR ends a line only before an LF */
} dvi_text_wanted;

/* A window of a file and the marks in it. A plain value, except for its memory. */
typedef struct dvi_text_scan {
    dvi_map *map; /* no reference */
    dvi_text_wanted wanted;
    dvi_ascii_set set;
    uint8_t role[256];
    bool skips_blanks, doubles_quotes;
    dvi_span span;
    dvi_memory *read, *marks, *lines;
    int64_t window; /* bytes to load */
    size_t nbytes;  /* bytes of the span that have marks */
    bool is_last;   /* the file ends after them */
    size_t found;   /* marks 1..found - 1 */
    size_t next;    /* the next mark to read; */
    uint32_t from;  /* marks from this byte on are intact */
    int64_t unusual_at;
} dvi_text_scan;

void dvi_text_scan_start(dvi_text_scan *scan, dvi_map *map, const dvi_text_dialect *dialect,
                         const dvi_text_wanted *wanted);
void dvi_text_scan_free(dvi_text_scan *scan);

/* The plain lines from offset *at, the start of a line, that start before `end`: at most `rows`,
 * and none after `nbytes` bytes. Empty lines and comments are skipped. Valid until the next call.
 * *at moves past the lines; if it does not move, the next line is not plain or not known to be.
 * DV_OK; DV_ERR_MEMORY, DV_ERR_IO: unchanged. */
dv_status dvi_text_scan_next(dvi_text_scan *scan, int64_t *at, int64_t end, int64_t rows,
                             int64_t nbytes, dvi_text_plain *lines_out, dv_error *err);

#endif
