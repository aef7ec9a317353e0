/* SPDX-License-Identifier: MIT */
/* saved_pipeline.h: fitted pipelines as files (docs/spec/dvp.md). */
#ifndef DVI_SAVED_PIPELINE_H
#define DVI_SAVED_PIPELINE_H

#include "io/map.h"
#include "io/writer.h"
#include <dataview/pipeline.h>

/* Write a fitted pipeline; the caller commits. Statuses as dv_fitted_save. */
dv_status dvi_saved_write(dv_fitted *fitted, dvi_writer *writer, const dv_allocator *allocator,
                          dv_error *err);

/* Read one with the allocator of the map, to which it keeps no reference. Statuses as
 * dv_fitted_open. */
dv_status dvi_saved_read(dv_fitted **fitted_out, dvi_map *map, dv_error *err);

#endif
