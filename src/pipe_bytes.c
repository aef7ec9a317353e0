/* SPDX-License-Identifier: MIT */
/* pipe_bytes.c: files of this machine, for pipelines that name some. */
#include "base/check.h"
#include "base/size.h"
#include "io/map.h"
#include <dataview/open.h>
#include <dataview/pipeline.h>

#define PIECE_NBYTES (1 << 16)

static dv_status copy(dvi_map *map, dvi_memory **memory, const dv_sink *sink, dv_error *err)
{
    dvi_span span;
    const int64_t nbytes = dvi_map_nbytes(map);
    for (int64_t at = 0; at < nbytes; at += PIECE_NBYTES) {
        const size_t n = (size_t)dvi_min_i64(PIECE_NBYTES, nbytes - at);
        DVI_TRY(dvi_map_span(map, at, n, memory, &span, err));
        if (!sink->write(sink->ctx, (const char *)span.data, span.nbytes))
            break;
    }
    return DV_OK;
}

dv_status dv_pipeline_read_file(void *ctx, const char *path, const dv_sink *sink, dv_error *err)
{
    dvi_map *map;
    dvi_memory *memory = NULL;
    (void)ctx;
    DVI_TRY(dvi_map_open(&map, path, DV_IO_PREAD, NULL, err));
    const dv_status status = copy(map, &memory, sink, err);
    dvi_memory_release(&memory);
    dvi_map_release(&map);
    if (status < 0)
        dvi_error_set_file(err, path);
    return status;
}

dv_status dv_pipeline_open_table(void *ctx, const char *name, dv_view **table_out, dv_error *err)
{
    (void)ctx;
    return dv_open(table_out, name, NULL, err);
}
