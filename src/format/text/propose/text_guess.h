/* SPDX-License-Identifier: MIT */
/* text_guess.h: what are the first lines of a file, if it is read like this? */
#ifndef DVI_FORMAT_TEXT_GUESS_H
#define DVI_FORMAT_TEXT_GUESS_H

#include "format/text/read/text_reader.h"

#define DVI_TEXT_GUESS_LINES 200
#define DVI_TEXT_GUESS_NBYTES (INT64_C(1) << 20) /* of the file; then the line is finished */

/* A source column.  Of its fields those count that are neither blank nor tokens for a missing
 * value. */
typedef struct dvi_text_guess_column {
    uint8_t first, rest;      /* which types take all of them: a bit for each of dvi_text_guesses */
    bool has_first, has_rest; /* a field of the first line, of others */
    bool is_zoned;            /* a time has an offset, which DT would not keep */
    bool is_long;             /* there is a whole number that R4 does not hold */
} dvi_text_guess_column;

typedef struct dvi_text_guess {
    dv_allocator allocator;
    dvi_arena arena;
    dvi_text_options options;
    dvi_text_guess_column *columns;
    size_t columns_cap, columns_seen;
    int32_t columns_count;  /* as most lines have */
    int lines, usual_lines; /* and how many have that many */
    bool has_errors;        /* of quotes */
} dvi_text_guess;

/* Read the first lines with these options.  The guess must be freed, after a failure too; what it
 * holds does not point to `options`.
 * DV_OK, also when there is no line; DV_ERR_MEMORY, DV_ERR_IO. */
dv_status dvi_text_guess_read(dvi_text_guess *guess, dvi_map *map, const char *options,
                              dv_error *err);
void dvi_text_guess_free(dvi_text_guess *guess);

/* The type of a column: DV_KIND_TX when nothing better takes all of its fields. */
dv_kind dvi_text_guess_kind(const dvi_text_guess *guess, int32_t column, bool has_header);

/* Does the first line name the columns?  When no field of it is a number or a time, and one is no
 * value of the type that its column has below. */
bool dvi_text_guess_has_header(const dvi_text_guess *guess);

#endif
