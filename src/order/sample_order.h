/* SPDX-License-Identifier: MIT */
/* sample_order.h: the rows of a sample in an epoch, by position (docs/shuffling.md). */
#ifndef DVI_ORDER_SAMPLE_ORDER_H
#define DVI_ORDER_SAMPLE_ORDER_H

#include "base/owner.h"
#include "order/permutation.h"
#include "order/sample_plan.h"

/* Each position by itself, or from a list of all rows of the epoch. */
typedef struct dvi_sample_order {
    const dvi_sample_plan *plan;
    uint64_t key;
    const int64_t *list;   /* NULL: there is none */
    dvi_permutation equal; /* orders the rows of the source: equal rows, each once */
} dvi_sample_order;

/* The epoch whose rows a cursor with this one draws. */
int64_t dvi_sample_epoch(const dvi_sample_plan *plan, int64_t epoch);

/* Is a list needed?  Make it: plan->count numbers.  DV_OK; DV_ERR_MEMORY. */
bool dvi_sample_is_listed(const dvi_sample_plan *plan);
dv_status dvi_sample_list(dvi_memory **list_out, const dvi_sample_plan *plan, int64_t epoch,
                          const dv_allocator *allocator, dv_error *err);

/* plan and list must outlive the order.  list: NULL if none is needed. */
void dvi_sample_order_make(dvi_sample_order *order, const dvi_sample_plan *plan, int64_t epoch,
                           const dvi_memory *list);

/* The rows at `position` and up to n - 1 positions more; returns how many there are. */
int64_t dvi_sample_order_fill(const dvi_sample_order *order, int64_t position, int64_t *rows_out,
                              int64_t n);

#endif
