/* SPDX-License-Identifier: MIT */
/* text_options.h: how is the text to be read, and into which columns?  (semantics:6.1,
 * semantics:6.2) */
#ifndef DVI_FORMAT_TEXT_OPTIONS_H
#define DVI_FORMAT_TEXT_OPTIONS_H

#include "base/arena.h"

#define DVI_TEXT_TO_END (-1)

/* One of the ranges of source columns that a column is made of. */
typedef struct dvi_text_range {
    int32_t min, max; /* inclusive; DVI_TEXT_TO_END: what the first lines have, or each line */
    bool is_variable; /* to the end of each line */
    bool is_rest;     /* without those that other ranges name */
    bool is_vector;   /* even when it is one source column */
} dvi_text_range;

typedef struct dvi_text_spec {
    dv_text name;
    dv_type item;
    dvi_text_range *ranges;
    int32_t ranges_count;
} dvi_text_spec;

/* Everything that a string of options says; what it does not say has the default. */
typedef struct dvi_text_options {
    char separators[16]; /* ASCII */
    int32_t separators_count;
    bool allow_quoting, allow_sparse, trim, has_header, multilines, missing_real_nan;
    bool blank_is_na;            /* of fields without quotes */
    bool key_is_seed;            /* U4[5]: Min 5 */
    bool names_blank, names_key; /* so these two were asked for */
    int32_t size;                /* source columns; 0: as many as there are */
    int64_t rows;                /* at most; -1: all */
    int32_t piece_nbytes;        /* of the file, for one thread at a time; 0: line by line */
    char escape, decimal;        /* '"': doubled quotes */
    dv_text header_file;         /* NA: none */
    dvi_text_spec *specs;        /* arena */
    int32_t specs_count;         /* 0: the default columns, or those that the file names */
    bool has_own;                /* an option that keeps options in the file from being read */
} dvi_text_options;

/* Read them.  Texts point into `text` or the arena, which must outlive the options.  caller: NULL,
 * or the options whose header file, rows, blank and keysyntax, where it names them, take precedence
 * over those that a file has.
 * DV_OK; DV_ERR_ARGUMENT: an unknown option, one that is there twice, a value that is none, options
 * that exclude each other, a column that is none; DV_ERR_MEMORY. */
dv_status dvi_text_options_read(dvi_text_options *options_out, dv_text text,
                                const dvi_text_options *caller, dvi_arena *arena, dv_error *err);

/* text_spec.c: one column, as option col has it. */
dv_status dvi_text_spec_read(dvi_text_spec *spec_out, dv_text text, bool key_is_seed,
                             dvi_arena *arena, dv_error *err);

#endif
