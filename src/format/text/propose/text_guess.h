/* SPDX-License-Identifier: MIT */
/* text_guess.h: reads the first lines of a file with given options, and guesses column types. */
#ifndef DVI_FORMAT_TEXT_GUESS_H
#define DVI_FORMAT_TEXT_GUESS_H

#include "format/text/read/text_reader.h"

#define DVI_TEXT_GUESS_LINES 200
#define DVI_TEXT_GUESS_NBYTES (INT64_C(1) << 20) /* of the file, and to the end of the line */

/* A source column. Blank fields and tokens for missing values are not counted. */
typedef struct dvi_text_guess_column {
    uint8_t first, rest;      /* types that can represent all its fields, as bits */
    bool has_first, has_rest; /* whether there is a field in the first line, in other lines */
    bool is_zoned;            /* a time has an offset, which DT would lose */
    bool is_long;             /* an integer is not exact as R4 */
} dvi_text_guess_column;

typedef struct dvi_text_guess {
    dv_allocator allocator;
    dvi_arena arena;
    dvi_text_options options;
    dvi_text_guess_column *columns;
    size_t columns_cap, columns_seen;
    int32_t columns_count;  /* of most lines, */
    int lines, usual_lines; /* and the number of those lines */
    bool has_errors;        /* quoting errors */
} dvi_text_guess;

/* Read the first lines with these options. Free the guess even after a failure. It keeps no pointer
 * to `options`.
 * DV_OK, also if there is no line; DV_ERR_MEMORY, DV_ERR_IO. */
dv_status dvi_text_guess_read(dvi_text_guess *guess, dvi_map *map, const char *options,
                              dv_error *err);
void dvi_text_guess_free(dvi_text_guess *guess);

/* The type of a column; DV_KIND_TX if no other represents all fields. */
dv_kind dvi_text_guess_kind(const dvi_text_guess *guess, int32_t column, bool has_header);

/* Is the first line a header? It is if none of its fields is a number or a time, and one is not a
 * value of the type of its column below. */
bool dvi_text_guess_has_header(const dvi_text_guess *guess);

#endif
