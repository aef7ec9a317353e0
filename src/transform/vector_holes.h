/* SPDX-License-Identifier: MIT */
/* vector_holes.h: keys for the slots of sparse vectors that have no item, where the default value
 * has a key. */
#ifndef DVI_TRANSFORM_VECTOR_HOLES_H
#define DVI_TRANSFORM_VECTOR_HOLES_H

#include "base/owner.h"
#include "view/column.h"

/* The most slots of a batch that gets such keys: a vector may claim 2^31-1 slots and have no item.
 */
#define DVI_HOLES_SLOTS (INT64_C(1) << 28)

/* The slots of the first `rows` rows of a vector. */
int64_t dvi_vector_slots(const dv_vector_layout *vector, int64_t rows);
/* DV_ERR_LIMIT: they are more than DVI_HOLES_SLOTS. */
dv_status dvi_holes_check(int64_t slots, dv_error *err);

/* Of one column; reused for each batch. */
typedef struct dvi_holes {
    dvi_memory *keys, *counts;
} dvi_holes;

/* Make every row of dst->view dense; its items, dst->items from row 0 on, are keys of 4 bytes.
 *
 * slots    of all rows
 * by_slot  the key of a slot without an item, for each slot of the longest row; NULL: it is `key`
 *
 * DV_OK; DV_ERR_LIMIT: as dvi_holes_check; DV_ERR_MEMORY. */
dv_status dvi_holes_fill(dvi_holes *holes, dvi_column *dst, int64_t slots, const uint32_t *by_slot,
                         uint32_t key, const dv_allocator *allocator, dv_error *err);
void dvi_holes_free(dvi_holes *holes);

#endif
