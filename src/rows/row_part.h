/* SPDX-License-Identifier: MIT */
/* row_part.h: a batch of which only the buffers are kept. */
#ifndef DVI_TRANSFORM_ROW_PART_H
#define DVI_TRANSFORM_ROW_PART_H

#include "rows/row_lanes.h"

typedef struct dvi_row_part {
    struct dvi_row_part *next;
    int64_t rows;
    int64_t left;        /* rows that are still to be delivered: of rows copied together */
    int64_t held_nbytes; /* memory that is there because of this part, itself apart */
    dvi_memory **offsets;
    dv_owner **owners; /* one reference each */
    size_t owners_count, nbytes;
    int32_t columns;
    dvi_row_lane lanes[];
} dvi_row_part;

/* Columns of so many rows.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_row_part_make(dvi_row_part **part_out, const dv_column_view *const *columns,
                            int32_t n, int64_t rows, const dv_allocator *allocator, dv_error *err);
void dvi_row_part_free(dvi_row_part *part, const dv_allocator *allocator); /* NULL is fine */

/* Would a part of this column cost no memory but for its lane? */
bool dvi_row_part_is_free(const dv_column_view *column);

#endif
