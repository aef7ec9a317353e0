/* SPDX-License-Identifier: MIT */
/* row_ref.h: references to single rows of kept batches, and copies of the rows they refer to. */
#ifndef DVI_GATHER_ROW_REF_H
#define DVI_GATHER_ROW_REF_H

#include "view/growing_column.h"
#include <dataview/own_view.h>

/* One column of a kept batch, in a form in which each row is reached without those before it.
 *
 *   scalars   (of the column, or items of its vectors) start at scalar 0 of this struct
 *   vectors   the items of row i start at item_at[i], its slots at index_at[i]; both are NULL if
 *             all rows are dense and have `length` slots
 *
 * Ends, lengths, counts and slots may be in a mapped file that changes (DVI_CURSOR_IN_PLACE): they
 * are checked when they are copied. */
typedef struct dvi_kept_column {
    const uint8_t *values; /* values, ticks, or ends of text */
    const uint8_t *more;   /* minutes, or bytes of text */
    size_t text_nbytes;    /* of all texts; beside the members that each row of text needs */
    const uint8_t *lengths, *counts, *slots;
    const int64_t *index_at, *item_at;
    int32_t first;  /* byte where text 0 starts */
    int32_t length; /* of each row, if `lengths` is NULL */
} dvi_kept_column;

/* A row of a kept batch. */
typedef struct dvi_row_ref {
    const dvi_kept_column *columns; /* of the batch */
    int64_t row;
} dvi_row_ref;

/* Make *column_out of a column.  It points into the column's buffers, and adds no reference.
 * Offsets of vectors, unless they follow from the length, are made in *memory, which may be NULL
 * before and is then the caller's.  DV_OK; DV_ERR_MEMORY; DV_ERR_CORRUPT: the file changes. */
dv_status dvi_kept_column_make(dvi_kept_column *column_out, const dv_column_view *view,
                               dvi_memory **memory, const dv_allocator *allocator, dv_error *err);

/* The type of column k of a request; of its ids, which follow its columns. */
const dv_type *dvi_row_type(const dv_cursor_request *request, int32_t k);

/* Make room in a gather for column k, of that type, of n rows; then copy them.  As
 * dvi_growing_reserve and dvi_growing_append.
 *
 * Reserve: DV_OK; DV_ERR_MEMORY, and DV_ERR_LIMIT for text of more than 2^31-1 bytes, leave the
 * gather as it is.  Append: DV_OK; DV_ERR_CORRUPT: the file changes; no row may be delivered. */
dv_status dvi_row_refs_reserve(dvi_growing_column *gather, const dv_type *type, int32_t k,
                               const dvi_row_ref *refs, int64_t n, const dv_allocator *allocator,
                               dv_error *err);
/* The bytes that they take in a gather. */
size_t dvi_row_refs_measure(const dv_type *type, int32_t k, const dvi_row_ref *refs, int64_t n);
dv_status dvi_row_refs_append(dvi_growing_column *gather, const dv_type *type, int32_t k,
                              const dvi_row_ref *refs, int64_t n, dv_error *err);

/* Copy column k of n rows of values of fixed width: row i to dst + i * pitch.  All rows are dense,
 * and have `nbytes` bytes, at least one. */
void dvi_row_refs_copy(uint8_t *dst, size_t pitch, int32_t k, const dvi_row_ref *refs, int64_t n,
                       size_t nbytes);

/* The slots of a vector; and copy n slots from `first` on of one with items of fixed width to dst,
 * as bytes: those that a sparse row does not store are zeros.  DV_OK; DV_ERR_CORRUPT: the file
 * changes, as there are not that many. */
int32_t dvi_row_ref_length(const dvi_row_ref *ref, int32_t k);
dv_status dvi_row_ref_slots(const dvi_row_ref *ref, int32_t k, size_t width, int32_t first,
                            int32_t n, uint8_t *dst, dv_error *err);

/* Where a row of dvi_row_refs_copy lies; and bring it into the cache, to be read soon. */
const uint8_t *dvi_row_ref_at(const dvi_row_ref *ref, int32_t k, size_t nbytes);
void dvi_row_ref_fetch(const dvi_row_ref *ref, int32_t k, size_t nbytes);

/* Bytes that a gather holds. */
int64_t dvi_row_refs_nbytes(const dvi_growing_column *gather, const dv_type *type);

#endif
