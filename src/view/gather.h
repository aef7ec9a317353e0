/* SPDX-License-Identifier: MIT */
/* gather.h: rows from several batches, copied into one. */
#ifndef DVI_VIEW_GATHER_H
#define DVI_VIEW_GATHER_H

#include "base/owner.h"
#include "view/column.h"

/* One column that grows row by row. */
typedef struct dvi_gather {
    int64_t rows, indices, items; /* what it holds so far */
    size_t text;                  /* bytes of text */
    /* values or ticks or items' values · minutes · utf8 · ends · lengths · counts · indices */
    dvi_memory *values, *minutes, *utf8, *ends, *lengths, *counts, *slots;
} dvi_gather;

/* Make room for the first `rows` rows of src behind those held.  DV_ERR_MEMORY, and DV_ERR_LIMIT
 * for text of over 2^31-1 bytes, leave the content as it is. */
dv_status dvi_gather_reserve(dvi_gather *gather, const dv_column_view *src, int64_t rows,
                             const dv_allocator *allocator, dv_error *err);
/* Copy them; cannot fail after dvi_gather_reserve. */
void dvi_gather_append(dvi_gather *gather, const dv_column_view *src, int64_t rows);

/* What rows take in the memory of a gather: start from {0}. */
typedef struct dvi_gather_size {
    int64_t rows, indices, items;
    size_t text;
} dvi_gather_size;

/* Add the first `rows` rows of src. */
void dvi_gather_measure(dvi_gather_size *size, const dv_column_view *src, int64_t rows);
/* Bytes of such a column of that type; SIZE_MAX: too many. */
size_t dvi_gather_nbytes(const dv_type *type, const dvi_gather_size *size);
/* Instead of dvi_gather_reserve, once, in an empty gather: room for just these, whose text must be
 * at most 2^31-1 bytes.  DV_ERR_MEMORY. */
dv_status dvi_gather_allocate(dvi_gather *gather, const dv_type *type, const dvi_gather_size *size,
                              const dv_allocator *allocator, dv_error *err);

/* What is held, as a column view of that type that points into the gather's memory. */
void dvi_gather_view(const dvi_gather *gather, const dv_type *type, dvi_column *column_out);
/* Hold nothing, and keep the memory for the next time. */
void dvi_gather_reset(dvi_gather *gather);
void dvi_gather_free(dvi_gather *gather);

#endif
