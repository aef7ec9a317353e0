/* SPDX-License-Identifier: MIT */
/* tf_convert_priv.h: what the files of the transform convert share. */
#ifndef DVI_TRANSFORM_TF_CONVERT_PRIV_H
#define DVI_TRANSFORM_TF_CONVERT_PRIV_H

#include "transform/conversion.h"
#include "transform/mapper.h"
#include <dataview/transform.h>

/* The arguments of a conversion. */
typedef struct dvi_convert_plan {
    const dv_conversion_spec *specs;
    int32_t n;
    dv_text date;   /* as in dv_view_convert_dates; NA: semantics:4.3 */
    bool is_strict; /* as dv_view_convert_strict */
} dvi_convert_plan;

/* Make the columns of the plan; add the metadata of one of them. */
dv_status dvi_convert_make(dvi_mapper *mapper, dv_schema **schema_out, const dvi_convert_plan *plan,
                           dv_error *err);
dv_status dvi_convert_describe(const dvi_new_column *made, const dv_schema *source,
                               dv_schema *schema, int32_t column, dv_error *err);

/* The maker of columns by this conversion, which is their `params`. */
const dvi_maker *dvi_convert_maker(const dvi_conversion *conversion);

/* The conversion that a column is made by; NULL: it is made another way. */
const dvi_conversion *dvi_convert_of(const dvi_mapped *mapped);

/* Of one column; reused for each batch. */
typedef struct dvi_convert_memory {
    dvi_converted values; /* or items */
    /* Only of vectors that become text: */
    dvi_converted hole;  /* the text of a slot without an item; made once */
    dvi_converted dense; /* of all slots */
    dvi_memory *counts;
    dv_text hole_text; /* its data is NULL until it is made */
} dvi_convert_memory;

/* Make vectors with an item in every slot from `items`, the converted texts of a sparse column.
 * *dst already has lengths and the buffers of vectors. */
dv_status dvi_convert_fill_holes(const dvi_conversion *conversion, dvi_convert_memory *memory,
                                 dv_column_view *dst, dv_column_view *items,
                                 const dv_allocator *allocator, dv_error *err);

void dvi_convert_memory_free(void *memory);

#endif
