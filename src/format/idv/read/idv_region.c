/* SPDX-License-Identifier: MIT */
/* idv_region.c: parses a table of entries and reads no more of it than needed.
 *
 * A TOC may precede the blocks, so its region can span most of the file. Bytes are read in windows
 * that start at an entry. The first window is small; if an entry does not fit, the window is
 * doubled and the entry is parsed again. */
#include "base/size.h"
#include "format/idv/read/idv_priv.h"

#define FIRST_WINDOW_NBYTES ((size_t)4 << 10)
#define WINDOW_NBYTES ((size_t)64 << 10)

static dv_status load(dvi_idv_region *region, dv_error *err)
{
    const int64_t left = region->end - region->at;
    const size_t n = left < (int64_t)region->window ? (size_t)left : region->window;
    dvi_span span;
    DVI_TRY(dvi_map_copy(region->map, region->at, n, &region->memory, &span, err));
    region->r = dvi_reader_of(span.data, n, region->at, false);
    region->r.after = (size_t)(left - (int64_t)n);
    return DV_OK;
}

dv_status dvi_idv_region_start(dvi_idv_region *region, dvi_map *map, int64_t offset, int64_t end,
                               dv_error *err)
{
    *region = (dvi_idv_region){.map = map, .at = offset, .end = end, .window = FIRST_WINDOW_NBYTES};
    return load(region, err);
}

void dvi_idv_region_free(dvi_idv_region *region)
{
    dvi_memory_release(&region->memory);
}

dv_status dvi_idv_region_parse(dvi_idv_region *region,
                               dv_status (*parse)(dvi_reader *r, void *ctx, dv_error *err),
                               void *ctx, dv_error *err)
{
    for (;;) {
        dvi_reader *r = &region->r;
        const bool is_whole_window = r->at == 0;
        dv_error own; /* not err: the failure may only mean a short window */
        own.status = DV_OK;
        const dv_status status = parse(r, ctx, &own);
        if (r->fault != DVI_READ_MORE) {
            region->at = dvi_reader_offset(r);
            if (status < 0 && err)
                *err = own;
            return status;
        }
        if (is_whole_window || region->window < WINDOW_NBYTES)
            region->window *= 2;
        DVI_TRY(load(region, err));
    }
}
