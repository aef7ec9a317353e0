/* SPDX-License-Identifier: MIT */
/* tf_convert_priv.h: the parts of the transform Convert. */
#ifndef DVI_TRANSFORM_TF_CONVERT_PRIV_H
#define DVI_TRANSFORM_TF_CONVERT_PRIV_H

#include "transform/conversion.h"
#include "transform/mapper.h"
#include <dataview/transform.h>

/* What the specs ask for, resolved (tf_convert_plan.c); and the metadata of one such column. */
dv_status dvi_convert_plan(dvi_mapper *mapper, dv_schema **schema_out,
                           const dv_conversion_spec *specs, int32_t n, dv_error *err);
dv_status dvi_convert_describe(const dvi_new_column *made, const dv_schema *source,
                               dv_schema *schema, int32_t column, dv_error *err);

/* How a column is made by that conversion, which is its `how`. */
const dvi_maker *dvi_convert_maker(const dvi_conversion *conversion);

/* Memory of one column that is converted again and again. */
typedef struct dvi_convert_memory {
    dvi_converted values; /* or items */
    /* Only of vectors that become text: */
    dvi_converted hole;  /* the text of a slot without an item; made once */
    dvi_converted dense; /* of all slots */
    dvi_memory *counts;
    dv_text hole_text; /* its data is NULL until it is made */
} dvi_convert_memory;

/* Vectors of all slots, as text, from `items`, the converted ones of a vector column of which some
 * slots have none (tf_convert_text.c).  *dst has lengths, and the buffers of vectors, already. */
dv_status dvi_convert_fill_holes(const dvi_conversion *conversion, dvi_convert_memory *memory,
                                 dv_column_view *dst, dv_column_view *items,
                                 const dv_allocator *allocator, dv_error *err);

void dvi_convert_memory_free(void *memory);

#endif
