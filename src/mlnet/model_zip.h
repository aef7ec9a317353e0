/* SPDX-License-Identifier: MIT */
/* model_zip.h: the model.zip of ML.NET as a fitted pipeline (docs/spec/modelzip.md). */
#ifndef DVI_MLNET_MODEL_ZIP_H
#define DVI_MLNET_MODEL_ZIP_H

#include "io/map.h"
#include <dataview/pipeline.h>

/* Read a model with the allocator of the map, to which it keeps no reference. until_unknown: end
 * before the first step that this library does not have. Statuses as dv_fitted_open. */
dv_status dvi_model_zip_read(dv_fitted **fitted_out, dvi_map *map, bool until_unknown,
                             dv_error *err);

#endif
