/* SPDX-License-Identifier: MIT */
/* tf_isna.h: which values are missing (semantics:7.13; ML.NET: MissingValueIndicator). */
#ifndef DVI_TRANSFORM_TF_ISNA_H
#define DVI_TRANSFORM_TF_ISNA_H

#include "transform/mapper.h"

/* Plan a column of BL, with the dims of the source: true where a value is NA. column_out gets type
 * and `mapped`. Keys of sparse vectors that have no item are missing, like all keys 0. options:
 * none. DV_ERR_ARGUMENT: neither R4, R8 nor keys. DV_ERR_MEMORY. */
dv_status dvi_isna_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                        int32_t column, const void *options, dv_error *err);

#endif
