/* SPDX-License-Identifier: MIT */
/* bucket_order.h: rows in buckets of similar lengths (docs/shuffling.md, Buckets). */
#ifndef DVI_ORDER_BUCKET_ORDER_H
#define DVI_ORDER_BUCKET_ORDER_H

#include <dataview/bucket.h>

/* Constant once it is made. */
typedef struct dvi_bucket_plan {
    int64_t rows;
    uint32_t *lengths; /* one for each row */
    int64_t batch_rows, pool_rows;
    dv_shuffle shuffle;
    uint64_t seed;
} dvi_bucket_plan;

/* List the rows of an epoch, as dvi_epoch_lister says (epoch_list.h).  plan: a dvi_bucket_plan. */
dv_status dvi_bucket_list(const void *plan, int64_t epoch, int64_t *rows_out,
                          const dv_allocator *allocator, dv_error *err);

#endif
