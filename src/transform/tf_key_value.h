/* SPDX-License-Identifier: MIT */
/* tf_key_value.h: keys to the values that they stand for (semantics:7.3; ML.NET: KeyToValue). */
#ifndef DVI_TRANSFORM_TF_KEY_VALUE_H
#define DVI_TRANSFORM_TF_KEY_VALUE_H

#include "transform/mapper.h"

/* Plan the column that is made of a column of keys with KeyValues, which are read now and kept in
 * the arena. column_out gets type and `mapped`. options: none. DV_ERR_ARGUMENT: no keys, their
 * number of values is not known, or no KeyValues. DV_ERR_MEMORY, and errors of reading metadata. */
dv_status dvi_key_value_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                             int32_t column, const void *options, dv_error *err);

#endif
