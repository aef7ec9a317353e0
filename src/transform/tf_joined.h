/* SPDX-License-Identifier: MIT */
/* tf_joined.h: a column that joins columns that other steps make; these are no columns of the view.
 */
#ifndef DVI_TRANSFORM_TF_JOINED_H
#define DVI_TRANSFORM_TF_JOINED_H

#include "transform/mapper.h"

/* Plan the vectors that join those of n columns, which have been planned with the same arena and
 * source, each with a name that is not empty: what combine makes of them (tf_combine.c).
 * column_out gets type and `mapped`. DV_ERR_ARGUMENT: their items differ; DV_ERR_MEMORY. */
dv_status dvi_joined_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                          const dvi_new_column *parts, int32_t n, dv_error *err);

#endif
