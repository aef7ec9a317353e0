/* SPDX-License-Identifier: MIT */
/* tf_convert_priv.h: the parts of the transform Convert. */
#ifndef DVI_TRANSFORM_TF_CONVERT_PRIV_H
#define DVI_TRANSFORM_TF_CONVERT_PRIV_H

#include "base/arena.h"
#include "codec/convert.h"
#include <dataview/transform.h>

/* A column of the view: one of the source as it is, or made of one. */
typedef struct dvi_convert_column {
    int32_t source;                   /* number of the source's column */
    const dvi_conversion *conversion; /* of its values or items; NULL: as it is */
} dvi_convert_column;

typedef struct dvi_convert {
    dvi_arena arena; /* of all below */
    dv_view *source; /* one reference */
    dvi_convert_column *column;
    int32_t columns;
} dvi_convert;

/* What the specs ask for, resolved (tf_convert_plan.c). */
dv_status dvi_convert_plan(dvi_convert *convert, dv_schema **schema_out,
                           const dv_conversion_spec *specs, int32_t n, dv_error *err);

/* The cursor (tf_convert_walk.c), as dv_view_class has it. */
dv_status dvi_convert_open(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err);
dv_status dvi_convert_next(void *cursor, dv_batch *batch, dv_error *err);
dv_status dvi_convert_check(void *cursor, dv_error *err);
void dvi_convert_close(void *cursor);

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

void dvi_convert_memory_free(dvi_convert_memory *memory);

#endif
