/* SPDX-License-Identifier: MIT */
/* map_memory.c: the backend of bytes in memory, with borrowed spans or copies. */
#include "base/check.h"
#include "base/size.h"
#include "io/map_priv.h"
#include <string.h>

typedef struct in_memory {
    dvi_map map;
    const uint8_t *data;
    void (*release)(void *ctx);
    void *ctx;
} in_memory;

static dv_status span_memory(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                             dvi_span *span_out, dv_error *err)
{
    const in_memory *m = (in_memory *)map;
    if (!m->map.is_copied) {
        *span_out = (dvi_span){m->data + offset, nbytes, offset, &map->owner, true};
        return DV_OK;
    }
    DVI_TRY(dvi_memory_reserve(memory, &map->allocator, nbytes, err));
    memcpy((*memory)->data, m->data + offset, nbytes);
    *span_out = (dvi_span){(*memory)->data, nbytes, offset, &(*memory)->owner, false};
    return DV_OK;
}

static dv_status check_memory(dvi_map *map, dv_error *err)
{
    (void)map;
    (void)err;
    return DV_OK;
}

static void advise_memory(dvi_map *map, int64_t offset, int64_t nbytes)
{
    (void)map;
    (void)offset;
    (void)nbytes;
}

static void close_memory(dvi_map *map)
{
    const in_memory *m = (in_memory *)map;
    if (m->release)
        m->release(m->ctx);
}

static const dvi_map_backend memory_backend = {
    .span = span_memory, .check = check_memory, .advise = advise_memory, .close = close_memory};

dv_status dvi_map_open_memory(dvi_map **map_out, const void *data, size_t nbytes,
                              void (*release)(void *ctx), void *ctx, const char *name, dv_io io,
                              const dv_allocator *allocator, dv_error *err)
{
    const dv_status status = dvi_map_create(map_out, sizeof(in_memory), &memory_backend,
                                            (int64_t)nbytes, name, allocator, err);
    if (status != DV_OK) {
        dvi_error_set_file(err, name);
        return status;
    }
    in_memory *m = (in_memory *)*map_out;
    m->data = data;
    m->map.is_copied = io == DV_IO_PREAD;
    m->release = release;
    m->ctx = ctx;
    return DV_OK;
}
