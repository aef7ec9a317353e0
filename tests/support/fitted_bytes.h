/* SPDX-License-Identifier: MIT */
/* fitted_bytes.h: fits pipelines, and saves and opens them in memory, with a given allocator. */
#ifndef DVT_FITTED_BYTES_H
#define DVT_FITTED_BYTES_H

#include <dataview/buffer.h>
#include <dataview/pipeline.h>

/* Parse a pipeline and fit it on one thread.  Statuses: dv_pipeline_parse, dv_fit. */
dv_status dvt_fit_text(dv_fitted **fitted_out, dv_view *source, dv_text text,
                       const dv_allocator *allocator, dv_error *err);

/* The bytes of the file that dv_fitted_save writes; free them with dv_buffer_release. */
dv_status dvt_fitted_save(dv_buffer *bytes_out, dv_fitted *fitted, const dv_allocator *allocator,
                          dv_error *err);

/* Open such bytes, which are not needed afterwards. */
dv_status dvt_fitted_open(dv_fitted **fitted_out, const void *bytes, size_t n,
                          const dv_allocator *allocator, dv_error *err);

#endif
