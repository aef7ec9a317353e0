/* SPDX-License-Identifier: MIT */
/* unpack_gzip.c: unpacks gzip members with zlib. */
#include "io/unpack_priv.h"

#ifdef DVI_HAS_ZLIB
#include "base/check.h"
#include "base/compiler.h"
#define ZLIB_CONST
#include <zlib.h>

#define GZIP_ONLY (15 + 16) /* the largest window, and the header of gzip */
/* All that zlib allocates, so that no later step can fail for lack of memory: state and window. */
#define ROOM_NBYTES ((size_t)128 << 10)
#define ROOM_ALIGNMENT ((size_t)64)

typedef struct gzip {
    z_stream z;
    bool is_open, is_inside;
    size_t used; /* of room */
    _Alignas(64) uint8_t room[ROOM_NBYTES];
} gzip;

static void *take_room(void *ctx, unsigned items, unsigned item_nbytes)
{
    gzip *g = ctx;
    const size_t left = ROOM_NBYTES - g->used;
    if (item_nbytes > 0 && items > left / item_nbytes)
        return NULL;
    void *taken = g->room + g->used;
    const size_t n = (size_t)items * item_nbytes;
    const size_t rounded = (n + ROOM_ALIGNMENT - 1) / ROOM_ALIGNMENT * ROOM_ALIGNMENT;
    g->used += rounded < left ? rounded : left;
    return taken;
}

static void leave_room(void *ctx, void *memory)
{
    (void)ctx;
    (void)memory;
}

static dv_status create_gzip(void *state, int64_t window_nbytes, dv_error *err)
{
    gzip *g = state;
    (void)window_nbytes; /* 32 KiB */
    g->z.zalloc = take_room;
    g->z.zfree = leave_room;
    g->z.opaque = g;
    g->is_open = inflateInit2(&g->z, GZIP_ONLY) == Z_OK;
    return g->is_open ? DV_OK : dvi_fail_memory(err, ROOM_NBYTES);
}

static dv_status fail_gzip(const gzip *g, int result, int64_t at, dv_error *err)
{
    if (result == Z_MEM_ERROR)
        return dvi_fail_memory(err, ROOM_NBYTES);
    return dvi_fail(err, DV_ERR_CORRUPT, "docs/formats/text.md", at, "gzip", "a sound member|%s",
                    g->z.msg ? g->z.msg : "a broken one");
}

static dv_status step_gzip(void *state, const dvi_unpack_input *in, uint8_t *dst, size_t cap,
                           dvi_unpack_step *step, dv_error *err)
{
    gzip *g = state;
    *step = (dvi_unpack_step){0, 0, false};
    if (!g->is_inside && inflateReset(&g->z) != Z_OK)
        return fail_gzip(g, Z_DATA_ERROR, in->at, err);
    g->is_inside = true;
    DVI_READ(in->src, in->n);
    g->z.next_in = in->src;
    g->z.avail_in = (uInt)in->n;
    g->z.next_out = dst;
    g->z.avail_out = (uInt)cap;
    const int result = inflate(&g->z, Z_NO_FLUSH);
    step->used = in->n - g->z.avail_in;
    step->made = cap - g->z.avail_out;
    DVI_WRITTEN(dst, step->made);
    step->has_ended = result == Z_STREAM_END;
    g->is_inside = !step->has_ended;
    /* bytes before a failure come first: the next step fails again, with none */
    const bool is_sound = result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
    return is_sound || step->made > 0 ? DV_OK
                                      : fail_gzip(g, result, in->at + (int64_t)step->used, err);
}

static void free_gzip(void *state)
{
    gzip *g = state;
    if (g->is_open)
        inflateEnd(&g->z);
}

static const dvi_unpack_library library = {sizeof(gzip), create_gzip, step_gzip, free_gzip};
const dvi_unpack_library *const dvi_unpack_gzip = &library;
#else
const dvi_unpack_library *const dvi_unpack_gzip = NULL;
#endif
