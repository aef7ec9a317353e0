/* SPDX-License-Identifier: MIT */
/* tf_combine_priv.h: what the two files of the transform combine share (ML.NET: Concatenate). */
#ifndef DVI_TRANSFORM_TF_COMBINE_PRIV_H
#define DVI_TRANSFORM_TF_COMBINE_PRIV_H

#include "transform/mapper.h"

/* A column that combines several. */
typedef struct dvi_combine {
    const dv_schema *schema; /* of the source */
    const dv_allocator *allocator;
    const int32_t *columns; /* of the source */
    const dv_text *names;   /* of the columns, in SlotNames */
    int32_t n;
    int32_t ranges; /* CategoricalSlotRanges of all columns */
} dvi_combine;

/* Plan the vectors that join n columns, whose names stand before those of their slots. column_out
 * gets type and `mapped`. DV_ERR_ARGUMENT: their items differ, or have too many slots;
 * DV_ERR_MEMORY. */
dv_status dvi_combine_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                           const int32_t *columns, int32_t n, dv_error *err);

/* Add the metadata of the new column: a dvi_maker's `describe`. */
dv_status dvi_combine_describe(const dvi_new_column *made, const dv_schema *source,
                               dv_schema *schema, int32_t column, dv_error *err);

#endif
