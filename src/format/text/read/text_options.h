/* SPDX-License-Identifier: MIT */
/* text_options.h: how to read a text file, and into which columns. (semantics:6.1,
 * semantics:6.2) */
#ifndef DVI_FORMAT_TEXT_OPTIONS_H
#define DVI_FORMAT_TEXT_OPTIONS_H

#include "base/arena.h"

#define DVI_TEXT_TO_END (-1)

/* A range of source columns of a column. */
typedef struct dvi_text_range {
    int32_t min,
        max; /* inclusive; DVI_TEXT_TO_END: the last column of the first lines, or of each line */
    bool is_variable; /* to the end of each line */
    bool is_rest;     /* except those that other ranges name */
    bool is_vector;   /* even if it is one source column */
} dvi_text_range;

typedef struct dvi_text_spec {
    dv_text name;
    dv_type item;
    dvi_text_range *ranges;
    int32_t ranges_count;
} dvi_text_spec;

/* All options, with defaults for those that the string does not name. */
typedef struct dvi_text_options {
    char separators[16]; /* ASCII */
    int32_t separators_count;
    bool allow_quoting, allow_sparse, trim, has_header, multilines, missing_real_nan;
    bool blank_is_na;            /* unquoted fields only */
    bool key_is_seed;            /* U4[5]: Min 5 */
    bool names_blank, names_key; /* these two options were given */
    int32_t size;                /* source columns; 0: any number */
    int64_t rows;                /* at most; -1: all */
    int32_t piece_nbytes;        /* bytes of the file per job; 0: line by line */
    char escape, decimal;        /* '"': doubled quotes */
    dv_text header_file;         /* NA: none */
    dvi_text_spec *specs;        /* arena */
    int32_t specs_count;         /* 0: the default columns, or those named in the file */
    bool has_own;                /* an option was given that disables the options in the file */
} dvi_text_options;

/* Parse the options. Texts point into `text` or the arena, which must outlive the options. caller:
 * NULL, or options whose header file, rows, blank and keysyntax take precedence, if given, over
 * those in the file.
 * DV_OK; DV_ERR_ARGUMENT: an option is unknown or repeated, a value is invalid, options exclude
 * each other, or a column is invalid; DV_ERR_MEMORY. */
dv_status dvi_text_options_read(dvi_text_options *options_out, dv_text text,
                                const dvi_text_options *caller, dvi_arena *arena, dv_error *err);

/* text_spec.c: parses one column of option col. */
dv_status dvi_text_spec_read(dvi_text_spec *spec_out, dv_text text, bool key_is_seed,
                             dvi_arena *arena, dv_error *err);

#endif
