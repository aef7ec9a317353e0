/* SPDX-License-Identifier: MIT */
/* tf_key_vector.h: keys to vectors that indicate or count them (semantics:7.3; ML.NET:
 * KeyToVector). */
#ifndef DVI_TRANSFORM_TF_KEY_VECTOR_H
#define DVI_TRANSFORM_TF_KEY_VECTOR_H

#include "transform/mapper.h"

typedef struct dvi_key_vector_options {
    bool bag; /* count the keys of a vector; else a slot for each of its slots and each key */
} dvi_key_vector_options;

/* Plan the column that is made of a column of keys. column_out gets type and `mapped`. options: a
 * dvi_key_vector_options. DV_ERR_ARGUMENT: no keys, their number of values is not known, or
 * more than 2^31-1 slots. DV_ERR_MEMORY. */
dv_status dvi_key_vector_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                              int32_t column, const void *options, dv_error *err);

#endif
