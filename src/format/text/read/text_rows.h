/* SPDX-License-Identifier: MIT */
/* text_rows.h: lines become columns, a row at a time.  (semantics:6.2 to semantics:6.5) */
#ifndef DVI_FORMAT_TEXT_ROWS_H
#define DVI_FORMAT_TEXT_ROWS_H

#include "base/owner.h"
#include "format/text/read/text_fields.h"
#include "format/text/read/text_layout.h"
#include "format/text/read/text_scan.h"
#include <dataview/batch.h>

/* What became of fields that could not be read. */
typedef struct dvi_text_faults {
    int64_t bad_values;    /* fields that are no value of the column's type */
    int64_t format_errors; /* quotes and sparse items */
    int64_t ill_formed;    /* characters that became U+FFFD */
} dvi_text_faults;

typedef struct dvi_text_rows dvi_text_rows;

/* For the columns of a layout that are named, in that order; one of them may be there twice.  All
 * that is handed over must outlive it.  limit: most bytes that a row may take, on the way too.
 * DV_OK; DV_ERR_LIMIT: too many columns share source columns; DV_ERR_MEMORY. */
dv_status dvi_text_rows_create(dvi_text_rows **rows_out, const dvi_text_layout *layout,
                               const dvi_text_options *options, const int32_t *columns,
                               int32_t columns_count, int64_t limit, const dv_allocator *allocator,
                               dv_error *err);
/* The same for a header: all columns are text, blank is empty, white space around names goes. */
dv_status dvi_text_rows_create_names(dvi_text_rows **rows_out, const dvi_text_layout *layout,
                                     const dvi_text_options *options, const int32_t *columns,
                                     int32_t columns_count, int64_t limit,
                                     const dv_allocator *allocator, dv_error *err);
void dvi_text_rows_free(dvi_text_rows **rows);

/* No rows; memory that a batch holds on to is left to it. */
dv_status dvi_text_rows_clear(dvi_text_rows *rows, dv_error *err);

/* One more row.  DV_OK; DV_ERR_LIMIT: the row is larger than the limit, or a text or a vector than
 * a batch can have; DV_ERR_MEMORY.  After a failure the rows before are still there, and no more
 * can be added until clear. */
dv_status dvi_text_rows_add(dvi_text_rows *rows, dv_text line, dv_error *err);

/* Which lines may be added as they lie, and how many of them at a time: about rows_out, or as many
 * as have nbytes_out bytes.  false: none. */
bool dvi_text_rows_plain(const dvi_text_rows *rows, dvi_text_wanted *wanted_out, int64_t *rows_out,
                         int64_t *nbytes_out);
/* One more row for each of them, the same as dvi_text_rows_add would make of it, but that faults
 * are not counted.  DV_OK; DV_ERR_MEMORY as there, and then none of these rows is there. */
dv_status dvi_text_rows_add_plain(dvi_text_rows *rows, const dvi_text_plain *lines, dv_error *err);

/* Another limit, for the next rows. */
void dvi_text_rows_limit(dvi_text_rows *rows, int64_t limit);

/* Rows, and about how many bytes they take. */
int64_t dvi_text_rows_count(const dvi_text_rows *rows);
int64_t dvi_text_rows_nbytes(const dvi_text_rows *rows);
dvi_text_faults dvi_text_rows_faults(const dvi_text_rows *rows);

/* The first n rows of column k of those named, good until clear; adds no reference.  items_out:
 * storage for the items of a vector. */
dv_column_view dvi_text_rows_column(const dvi_text_rows *rows, int32_t k, int64_t n,
                                    dv_column_view *items_out);

#endif
