/* SPDX-License-Identifier: MIT */
/* text_fields.h: which fields has a line, and which source columns are they?  (semantics:6.4,
 * semantics:6.5) */
#ifndef DVI_FORMAT_TEXT_FIELDS_H
#define DVI_FORMAT_TEXT_FIELDS_H

#include "format/text/read/text_options.h"

typedef enum dvi_text_mark {
    DVI_TEXT_PLAIN,  /* at least one byte */
    DVI_TEXT_BLANK,  /* nothing between the separators */
    DVI_TEXT_QUOTED, /* may be empty */
    DVI_TEXT_BROKEN  /* a quoting error */
} dvi_text_mark;

typedef struct dvi_text_field {
    dvi_text_mark mark;
    int32_t index; /* of `index:value`; -1: none */
    dv_text text;  /* in the line, or where quotes were taken out */
} dvi_text_field;

/* How fields are told apart: options as the walk wants them.  A plain value. */
typedef struct dvi_text_dialect {
    bool is_separator[256];
    bool allow_quoting, allow_sparse, skips_blanks;
    char escape;
    int64_t size; /* source columns; 0: as many as there are */
} dvi_text_dialect;

dvi_text_dialect dvi_text_dialect_of(const dvi_text_options *options);

/* A line on the way from field to field. */
typedef struct dvi_text_items {
    const dvi_text_dialect *dialect;
    const char *p, *end;
    bool has_field; /* one more starts at p */
    char *unquoted; /* room for as many bytes as the line has; texts without their quotes */

    bool is_sparse, is_done, has_held;
    dvi_text_field held, first; /* the dense field before; the first sparse one */
    int64_t dense;              /* fields so far that are no items */
    int64_t length, last;       /* of the sparse part */
    int64_t errors;             /* of the format: quotes, and sparse items */
} dvi_text_items;

/* The field that is all of the text, which has no separator outside its quotes and is no sparse
 * item.  unquoted: at least text.nbytes bytes. */
dvi_text_field dvi_text_field_of(const dvi_text_dialect *dialect, dv_text text, char *unquoted);

/* Begin with a line.  unquoted: at least line.nbytes bytes. */
dvi_text_items dvi_text_items_of(const dvi_text_dialect *dialect, dv_text line, char *unquoted);

/* The next source column that has a field, rising; false: there are no more. */
bool dvi_text_items_next(dvi_text_items *items, int64_t *source_out, dvi_text_field *field_out);
/* Then: how many source columns the line has. */
int64_t dvi_text_items_count(const dvi_text_items *items);

/* Lines that go on in quotes: feed a line, and all that follow it, to the same state, which starts
 * from {0}.  true: the line ends inside a quoted field, and no field before was broken. */
typedef struct dvi_text_quotes {
    bool is_open, is_broken;
} dvi_text_quotes;
bool dvi_text_quotes_go_on(dvi_text_quotes *quotes, const dvi_text_dialect *dialect, dv_text line);

#endif
