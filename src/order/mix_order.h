/* SPDX-License-Identifier: MIT */
/* mix_order.h: which source each row of a mix comes from, without reading data (docs/shuffling.md,
 * Mixing). */
#ifndef DVI_ORDER_MIX_ORDER_H
#define DVI_ORDER_MIX_ORDER_H

#include "order/mix_plan.h"

/* A walk over the choices of one epoch.  One thread at a time; each cursor has its own. */
typedef struct dvi_mix_order dvi_mix_order;

/* At position 0 of the choices of this key.  All memory is allocated here: 144 KiB, and with
 * `shuffle` 8 KiB for each source.  The plan must outlive it.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_mix_order_create(dvi_mix_order **order_out, const dvi_mix_plan *plan, uint64_t key,
                               const dv_allocator *allocator, dv_error *err);
void dvi_mix_order_free(dvi_mix_order **order); /* sets NULL; NULL is fine */

/* The number of rows of an epoch without the option `rows`, if all counts are known; INT64_MAX: no
 * end, or 2^62 and more. */
int64_t dvi_mix_order_count(const dvi_mix_order *order);

/* Go to a position, 0 to 2^62: at most a few thousand choices are made, and for each source that is
 * exhausted before it one period.  Drops after the position are undone. */
void dvi_mix_order_seek(dvi_mix_order *order, int64_t position);

/* The source of the next row; -1: all of them are exhausted, as far as counts are known. */
int32_t dvi_mix_order_source(dvi_mix_order *order);
/* Take it: go to the next position. */
void dvi_mix_order_step(dvi_mix_order *order);
/* The source of the next row has no more rows: the others go on from here. */
void dvi_mix_order_drop(dvi_mix_order *order);

/* Rows of a source that were taken before this position, all of its passes together. */
int64_t dvi_mix_order_taken(const dvi_mix_order *order, int32_t source);

/* If all counts are known: the rows that come next, as row numbers of the concatenation of the
 * sources; steps over them.  Returns how many: fewer than n only at the end. */
int64_t dvi_mix_order_rows(dvi_mix_order *order, int64_t *rows_out, int64_t n);

#endif
