/* SPDX-License-Identifier: MIT */
/* tf_combine_priv.h: the parts of the transform that combines columns (ML.NET: Concatenate). */
#ifndef DVI_TRANSFORM_TF_CONCAT_PRIV_H
#define DVI_TRANSFORM_TF_CONCAT_PRIV_H

#include "transform/mapper.h"

/* A column that is made of several. */
typedef struct dvi_combine {
    const dv_schema *schema; /* of the source */
    const dv_allocator *allocator;
    const int32_t *columns; /* of the source */
    const dv_text *names;   /* what SlotNames call them */
    int32_t n;
    int32_t ranges; /* CategoricalSlotRanges of all of them */
} dvi_combine;

/* The metadata of the new column (tf_combine_names.c): a dvi_maker's `describe`. */
dv_status dvi_combine_describe(const dvi_new_column *made, const dv_schema *source,
                               dv_schema *schema, int32_t column, dv_error *err);

#endif
