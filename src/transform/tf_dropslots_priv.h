/* SPDX-License-Identifier: MIT */
/* tf_dropslots_priv.h: what the files of the step `dropslots` share. */
#ifndef DVI_TRANSFORM_TF_DROPSLOTS_PRIV_H
#define DVI_TRANSFORM_TF_DROPSLOTS_PRIV_H

#include "view/growing_column.h"
#include "transform/tf_dropslots.h"

/* Slots that are dropped: no two ranges overlap or touch, and they rise. */
typedef struct dvi_dropped_range {
    int32_t first, last;
    int32_t dropped; /* slots, in this range and those before it */
} dvi_dropped_range;

typedef struct dvi_dropslots {
    const dv_schema *schema; /* of the source */
    int32_t column;          /* of the source */
    dv_allocator allocator;
    const dvi_dropped_range *ranges;
    size_t n;
    int32_t slots, kept; /* of a column of known size, or a scalar; else 0 */
} dvi_dropslots;

/* The number of slots below `slot` that are kept. */
int32_t dvi_dropslots_before(const dvi_dropslots *drop, int32_t slot);

/* A dvi_maker's `fill`, with its memory. */
typedef struct dvi_dropslots_memory {
    dvi_growing_column items;
    dvi_memory *lengths, *counts, *indices;
} dvi_dropslots_memory;

void dvi_dropslots_free(void *memory);
/* Make vectors of that type of those of a column. dst gets no reference. */
dv_status dvi_dropslots_vectors(const dvi_dropslots *drop, dvi_dropslots_memory *memory,
                                dvi_column *dst, const dv_type *type, const dv_column_view *src,
                                const dv_allocator *allocator, dv_error *err);
dv_status dvi_dropslots_fill(const dvi_filling *filling, dvi_column *dst, dv_error *err);

#endif
