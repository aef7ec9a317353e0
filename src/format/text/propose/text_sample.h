/* SPDX-License-Identifier: MIT */
/* text_sample.h: reads the lines of a guess. */
#ifndef DVI_FORMAT_TEXT_SAMPLE_H
#define DVI_FORMAT_TEXT_SAMPLE_H

#include "simd/dispatch.h"
#include "format/text/propose/text_guess.h"
#include "format/text/read/text_value.h"

/* Reads the lines of a guess. */
typedef struct dvi_text_sample {
    dvi_text_guess *g;
    dvi_text_reader reader;
    dvi_memory *unquoted, *marks;
    dvi_ascii_set marking;  /* separators and quotes */
    dvi_text_field *fields; /* the fields of one line */
    size_t fields_count, fields_cap;
    dvi_text_guess_line line; /* how it is split */
    bool has_units;           /* the next line is the row of units */
    int64_t longest;          /* bytes of a line */
    int64_t places, rows;     /* read from the rest of the file at most */
    int32_t *columns;      /* if the file has a header of its own: the column of each field; -1: */
    int32_t columns_count; /* none.  NULL: the columns are in order */
    size_t columns_cap;
    int32_t head_extent; /* names of that header, without blank ones at its end */
} dvi_text_sample;

dv_status dvi_text_sample_start(dvi_text_sample *s, dvi_map *map, dv_error *err);

/* text_split.c: split a line into s->fields, and note how many there are.  A line that shows
 * nothing new is not split, unless it is the first of its file. */
dv_status dvi_text_sample_split(dvi_text_sample *s, dv_text line, bool is_first, dv_error *err);

/* Free its memory, but not the guess. */
void dvi_text_sample_free(dvi_text_sample *s);

/* Split the next line into fields. The row of units is passed over only when the next line is
 * wanted: the fields of the first one lie in the reader until then. */
dv_status dvi_text_sample_next(dvi_text_sample *s, bool is_first, dv_error *err);

/* Learn from the line that was split. */
dv_status dvi_text_sample_add(dvi_text_sample *s, dv_error *err);

/* Read lines at places all over the rest of the file. */
dv_status dvi_text_sample_read_places(dvi_text_sample *s, int64_t nbytes, dv_error *err);

/* An open line or quote means that the options do not fit; other failures are passed on. */
dv_status dvi_text_guess_settle(dvi_text_guess *g, dv_status status, const dv_error *own,
                                dv_error *err);

/* text_guess_files.c: learn from the other files of the same table. Each of many gets its share. */
dv_status dvi_text_sample_read_others(dvi_text_sample *s, const dvi_map *first,
                                      dvi_text_extent extent, const dvi_text_given *given,
                                      dv_error *err);

#endif
