/* SPDX-License-Identifier: MIT */
/* tf_dropnaslots.h: vectors without their missing values (semantics:7.13; ML.NET:
 * MissingValueDropping). */
#ifndef DVI_TRANSFORM_TF_DROPNASLOTS_H
#define DVI_TRANSFORM_TF_DROPNASLOTS_H

#include "transform/mapper.h"

/* Plan a column of vectors of any size (mapper.h). options: none. Keys 0 are missing, also in slots
 * without an item. DV_ERR_ARGUMENT: no vectors, or of BY or an extension. DV_ERR_MEMORY. */
dv_status dvi_dropnaslots_plan(dvi_new_column *column_out, dvi_arena *arena,
                               const dv_schema *source, int32_t column, const void *options,
                               dv_error *err);

#endif
