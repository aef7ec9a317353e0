/* SPDX-License-Identifier: MIT */
/* text_rows.h: builds columns from lines, row by row. (semantics:6.2 to semantics:6.5) */
#ifndef DVI_FORMAT_TEXT_ROWS_H
#define DVI_FORMAT_TEXT_ROWS_H

#include "base/owner.h"
#include "format/text/read/text_fields.h"
#include "format/text/read/text_layout.h"
#include "format/text/read/text_scan.h"
#include <dataview/batch.h>

/* Counts of fields that could not be read. */
typedef struct dvi_text_faults {
    int64_t bad_values;    /* fields that are not a value of the column's type */
    int64_t format_errors; /* errors of quotes and sparse items */
    int64_t ill_formed;    /* characters that became U+FFFD */
} dvi_text_faults;

/* What is wrong with a line. */
typedef enum dvi_text_fault_kind {
    DVI_TEXT_FAULT_VALUE, /* a field is no value of its column */
    DVI_TEXT_FAULT_UTF8,  /* texts of a column are not UTF-8 */
    DVI_TEXT_FAULT_SHORT, /* the line has no field for a column */
    DVI_TEXT_FAULT_LONG,  /* it has more fields than there are columns */
    DVI_TEXT_FAULT_EXTRA, /* a blank field follows the last column */
    DVI_TEXT_FAULT_QUOTES /* quotes stay open, or sparse items are out of order */
} dvi_text_fault_kind;

typedef struct dvi_text_fault {
    dvi_text_fault_kind kind;
    int32_t column; /* of the builder; -1: the line */
    dv_text text;   /* of the field, or empty */
} dvi_text_fault;

typedef struct dvi_text_rows dvi_text_rows;

/* Create a builder for the named columns of a layout, in that order; a column may be named twice.
 * All arguments must outlive it. limit: most bytes of a row, including those needed while it is
 * built.
 * DV_OK; DV_ERR_LIMIT: too many columns share source columns; DV_ERR_MEMORY. */
dv_status dvi_text_rows_create(dvi_text_rows **rows_out, const dvi_text_layout *layout,
                               const dvi_text_options *options, const int32_t *columns,
                               int32_t columns_count, int64_t limit, const dv_allocator *allocator,
                               dv_error *err);
/* The same for a header: all columns are text, blank fields are empty, and white space around names
 * is removed. */
dv_status dvi_text_rows_create_names(dvi_text_rows **rows_out, const dvi_text_layout *layout,
                                     const dvi_text_options *options, const int32_t *columns,
                                     int32_t columns_count, int64_t limit,
                                     const dv_allocator *allocator, dv_error *err);
void dvi_text_rows_free(dvi_text_rows **rows);

/* Remove all rows. Memory that a batch retains is left to it. */
dv_status dvi_text_rows_clear(dvi_text_rows *rows, dv_error *err);

/* Add a row. DV_OK; DV_ERR_CORRUPT or DV_ERR_LOSS: with option strict or refuses, a fault;
 * DV_ERR_LIMIT: the row exceeds the limit, or a text or vector exceeds what a
 * batch can hold; DV_ERR_MEMORY. After a failure the earlier rows are intact, but none can be added
 * until dvi_text_rows_clear. */
dv_status dvi_text_rows_add(dvi_text_rows *rows, dv_text line, dv_error *err);

/* Which lines can be added as plain lines, and how many at a time: about *rows_out, or those in
 * *nbytes_out bytes. false: none. */
bool dvi_text_rows_plain(const dvi_text_rows *rows, dvi_text_wanted *wanted_out, int64_t *rows_out,
                         int64_t *nbytes_out);
/* Add a row for each plain line, which is in the file's encoding, as dvi_text_rows_add would, but
 * without counting faults. DV_OK; DV_NOT_FOUND: with option strict, dvi_text_rows_add would fail
 * for one of them, or with `counts` find a fault, or iconv has to decode them; DV_ERR_MEMORY: none
 * of these rows was added. */
dv_status dvi_text_rows_add_plain(dvi_text_rows *rows, const dvi_text_plain *lines, dv_error *err);

/* Call `watch` for each fault of the lines that dvi_text_rows_add adds. */
typedef void dvi_text_watch(void *ctx, const dvi_text_fault *fault);
void dvi_text_rows_watch(dvi_text_rows *rows, dvi_text_watch *watch, void *ctx);

/* Set the limit for the next rows. */
void dvi_text_rows_limit(dvi_text_rows *rows, int64_t limit);

/* The number of rows, and their approximate size. */
int64_t dvi_text_rows_count(const dvi_text_rows *rows);
int64_t dvi_text_rows_nbytes(const dvi_text_rows *rows);
dvi_text_faults dvi_text_rows_faults(const dvi_text_rows *rows);

/* The first n rows of the k-th named column, valid until dvi_text_rows_clear; adds no reference.
 * items_out: storage for the items of a vector. */
dv_column_view dvi_text_rows_column(const dvi_text_rows *rows, int32_t k, int64_t n,
                                    dv_column_view *items_out);

#endif
