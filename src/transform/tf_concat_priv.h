/* SPDX-License-Identifier: MIT */
/* tf_concat_priv.h: the parts of the transform Concat. */
#ifndef DVI_TRANSFORM_TF_CONCAT_PRIV_H
#define DVI_TRANSFORM_TF_CONCAT_PRIV_H

#include "transform/mapper.h"

/* A column that is made of several. */
typedef struct dvi_concat {
    const dv_schema *schema; /* of the source */
    const dv_allocator *allocator;
    const int32_t *columns; /* of the source */
    const dv_text *names;   /* what SlotNames call them */
    int32_t n;
    int32_t ranges; /* CategoricalSlotRanges of all of them */
} dvi_concat;

/* The metadata of the new column (tf_concat_names.c): a dvi_maker's `describe`. */
dv_status dvi_concat_describe(const dvi_new_column *made, const dv_schema *source,
                              dv_schema *schema, int32_t column, dv_error *err);

#endif
