/* SPDX-License-Identifier: MIT */
/* row_queue.h: takes batches of any size and gives batches of the size that is asked for. */
#ifndef DVI_FORMAT_IDV_ROW_QUEUE_H
#define DVI_FORMAT_IDV_ROW_QUEUE_H

#include "view/batch.h"
#include "view/growing_column.h"

typedef struct dvi_row_queue {
    const dv_allocator *allocator;
    const dv_type *const *types; /* one per column */
    int32_t columns;
    int64_t rows; /* in the queue */

    const dv_batch **batches; /* first..end-1, retained */
    size_t first, end, cap;
    int64_t taken;    /* rows of the first batch */
    dvi_column *rest; /* the other rows of the first batch, of each column */
    dvi_growing_column *gather;
} dvi_row_queue;

/* Start with an empty queue. types: n of them, alive as long as the queue and its batches. Close
 * the queue in any case. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_row_queue_open(dvi_row_queue *queue, const dv_type *const *types, int32_t n,
                             const dv_allocator *allocator, dv_error *err);
void dvi_row_queue_close(dvi_row_queue *queue);

/* Append the rows of a batch with these columns; it is retained. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_row_queue_add(dvi_row_queue *queue, const dv_batch *batch, dv_error *err);

/* Take the first rows, at least one and at most those in the queue: as a batch, whose reference is
 * the caller's. They are copied only if they are not all in one batch. DV_OK; DV_ERR_MEMORY;
 * DV_ERR_LIMIT, rule batch_rows: more than 2^31-1 bytes of text. After a failure the queue can only
 * be closed. */
dv_status dvi_row_queue_take(dvi_row_queue *queue, int64_t rows, const dv_batch **batch_out,
                             dv_error *err);

#endif
