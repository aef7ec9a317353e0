/* SPDX-License-Identifier: MIT */
/* epoch_order.h: the row numbers of an epoch, made without reading data (docs/shuffling.md). */
#ifndef DVI_ORDER_EPOCH_ORDER_H
#define DVI_ORDER_EPOCH_ORDER_H

#include "order/epoch_plan.h"

/* A stream of the plan's `count` row numbers.  One thread at a time; each cursor has its own. */
typedef struct dvi_epoch_order dvi_epoch_order;

/* Starts at its first number.  All memory is allocated here: a few numbers; for a pool 8 bytes for
 * each of its rows and 4 for each block, for a cache 4 for each row.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_epoch_order_create(dvi_epoch_order **order_out, const dvi_epoch_plan *plan,
                                 const dv_allocator *allocator, dv_error *err);

/* Go to number `position`, 0 to count.  At once; but the next number of a pool costs all draws
 * before it, from the beginning if the position is an earlier one. */
void dvi_epoch_order_seek(dvi_epoch_order *order, int64_t position);

/* The next n row numbers, or fewer at the end: returns how many; 0: none are left. */
int64_t dvi_epoch_order_next(dvi_epoch_order *order, int64_t *rows_out, int64_t n);

/* The generator, as the draws until now left it. */
dvi_random dvi_epoch_order_random(const dvi_epoch_order *order);

void dvi_epoch_order_free(dvi_epoch_order **order);

#endif
