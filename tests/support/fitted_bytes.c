/* SPDX-License-Identifier: MIT */
/* fitted_bytes.c: fits pipelines, and saves and opens them in memory. */
#include "support/fitted_bytes.h"
#include "saved/saved_pipeline.h"

dv_status dvt_fit_text(dv_fitted **fitted_out, dv_view *source, dv_text text,
                       const dv_allocator *allocator, dv_error *err)
{
    dv_pipeline *pipeline;
    dv_fit_options fit = DV_FIT_OPTIONS_INIT;
    fit.threads = 1;
    *fitted_out = NULL;
    dv_status status = dv_pipeline_parse(&pipeline, text, allocator, err);
    if (status == DV_OK)
        status = dv_fit(fitted_out, pipeline, source, &fit, allocator, err);
    dv_pipeline_release(&pipeline);
    return status;
}

dv_status dvt_fitted_save(dv_buffer *bytes_out, dv_fitted *fitted, const dv_allocator *allocator,
                          dv_error *err)
{
    dvi_writer *writer;
    *bytes_out = (dv_buffer){0};
    dv_status status =
        dvi_writer_create_memory(&writer, PTRDIFF_MAX, "memory_nbytes", allocator, err);
    if (status != DV_OK)
        return status;
    status = dvi_saved_write(fitted, writer, allocator, err);
    if (status == DV_OK)
        dvi_writer_take(writer, bytes_out);
    dvi_writer_close(&writer);
    return status;
}

dv_status dvt_fitted_open(dv_fitted **fitted_out, const void *bytes, size_t n,
                          const dv_allocator *allocator, dv_error *err)
{
    dvi_map *map;
    const dv_allocator with = allocator ? *allocator : (dv_allocator){0};
    *fitted_out = NULL;
    dv_status status = dvi_map_open_memory(&map, bytes, n, NULL, NULL, "input", DV_IO_AUTO,
                                           allocator ? &with : NULL, err);
    if (status == DV_OK)
        status = dvi_saved_read(fitted_out, map, err);
    dvi_map_release(&map);
    return status;
}
