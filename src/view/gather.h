/* SPDX-License-Identifier: MIT */
/* gather.h: copies rows of several batches into one column. */
#ifndef DVI_VIEW_GATHER_H
#define DVI_VIEW_GATHER_H

#include "base/owner.h"
#include "view/column.h"

/* A column that grows by rows. */
typedef struct dvi_gather {
    int64_t rows, indices, items; /* held so far */
    size_t text;                  /* bytes of text */
    /* values, ticks, or values of items; minutes; utf8; ends; lengths; counts; indices */
    dvi_memory *values, *minutes, *utf8, *ends, *lengths, *counts, *slots;
} dvi_gather;

/* Reserve memory to append the first `rows` rows of src. DV_ERR_MEMORY, and DV_ERR_LIMIT if the
 * text exceeds 2^31-1 bytes, leave the content unchanged. */
dv_status dvi_gather_reserve(dvi_gather *gather, const dv_column_view *src, int64_t rows,
                             const dv_allocator *allocator, dv_error *err);
/* Append them. Cannot fail after dvi_gather_reserve. */
void dvi_gather_append(dvi_gather *gather, const dv_column_view *src, int64_t rows);

/* The size of rows in a gather; start from {0}. */
typedef struct dvi_gather_size {
    int64_t rows, indices, items;
    size_t text;
} dvi_gather_size;

/* Add the first `rows` rows of src. */
void dvi_gather_measure(dvi_gather_size *size, const dv_column_view *src, int64_t rows);
/* The bytes of a column of this type and size. SIZE_MAX: they exceed size_t. */
size_t dvi_gather_nbytes(const dv_type *type, const dvi_gather_size *size);
/* Instead of dvi_gather_reserve, once, for an empty gather: reserve exactly this size. The text
 * must be at most 2^31-1 bytes. DV_ERR_MEMORY. */
dv_status dvi_gather_allocate(dvi_gather *gather, const dv_type *type, const dvi_gather_size *size,
                              const dv_allocator *allocator, dv_error *err);

/* The content as a column view of that type, which points into the memory of the gather. */
void dvi_gather_view(const dvi_gather *gather, const dv_type *type, dvi_column *column_out);
/* Empty the gather, but keep its memory. */
void dvi_gather_reset(dvi_gather *gather);
void dvi_gather_free(dvi_gather *gather);

#endif
