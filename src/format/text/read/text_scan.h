/* SPDX-License-Identifier: MIT */
/* text_scan.h: which lines are plain, and where do their fields lie?
 *
 * A plain line is one whose fields can be told apart by looking at separators, quotes and line ends
 * alone: whole quoted fields, no sparse items, no line that goes on, as many fields as are wanted,
 * nothing to trim.  All others are for the reader (text_reader.h), which knows every rule. */
#ifndef DVI_FORMAT_TEXT_SCAN_H
#define DVI_FORMAT_TEXT_SCAN_H

#include "io/map.h"
#include "format/text/read/text_fields.h"
#include <dataview/kernel.h>

/* n plain lines in a row.  Field k of line i, with its quotes and the blanks around it, is all that
 * lies between two marks: text[marks[m] + 1] to text[marks[m + 1] - 1], where m is lines[i] + k. (A
 * mark may be -1.) */
typedef struct dvi_text_plain {
    const char *text;
    size_t begin, end, nbytes; /* the lines are text[begin..end - 1]; nbytes may be read */
    const uint32_t *marks, *lines;
    size_t n;
} dvi_text_plain;

/* What is wanted of lines.  0 fields: only where they end. */
typedef struct dvi_text_wanted {
    int64_t fields;      /* at least; */
    int64_t line_nbytes; /* at most */
    bool trims, joins;   /* options trim, and multilines with quote */
} dvi_text_wanted;

/* A window of a file, and the marks in it.  A plain value, but for its memory. */
typedef struct dvi_text_scan {
    dvi_map *map; /* no reference */
    dvi_text_wanted wanted;
    dv_ascii_set set;
    uint8_t role[256];
    bool skips_blanks, doubles_quotes;
    dvi_span span;
    dvi_memory *read, *marks, *lines;
    int64_t window; /* bytes to look at */
    size_t nbytes;  /* of the span, as far as there are marks */
    bool is_last;   /* behind them the file ends */
    size_t found;   /* marks 1..found - 1 */
    size_t next;    /* the next to look at; */
    uint32_t from;  /* all from this byte on are there */
    int64_t unusual_at;
} dvi_text_scan;

void dvi_text_scan_start(dvi_text_scan *scan, dvi_map *map, const dvi_text_dialect *dialect,
                         const dvi_text_wanted *wanted);
void dvi_text_scan_free(dvi_text_scan *scan);

/* The plain lines from offset *at on, where a line starts, that start before `end`: at most `rows`,
 * and no more behind `nbytes` bytes; empty lines and comments are passed.  They are good until the
 * next call.  *at: behind them; where it was: the next line is not plain, or not seen to be.
 * DV_OK; DV_ERR_MEMORY, DV_ERR_IO: as before. */
dv_status dvi_text_scan_next(dvi_text_scan *scan, int64_t *at, int64_t end, int64_t rows,
                             int64_t nbytes, dvi_text_plain *lines_out, dv_error *err);

#endif
