/* SPDX-License-Identifier: MIT */
/* sample_order.h: the rows of a sample in an epoch, by position (docs/shuffling.md). */
#ifndef DVI_ORDER_SAMPLE_ORDER_H
#define DVI_ORDER_SAMPLE_ORDER_H

#include "order/permutation.h"
#include "order/sample_plan.h"

/* Rows of which each position is drawn by itself. */
typedef struct dvi_sample_order {
    const dvi_sample_plan *plan;
    uint64_t key;
    dvi_permutation equal; /* orders the rows of the source: equal rows, each once */
} dvi_sample_order;

/* The epoch whose rows a cursor with this one draws. */
int64_t dvi_sample_epoch(const dvi_sample_plan *plan, int64_t epoch);

/* Must all rows of an epoch be drawn to know one?  Then list them: plan->count numbers, at least
 * one, as dvi_epoch_lister says.  DV_OK; DV_ERR_MEMORY. */
bool dvi_sample_is_listed(const dvi_sample_plan *plan);
dv_status dvi_sample_list(const void *plan, int64_t epoch, int64_t *rows_out,
                          const dv_allocator *allocator, dv_error *err);

/* For a sample that is not listed.  plan must outlive the order. */
void dvi_sample_order_make(dvi_sample_order *order, const dvi_sample_plan *plan, int64_t epoch);

/* The rows at `position` and up to n - 1 positions more; returns how many there are. */
int64_t dvi_sample_order_fill(const dvi_sample_order *order, int64_t position, int64_t *rows_out,
                              int64_t n);

#endif
