/* SPDX-License-Identifier: MIT */
/* kept_batch.h: a batch of which only the buffers are kept. */
#ifndef DVI_KEPT_BATCH_H
#define DVI_KEPT_BATCH_H

#include "rows/row_ref.h"

typedef struct dvi_kept_batch {
    struct dvi_kept_batch *next;
    int64_t rows;
    int64_t left;        /* rows that are still to be delivered: of rows copied together */
    int64_t held_nbytes; /* memory that is there because of this part, itself apart */
    dvi_memory **offsets;
    dv_owner **owners; /* one reference each */
    size_t owners_count, nbytes;
    int32_t columns;
    dvi_kept_column column[];
} dvi_kept_batch;

/* Columns of so many rows.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_kept_batch_make(dvi_kept_batch **kept_out, const dv_column_view *const *columns,
                              int32_t n, int64_t rows, const dv_allocator *allocator,
                              dv_error *err);
void dvi_kept_batch_free(dvi_kept_batch *kept, const dv_allocator *allocator); /* NULL is fine */

/* Would a part of this column cost no memory but for its lane? */
bool dvi_kept_batch_is_free(const dv_column_view *column);

#endif
