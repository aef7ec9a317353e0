/* SPDX-License-Identifier: MIT */
/* column.h: column views as the library holds them: references, checks and slices. */
#ifndef DVI_VIEW_COLUMN_H
#define DVI_VIEW_COLUMN_H

#include "base/owner.h"
#include "simd/kernel.h"
#include <dataview/value.h>

/* A column view together with the view of its items, if it is a vector; both are copied at once. */
typedef struct dvi_column {
    dv_column_view view;
    dv_column_view items; /* view.as.vector.items points here */
} dvi_column;

/* Copy both structs, without new references. */
void dvi_column_assign(dvi_column *dst, const dv_column_view *src);
/* Add or drop a reference to every buffer, those of the items included. Releasing empties the
 * struct. */
void dvi_column_retain(const dvi_column *column);
void dvi_column_release(dvi_column *column);
/* Declare that its memory lives as long as the view that delivers it (dv_owner.stays). Call it
 * before the column is delivered. */
void dvi_column_will_stay(const dvi_column *column);

/* The layout of a type, and the bytes of one value in the fixed layout. */
dv_layout dvi_layout_of(const dv_type *type);
size_t dvi_width_of(const dv_type *type);

/* A column of one row, the default value of a type that is neither a vector nor an extension. */
dv_column_view dvi_column_of_default(const dv_type *type);

/* Set dst->view to vectors whose items are dst->items, from row 0 on. Adds no reference.
 *
 * lengths  of each row; not read if the type has a size
 * indices  n of them */
void dvi_column_set_vectors(dvi_column *dst, const dv_type *type, int64_t rows, dvi_memory *lengths,
                            dvi_memory *counts, dvi_memory *indices, int64_t n);

/* Check that layout and buffer sizes fit the type and the rows. DV_ERR_ARGUMENT if not. */
dv_status dvi_column_check(const dv_column_view *view, dv_error *err);

/* The numbers of indices and items of the first `rows` rows of a vector. */
typedef struct dvi_extent {
    int64_t indices, items;
} dvi_extent;
dvi_extent dvi_vector_extent(const dv_vector_layout *vector, int64_t rows);

/* Remove the first `rows` rows from the view. Reads the counts of these rows of a vector. */
void dvi_column_advance(dv_column_view *view, int64_t rows);
/* The same if the extent of these rows of a vector is known: in constant time. */
void dvi_column_jump(dv_column_view *view, int64_t rows, dvi_extent extent);
/* Limit the view to its first `rows` rows. */
void dvi_column_limit(dv_column_view *view, int64_t rows);

/* The first `rows` rows of a vector as kernels take them; with items only if these have fixed
 * width. */
dv_sparse dvi_vector_sparse(const dv_vector_layout *vector, int64_t rows);

/* Length and count of one row of a vector. */
int32_t dvi_vector_length(const dv_vector_layout *vector, int64_t row);
int32_t dvi_vector_count(const dv_vector_layout *vector, int64_t row);

/* The end of the first `rows` rows of a text column, without the NA bit; for 0 rows, the start of
 * row 0. */
int32_t dvi_text_end(const dv_text_layout *text, int64_t rows);

/* Check a column of TX or BY whose buffers are long enough for its rows (dvi_column_check), as
 * savers do before they write: ends never decrease and stay within the bytes; TX is valid UTF-8,
 * and no end is inside a character. Returns NULL, or what was expected: "texts end to end". */
const char *dvi_text_check(const dv_column_view *texts);

#define DVI_VALUE_BYTES 10 /* of DZ; other values are in their batch */

/* The bytes by which two values of a column are the same, of one that is neither NA nor a vector. 0
 * and -0 are one value; DZ of one instant in two zones are two. The result points to `own` or into
 * the batch. */
dv_text dvi_value_bytes(const dv_value *value, char own[DVI_VALUE_BYTES]);

#endif
