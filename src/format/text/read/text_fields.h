/* SPDX-License-Identifier: MIT */
/* text_fields.h: splits a line into fields and maps them to source columns. (semantics:6.4,
 * semantics:6.5) */
#ifndef DVI_FORMAT_TEXT_FIELDS_H
#define DVI_FORMAT_TEXT_FIELDS_H

#include "format/text/read/text_options.h"
#include <string.h>

/* Which lines are skipped. A plain value. */
typedef struct dvi_text_comment {
    char start[DVI_TEXT_COMMENT_NBYTES]; /* how a comment begins; */
    size_t nbytes;                       /* 0: there are none */
    bool skips_hash;  /* lines that begin with # too, before the first line of data */
    bool skips_empty; /* and lines of nothing but spaces, NULs and Ctrl-Z */
} dvi_text_comment;

dvi_text_comment dvi_text_comment_of(const dvi_text_options *options);

/* Has the line nothing that a person would see? */
bool dvi_text_is_empty(const void *line, size_t n);

/* Is the line no row, wherever it stands: empty or a comment? */
static inline bool dvi_text_is_passed(const dvi_text_comment *comment, const void *line, size_t n)
{
    if (n > 0 && comment->skips_empty && *(const uint8_t *)line <= ' ' &&
        dvi_text_is_empty(line, n))
        return true;
    return n == 0 || (comment->nbytes > 0 && n >= comment->nbytes &&
                      memcmp(line, comment->start, comment->nbytes) == 0);
}

typedef enum dvi_text_mark {
    DVI_TEXT_PLAIN,  /* at least one byte */
    DVI_TEXT_BLANK,  /* nothing between the separators */
    DVI_TEXT_QUOTED, /* may be empty */
    DVI_TEXT_BROKEN  /* a quoting error */
} dvi_text_mark;

typedef struct dvi_text_field {
    dvi_text_mark mark;
    int32_t index; /* of `index:value`; -1: none */
    dv_text text;  /* in the line, or in the buffer for unquoted text */
} dvi_text_field;

/* The options that separate fields. A plain value. */
typedef struct dvi_text_dialect {
    bool is_separator[256];
    char only; /* the separator, if there is only one, of one byte; NUL: there are more */
    dv_text wide[DVI_TEXT_WIDE_SEPARATORS]; /* separators beyond ASCII */
    int32_t wide_count;
    bool allow_quoting, allow_sparse, skips_blanks;
    bool merges;        /* separators in a row, and those around the line, are one */
    bool keeps_broken;  /* fields with broken quotes are kept as written */
    char quote, escape; /* the same: doubled quotes */
    int64_t size;       /* source columns; 0: any number */
    int64_t dense_most; /* dense fields of a line that are read */
} dvi_text_dialect;

dvi_text_dialect dvi_text_dialect_of(const dvi_text_options *options);

/* An iterator over the fields of a line. */
typedef struct dvi_text_items {
    const dvi_text_dialect *dialect;
    const char *p, *end;
    bool has_field; /* another field starts at p */
    char *unquoted; /* buffer of line.nbytes for texts without their quotes */

    bool is_sparse, is_done, has_held;
    dvi_text_field held, first; /* the dense field before the sparse part; the first sparse field */
    int64_t dense;              /* dense fields so far */
    int64_t length, last;       /* of the sparse part */
    int64_t errors;             /* errors of quotes and sparse items */
    bool is_lazy; /* a field with broken quotes goes on to a quote before a separator, if there is
                     one; else it ends at the next separator */
    bool has_no_close; /* no such quote follows */
} dvi_text_items;

/* Parse a text that is one field: it has no separator outside quotes and is not a sparse item.
 * unquoted: at least text.nbytes bytes. */
dvi_text_field dvi_text_field_of(const dvi_text_dialect *dialect, dv_text text, char *unquoted);

/* Start on a line. unquoted: at least line.nbytes bytes. */
dvi_text_items dvi_text_items_of(const dvi_text_dialect *dialect, dv_text line, char *unquoted);

/* The next source column that has a field, in rising order; false: there are no more. */
bool dvi_text_items_next(dvi_text_items *items, int64_t *source_out, dvi_text_field *field_out);
/* Call both at the end. The number of source columns for which the line has fields: */
int64_t dvi_text_items_count(const dvi_text_items *items);
/* and up to which a range without an end goes. With sparse items and a size it is the size, even if
 * the line has fewer fields. (semantics:6.5) */
int64_t dvi_text_items_end(const dvi_text_items *items);

/* Finds lines that continue inside quotes. Pass a line and all that follow it to the same state,
 * which starts as {0}. true: the line ends inside a quoted field, and no field before it was
 * broken. */
typedef struct dvi_text_quotes {
    bool is_open, is_broken;
} dvi_text_quotes;
bool dvi_text_quotes_go_on(dvi_text_quotes *quotes, const dvi_text_dialect *dialect, dv_text line);

#endif
