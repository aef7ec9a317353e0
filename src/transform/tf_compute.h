/* SPDX-License-Identifier: MIT */
/* tf_compute.h: columns that are computed by expressions (docs/spec/expressions.md). */
#ifndef DVI_TRANSFORM_TF_COMPUTE_H
#define DVI_TRANSFORM_TF_COMPUTE_H

#include "transform/mapper.h"

/* Plan a column: its type and `mapped`. DV_OK; DV_ERR_ARGUMENT, DV_ERR_MEMORY. */
dv_status dvi_compute_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                           dv_text expression, dv_error *err);

#endif
