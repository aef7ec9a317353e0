/* SPDX-License-Identifier: MIT */
/* epoch_order.h: which row is the next one of an epoch?  Row numbers, made without reading data
 * (docs/shuffling.md). */
#ifndef DVI_EPOCH_ORDER_H
#define DVI_EPOCH_ORDER_H

#include "epoch/epoch_plan.h"

/* A stream of the plan's `count` row numbers.  One thread at a time; each cursor has its own. */
typedef struct dvi_epoch_order dvi_epoch_order;

/* At its first number.  Memory, all of it here: a few numbers; of a pool 8 bytes for each of its
 * rows and 4 for each block, of a cache 4 for each row.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_epoch_order_create(dvi_epoch_order **order_out, const dvi_epoch_plan *plan,
                                 const dv_allocator *allocator, dv_error *err);

/* Stand before number `position`, 0 to count.  At once; but a pool draws its way there, from the
 * beginning when that lies behind. */
void dvi_epoch_order_seek(dvi_epoch_order *order, int64_t position);

/* The next n row numbers, or fewer at the end: how many; 0 says that there are none left. */
int64_t dvi_epoch_order_next(dvi_epoch_order *order, int64_t *rows_out, int64_t n);

/* The generator as the draws until now left it. */
dvi_random dvi_epoch_order_random(const dvi_epoch_order *order);

void dvi_epoch_order_free(dvi_epoch_order **order);

#endif
