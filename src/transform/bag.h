/* SPDX-License-Identifier: MIT */
/* bag.h: counts how often each slot comes in a row, and writes such rows as vectors of R4. */
#ifndef DVI_TRANSFORM_BAG_H
#define DVI_TRANSFORM_BAG_H

#include "base/owner.h"
#include "view/column.h"
#include "scan/cursor.h"

/* The slots of one row, each once; at first zero.
 *
 * If there are few slots, each has a count of its own, and bits say which are not 0: by them the
 * slots come in their order without being sorted. Else a table finds a slot in a list; its entries
 * hold the number of the row, so that those of earlier rows are free. */
typedef struct dvi_bag {
    dvi_memory *counts; /* uint32, of each slot; NULL: there is a table */
    dvi_memory *bits;   /* uint64: of slots whose count is not 0; then of words of such bits */
    size_t counts_size; /* slots, a multiple of 4,096; 0: none */
    dvi_memory *table;  /* uint64: the number of the row above, the place in the list below */
    dvi_memory *list;   /* uint64: a slot above, how often it came below */
    dvi_memory *scratch;
    size_t cap; /* of the table: a power of two, or 0 */
    int shift;
    uint32_t row, used;
} dvi_bag;

/* Make ready for rows of `size` slots, once or again for a later batch. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_bag_start(dvi_bag *bag, int32_t size, const dv_allocator *allocator, dv_error *err);
/* Go on with a row without slots. */
void dvi_bag_begin(dvi_bag *bag);
/* Make room for so many more slots. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_bag_reserve(dvi_bag *bag, size_t more, const dv_allocator *allocator, dv_error *err);
/* Add a slot, or n of them, for which there is room. */
void dvi_bag_add(dvi_bag *bag, uint32_t slot);
void dvi_bag_add_all(dvi_bag *bag, const uint32_t *slots, int n);
void dvi_bag_free(dvi_bag *bag);

/* What a count becomes. */
typedef struct dvi_bag_weights {
    const double *by_slot; /* NULL: the count itself */
    bool once;             /* the weight, whatever the count; else their product */
    uint32_t most;         /* of a count */
} dvi_bag_weights;

/* Vectors of one length, row by row; at first zero. Its memory is used again for each batch. */
typedef struct dvi_bag_vectors {
    dvi_vector_sink *sink; /* gets the rows, which are empty here; NULL: none */
    dvi_memory *counts, *lengths, *indices, *items;
    size_t indices_count, items_count;
    int64_t rows, rows_most; /* so far; of the batch */
} dvi_bag_vectors;

dv_status dvi_bag_vectors_start(dvi_bag_vectors *vectors, int64_t rows, dvi_vector_sink *sink,
                                const dv_allocator *allocator, dv_error *err);
/* Write the bag as the next row of `size` slots, in their order, and empty it. A row in which half
 * of the slots have come is dense. DV_OK; DV_ERR_MEMORY; an error of the sink. */
dv_status dvi_bag_vectors_add(dvi_bag_vectors *vectors, dvi_bag *bag, int32_t size,
                              const dvi_bag_weights *weights, const dv_allocator *allocator,
                              dv_error *err);
/* Set dst to the vectors. Each has type->size slots. */
void dvi_bag_vectors_column(const dvi_bag_vectors *vectors, const dv_type *type, dvi_column *dst);
void dvi_bag_vectors_free(dvi_bag_vectors *vectors);

#endif
