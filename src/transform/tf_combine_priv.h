/* SPDX-License-Identifier: MIT */
/* tf_combine_priv.h: what the two files of the transform combine share (ML.NET: Concatenate). */
#ifndef DVI_TRANSFORM_TF_COMBINE_PRIV_H
#define DVI_TRANSFORM_TF_COMBINE_PRIV_H

#include "transform/conversion.h"
#include "transform/mapper.h"
#include <dataview/transform.h>

/* A column that combines several. */
typedef struct dvi_combine {
    const dv_schema *schema; /* the source's */
    const dv_allocator *allocator;
    const int32_t *columns;            /* the source's */
    const dv_text *names;              /* in SlotNames */
    const dvi_conversion *conversions; /* to the new items */
    int32_t n;
    int32_t ranges; /* CategoricalSlotRanges of all columns */
} dvi_combine;

/* Plan the vectors that join n columns, whose names precede their slots' names. column_out
 * gets type and `mapped`. DV_ERR_ARGUMENT: their items differ, or have too many slots;
 * DV_ERR_MEMORY. */
dv_status dvi_combine_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                           const int32_t *columns, int32_t n, dv_error *err);

/* The type of items that join those of two types: the same, or of different numbers the real type
 * that has the values of both, R4 only if both are short. false: there is none. */
bool dvi_combine_items(dv_type *common_out, const dv_type *a, const dv_type *b);

/* dv_view_combine with items of this type; DV_KIND_NONE: of that which joins them. */
dv_status dvi_view_combine(dv_view **view_out, dv_view *source, dv_text name,
                           const dv_column_spec *sources, int32_t n, const dv_type *item,
                           const dv_allocator *allocator, dv_error *err);

/* Add the metadata of the new column: a dvi_maker's `describe`. */
dv_status dvi_combine_describe(const dvi_new_column *made, const dv_schema *source,
                               dv_schema *schema, int32_t column, dv_error *err);

#endif
