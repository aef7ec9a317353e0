/* SPDX-License-Identifier: MIT */
/* tf_key_binary.h: keys to the bits of their numbers (semantics:7.3; ML.NET: KeyToBinary). */
#ifndef DVI_TRANSFORM_TF_KEY_BINARY_H
#define DVI_TRANSFORM_TF_KEY_BINARY_H

#include "transform/mapper.h"

/* Plan the column that is made of a column of keys. column_out gets type and `mapped`. options:
 * none. DV_ERR_ARGUMENT: no keys, their number of values is not known, or more than 2^31-1 slots.
 * DV_ERR_MEMORY. */
dv_status dvi_key_binary_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                              int32_t column, const void *options, dv_error *err);

#endif
