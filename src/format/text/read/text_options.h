/* SPDX-License-Identifier: MIT */
/* text_options.h: how to read a text file, and into which columns. (semantics:6.1,
 * semantics:6.2) */
#ifndef DVI_FORMAT_TEXT_OPTIONS_H
#define DVI_FORMAT_TEXT_OPTIONS_H

#include "codec/date_order.h"
#include "codec/dressed.h"
#include "codec/encoding.h"
#include "codec/option_string.h"

#define DVI_TEXT_TO_END (-1)
#define DVI_TEXT_WIDE_SEPARATORS 4
#define DVI_TEXT_COMMENT_NBYTES 8

/* How a note begins: about what was found, or about what could not be settled. */
#define DVI_TEXT_NOTE_FACT '.'
#define DVI_TEXT_NOTE_DOUBT '?'

/* A range of source columns of a column. */
typedef struct dvi_text_range {
    int32_t min,
        max; /* inclusive; DVI_TEXT_TO_END: the last column of the first lines, or of each line */
    bool is_variable; /* to the end of each line */
    bool is_rest;     /* except those that other ranges name */
    bool is_vector;   /* even if it is one source column */
} dvi_text_range;

/* How the columns of several files belong together. */
typedef enum dvi_text_match {
    DVI_TEXT_MATCH_POSITION,
    DVI_TEXT_MATCH_NAME, /* by the headers, which have the same names in any order */
    DVI_TEXT_MATCH_UNION /* by the headers; a column that a file lacks is NA there */
} dvi_text_match;

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
    dv_text wide_separators[DVI_TEXT_WIDE_SEPARATORS]; /* beyond ASCII, or of several characters */
    int32_t wide_separators_count;
    bool merges_blanks; /* sep=blanks: runs of spaces and tabs are one separator */
    dvi_dress dress;    /* with csv: how numbers may be dressed; its point is `decimal` */
    dvi_date_rule date; /* with csv: how dates are read */
    bool zeros;         /* with csv: numbers may have leading zeros, which are lost */
    bool csv;           /* the rules of CSV files (docs/formats/text.md) */
    bool needs_lf;      /* ends=lf: a CR alone is text */
    bool has_unit_row;  /* the line after the header is left out */
    dvi_text_match match;
    bool allow_quoting, allow_sparse, trim, has_header, multilines, missing_real_nan;
    bool blank_is_na; /* unquoted fields only */
    bool strict;      /* what would be lost is an error: fields without a value, broken quotes,
                         fields after the last column */
    bool refuses; /* then DV_ERR_LOSS; and so are lines too short, and bytes that are not UTF-8 */
    bool counts;  /* tolerated faults are counted (dv_view_bad_fields) */
    bool has_defaults; /* fields missing at the end of a line are the default, and so is "" in
                          columns other than TX; else they are NA */
    bool has_comment; /* comment: how a line begins that is skipped; empty: none.  Else as ML.NET */
    dv_text comment;
    dv_text missing, novalue; /* words that mean NA in every column; in columns other than TX */
    int32_t skip;             /* lines before the first one that is read */
    int64_t first_fields;     /* with `refuses` and `counts`: source columns of the first line */
    int64_t first_extent;     /* and without blank ones at its end */
    bool key_is_seed;         /* U4[5]: Min 5 */
    dvi_encoding encoding;    /* as given, or UTF-8; the mark of a file counts for more, */
    dvi_encoding found;       /* so that once it is open, it has this one */
    bool names_blank, names_key, names_encoding; /* these options were given */
    int32_t size;                                /* source columns; 0: any number */
    int64_t rows;                                /* at most; -1: all */
    int32_t absent;       /* values of vectors that missingrealnan fills in a line, at most */
    int32_t piece_nbytes; /* bytes of the file per job; 0: line by line */
    char quote, escape;   /* the same: doubled quotes */
    char decimal;
    dv_text header_file;  /* NA: none */
    dvi_text_spec *specs; /* arena */
    int32_t specs_count;  /* 0: the default columns, or those named in the file */
    bool has_own;         /* an option was given that disables the options in the file */
} dvi_text_options;

/* Parse the options. Texts point into `text` or the arena, which must outlive the options. caller:
 * NULL, or options whose header file, rows, blank, keysyntax and encoding take precedence, if
 * given, over those in the file; its piece and absent always do.
 * DV_OK; DV_ERR_ARGUMENT: an option is unknown or repeated, a value is invalid, options exclude
 * each other, or a column is invalid; DV_ERR_UNSUPPORTED: the encoding; DV_ERR_MEMORY. */
dv_status dvi_text_options_read(dvi_text_options *options_out, dv_text text,
                                const dvi_text_options *caller, dvi_arena *arena, dv_error *err);

/* The next word of a string of options, as dvi_option_string_next.  In comment=# the # is the
 * value, and a value in brackets may contain white space: missing=[NA ?]. */
dv_status dvi_text_options_next(dvi_option_string *words, dvi_option_word *word, dv_error *err);

/* text_spec.c: parses one column of option col: name:type:ranges, or in braces name=, type=, src=
 * and key=. */
dv_status dvi_text_spec_read(dvi_text_spec *spec_out, const dvi_option_word *word, bool key_is_seed,
                             dvi_arena *arena, dv_error *err);

#endif
