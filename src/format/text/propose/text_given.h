/* SPDX-License-Identifier: MIT */
/* text_given.h: what a caller asks of a proposal: `auto`, and options that it has to keep. */
#ifndef DVI_FORMAT_TEXT_GIVEN_H
#define DVI_FORMAT_TEXT_GIVEN_H

#include "base/arena.h"
#include "io/map.h"
#include "format/text/read/text_options.h"

/* type=NAME:TYPE */
typedef struct dvi_text_given_type {
    dv_text name, type;
    bool is_used;
} dvi_text_given_type;

typedef struct dvi_text_given {
    const char *words; /* the options as given, without those of proposals alone; arena */
    bool has_own;      /* there are some that options in the file would contradict */
    dv_text first_own; /* the name of the first of them */
    bool has_sep, has_decimal, has_quote, has_multilines, has_header, has_sparse, has_comment;
    bool has_skip, has_defaults, has_strict, has_blank, has_novalue, has_csv, has_ends, has_zeros,
        has_date, has_thousands, has_escape, has_quote_char, has_encoding, has_match;
    bool header; /* with has_header */
    dvi_encoding encoding;
    bool narrow, pack; /* the least types; vectors of adjacent numbers */
    dvi_text_given_type *types;
    int32_t types_count;
    bool has_union;       /* match=union */
    dvi_map *const *maps; /* the files that are read as one table; NULL: one file, */
    int32_t maps_count;   /* in the list too */
} dvi_text_given;

/* Read the string after `auto`.  text: NULL, or the option `text` of dv_open.  Texts point into the
 * arena.
 * DV_OK; DV_ERR_ARGUMENT: an option is invalid, or columns are given; DV_ERR_UNSUPPORTED: the
 * encoding; DV_ERR_MEMORY. */
dv_status dvi_text_given_read(dvi_text_given *given_out, const char *text, dvi_arena *arena,
                              dv_error *err);

/* Add the encoding of text in UTF-16 or UTF-32 without a mark. Statuses as
 * dvi_text_lines_unmarked. */
dv_status dvi_text_given_unmarked(dvi_text_given *given, dvi_map *map, dvi_arena *arena,
                                  dv_error *err);

/* Does the file say itself how it is read? encoding: that is given. */
dv_status dvi_text_has_options(bool *has_out, dvi_map *map, const dvi_encoding *encoding,
                               dv_error *err);

#endif
