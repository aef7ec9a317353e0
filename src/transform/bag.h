/* SPDX-License-Identifier: MIT */
/* bag.h: counts how often each slot comes in a row, and writes such rows as vectors of R4. */
#ifndef DVI_TRANSFORM_BAG_H
#define DVI_TRANSFORM_BAG_H

#include "base/owner.h"
#include "view/column.h"

/* The slots of one row, each once. A table finds a slot; its entries hold the number of the row,
 * so that those of earlier rows are free. At first zero. */
typedef struct dvi_bag {
    dvi_memory *table; /* uint64: the number of the row above, the place in the list below */
    dvi_memory *list;  /* uint64: a slot above, how often it came below */
    dvi_memory *scratch;
    size_t cap; /* of the table: a power of two, or 0 */
    int shift;
    uint32_t row, used;
} dvi_bag;

/* Go on with a row without slots. */
void dvi_bag_begin(dvi_bag *bag);
/* Make room for so many more slots. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_bag_reserve(dvi_bag *bag, size_t more, const dv_allocator *allocator, dv_error *err);
void dvi_bag_free(dvi_bag *bag);

static inline void dvi_bag_add(dvi_bag *bag, uint32_t slot)
{
    uint64_t *table = (uint64_t *)(void *)bag->table->data;
    uint64_t *list = (uint64_t *)(void *)bag->list->data;
    size_t at = (slot * UINT32_C(0x9E3779B1)) >> bag->shift;
    for (; (uint32_t)(table[at] >> 32) == bag->row; at = (at + 1) & (bag->cap - 1)) {
        uint64_t *known = &list[(uint32_t)table[at]];
        if ((uint32_t)(*known >> 32) == slot) {
            *known += (uint32_t)*known < UINT32_MAX;
            return;
        }
    }
    table[at] = (uint64_t)bag->row << 32 | bag->used;
    list[bag->used++] = (uint64_t)slot << 32 | 1;
}

/* What a count becomes. */
typedef struct dvi_bag_weights {
    const double *by_slot; /* NULL: the count itself */
    bool once;             /* the weight, whatever the count; else their product */
    uint32_t most;         /* of a count */
} dvi_bag_weights;

/* Vectors of one length, row by row; at first zero. Its memory is used again for each batch. */
typedef struct dvi_bag_vectors {
    dvi_memory *counts, *lengths, *indices, *items;
    size_t indices_count, items_count;
    int64_t rows;
} dvi_bag_vectors;

dv_status dvi_bag_vectors_start(dvi_bag_vectors *vectors, int64_t rows,
                                const dv_allocator *allocator, dv_error *err);
/* Write the bag as the next row: its slots, below `size`, in their order. A row in which half of
 * the slots have come is dense. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_bag_vectors_add(dvi_bag_vectors *vectors, dvi_bag *bag, int32_t size,
                              const dvi_bag_weights *weights, const dv_allocator *allocator,
                              dv_error *err);
/* Set dst to the vectors. Each has type->size slots. */
void dvi_bag_vectors_column(const dvi_bag_vectors *vectors, const dv_type *type, dvi_column *dst);
void dvi_bag_vectors_free(dvi_bag_vectors *vectors);

#endif
