/* SPDX-License-Identifier: MIT */
/* tf_map.h: columns whose values are replaced by those of a map (semantics:7.19; ML.NET:
 * MapValue). */
#ifndef DVI_TRANSFORM_TF_MAP_H
#define DVI_TRANSFORM_TF_MAP_H

#include "transform/mapper.h"
#include "transform/value_map.h"

/* Plan the column that is made of one of the type of the map's keys, or of vectors of it. A scalar
 * becomes a value of the map, with type and metadata of the values; a vector one of variable size,
 * whose items are mapped, while slots without an item stay so. options: a dvi_value_map, which
 * outlives the view.
 *
 * DV_OK; DV_ERR_ARGUMENT: another type, or vectors of vectors; DV_ERR_MEMORY. */
dv_status dvi_map_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                       int32_t column, const void *options, dv_error *err);

#endif
