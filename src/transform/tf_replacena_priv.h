/* SPDX-License-Identifier: MIT */
/* tf_replacena_priv.h: what the files that replace missing values share. */
#ifndef DVI_TRANSFORM_TF_REPLACENA_PRIV_H
#define DVI_TRANSFORM_TF_REPLACENA_PRIV_H

#include "simd/na.h"
#include "transform/elementwise.h"
#include "transform/tf_replacena.h"

/* The state of the map, and of its kind. */
typedef struct dvi_replacena {
    const dvi_learned_table *values;
    dvi_na na;
    dvi_elementwise function;
} dvi_replacena;

/* Check a column, and set what replaces its missing values; `replace` must outlive the view. */
dv_status dvi_replacena_set(dvi_replacena *replace, const dv_type *type,
                            const dvi_learned_table *values, dv_error *err);

/* The metadata of vectors of twice as many slots (a dvi_maker's `describe`), whose params begin
 * with this. */
typedef struct dvi_handlena {
    const dv_schema *schema; /* of the source */
    int32_t column;          /* of the source */
    dv_allocator allocator;
    dvi_replacena replace;
} dvi_handlena;

dv_status dvi_handlena_describe(const dvi_new_column *made, const dv_schema *source,
                                dv_schema *schema, int32_t column, dv_error *err);

#endif
