/* SPDX-License-Identifier: MIT */
/* growing_column.h: a column in memory to which rows of batches are appended. */
#ifndef DVI_VIEW_GROWING_COLUMN_H
#define DVI_VIEW_GROWING_COLUMN_H

#include "base/owner.h"
#include "view/column.h"

/* A column that grows by rows. */
typedef struct dvi_growing_column {
    int64_t rows, indices, items; /* held so far */
    size_t text;                  /* bytes of text */
    /* values, ticks, or values of items; minutes; utf8; ends; lengths; counts; indices */
    dvi_memory *values, *minutes, *utf8, *ends, *lengths, *counts, *slots;
} dvi_growing_column;

/* Reserve memory to append the first `rows` rows of src. DV_ERR_MEMORY, and DV_ERR_LIMIT if the
 * text exceeds 2^31-1 bytes, leave the content unchanged. */
dv_status dvi_growing_reserve(dvi_growing_column *column, const dv_column_view *src, int64_t rows,
                              const dv_allocator *allocator, dv_error *err);
/* Append them. Cannot fail after dvi_growing_reserve. */
void dvi_growing_append(dvi_growing_column *column, const dv_column_view *src, int64_t rows);

/* Append n values of fixed width, which the caller writes at *values_out. DV_ERR_MEMORY leaves the
 * content unchanged. */
dv_status dvi_growing_values(dvi_growing_column *column, int64_t n, size_t width,
                             const dv_allocator *allocator, uint8_t **values_out, dv_error *err);

/* Drop the values of fixed width after the first n. */
void dvi_growing_cut(dvi_growing_column *column, int64_t n);

/* The size of rows in a growing column; start from {0}. */
typedef struct dvi_growing_size {
    int64_t rows, indices, items;
    size_t text;
} dvi_growing_size;

/* Add the first `rows` rows of src. */
void dvi_growing_measure(dvi_growing_size *size, const dv_column_view *src, int64_t rows);
/* The bytes of a column of this type and size. SIZE_MAX: they exceed size_t. */
size_t dvi_growing_nbytes(const dv_type *type, const dvi_growing_size *size);
/* Instead of dvi_growing_reserve, once, for an empty column: reserve exactly this size. The text
 * must be at most 2^31-1 bytes. DV_ERR_MEMORY. */
dv_status dvi_growing_allocate(dvi_growing_column *column, const dv_type *type,
                               const dvi_growing_size *size, const dv_allocator *allocator,
                               dv_error *err);

/* The content as a column view of that type, which points into the memory of the growing column. */
void dvi_growing_view(const dvi_growing_column *column, const dv_type *type,
                      dvi_column *column_out);
/* Empty the column, but keep its memory. */
void dvi_growing_reset(dvi_growing_column *column);
void dvi_growing_free(dvi_growing_column *column);

#endif
