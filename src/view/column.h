/* SPDX-License-Identifier: MIT */
/* column.h: column views as the library holds them: references, checks, and starting later. */
#ifndef DVI_VIEW_COLUMN_H
#define DVI_VIEW_COLUMN_H

#include <dataview/batch.h>
#include <dataview/kernel.h>

/* A column view with room for the view of a vector's items, so that both are copied together. */
typedef struct dvi_column {
    dv_column_view view;
    dv_column_view items; /* view.as.vector.items points here */
} dvi_column;

/* Copy the structs (without references), so that dst stands alone. */
void dvi_column_assign(dvi_column *dst, const dv_column_view *src);
/* One more reference to every buffer, those of the items too; one less, which empties the struct.
 */
void dvi_column_retain(const dvi_column *column);
void dvi_column_release(dvi_column *column);
/* The memory behind it will live as long as the view that hands it out (dv_owner.stays): said
 * before others have it. */
void dvi_column_will_stay(const dvi_column *column);

/* The layout that a type has, and the bytes of one value in the fixed one. */
dv_layout dvi_layout_of(const dv_type *type);
size_t dvi_width_of(const dv_type *type);

/* Do layout and buffer sizes fit the type and the rows?  DV_ERR_ARGUMENT when not. */
dv_status dvi_column_check(const dv_column_view *view, dv_error *err);

/* Indices and items that the first `rows` rows of a vector have. */
typedef struct dvi_extent {
    int64_t indices, items;
} dvi_extent;
dvi_extent dvi_vector_extent(const dv_vector_layout *vector, int64_t rows);

/* Start `rows` rows later: the first ones are no longer seen.  Walks over those rows of a vector.
 */
void dvi_column_advance(dv_column_view *view, int64_t rows);
/* The same where it is known what those rows of a vector have: at no cost. */
void dvi_column_jump(dv_column_view *view, int64_t rows, dvi_extent extent);
/* See no more than the first `rows` rows. */
void dvi_column_limit(dv_column_view *view, int64_t rows);

/* The first `rows` rows of a vector, as kernels take them; items only when they are of fixed width.
 */
dv_sparse dvi_vector_sparse(const dv_vector_layout *vector, int64_t rows);

/* Length and count of one row of a vector. */
int32_t dvi_vector_length(const dv_vector_layout *vector, int64_t row);
int32_t dvi_vector_count(const dv_vector_layout *vector, int64_t row);

/* Where row 0 of a text column starts, and where the first `rows` rows end (NA bits removed). */
int32_t dvi_text_end(const dv_text_layout *text, int64_t rows);

#endif
