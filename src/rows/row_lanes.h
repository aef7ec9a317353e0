/* SPDX-License-Identifier: MIT */
/* row_lanes.h: where does one row of a batch lie, and how are rows of several batches copied? */
#ifndef DVI_TRANSFORM_ROW_LANES_H
#define DVI_TRANSFORM_ROW_LANES_H

#include "view/gather.h"

/* One column of a batch, so that each of its rows is reached without those before it.
 *
 *   scalars   (of the column, or items of its vectors) start at the lane's own scalar 0
 *   vectors   row i has its items from item_at[i] on, its slots from index_at[i] on; both NULL when
 *             all rows are dense and have `length` slots */
typedef struct dvi_row_lane {
    const uint8_t *values; /* values, ticks, or ends of text */
    const uint8_t *more;   /* minutes, or bytes of text */
    const uint8_t *lengths, *counts, *slots;
    const int64_t *index_at, *item_at;
    int32_t first;  /* byte where text 0 starts */
    int32_t length; /* of each row, where `lengths` is NULL */
} dvi_row_lane;

/* A row of a batch. */
typedef struct dvi_place {
    const dvi_row_lane *lanes; /* one for each column */
    int64_t row;
} dvi_place;

/* Let *lane_out be a column; it points into the column's buffers, and adds no reference.  Offsets
 * of vectors are made in *memory, which may be NULL before and is then the caller's; unless they
 * follow from the length.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_lane_make(dvi_row_lane *lane_out, const dv_column_view *column, dvi_memory **memory,
                        const dv_allocator *allocator, dv_error *err);

/* Make room in a gather for column k, of that type, of n places; then copy it.  As
 * dvi_gather_reserve and dvi_gather_append.
 * DV_OK; DV_ERR_MEMORY, and DV_ERR_LIMIT for text of over 2^31-1 bytes, leave it as it is. */
dv_status dvi_lanes_reserve(dvi_gather *gather, const dv_type *type, int32_t k,
                            const dvi_place *places, int64_t n, const dv_allocator *allocator,
                            dv_error *err);
void dvi_lanes_append(dvi_gather *gather, const dv_type *type, int32_t k, const dvi_place *places,
                      int64_t n);

/* Bytes that a gather holds. */
int64_t dvi_lanes_nbytes(const dvi_gather *gather, const dv_type *type);

#endif
