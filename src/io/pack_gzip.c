/* SPDX-License-Identifier: MIT */
/* pack_gzip.c: compresses bytes into a gzip member with zlib. */
#include "io/pack_priv.h"

#ifdef DVI_HAS_ZLIB
#include "base/arena.h"
#include "base/check.h"
#include "base/compiler.h"
#define ZLIB_CONST
#include <zlib.h>

#define LEVEL 6
#define GZIP_ONLY (15 + 16) /* the largest window, and the header of gzip */
#define MEMORY_LEVEL 8      /* zlib's default */
#define STATE_NBYTES ((size_t)264 << 10)

/* zlib allocates all its memory at the start. */
typedef struct gzip {
    z_stream z;
    bool is_open;
    dvi_arena arena;
} gzip;

static void *take_memory(void *ctx, unsigned items, unsigned item_nbytes)
{
    void *taken;
    const size_t n = items, nbytes = item_nbytes;
    if (n > 0 && nbytes > SIZE_MAX / n)
        return NULL;
    return dvi_arena_alloc(ctx, &taken, n * nbytes, NULL) == DV_OK ? taken : NULL;
}

static void leave_memory(void *ctx, void *memory)
{
    (void)ctx;
    (void)memory;
}

static dv_status create_gzip(void *state, const dv_allocator *allocator, dv_error *err)
{
    gzip *g = state;
    dvi_arena_init(&g->arena, allocator);
    g->z.zalloc = take_memory;
    g->z.zfree = leave_memory;
    g->z.opaque = &g->arena;
    g->is_open =
        deflateInit2(&g->z, LEVEL, Z_DEFLATED, GZIP_ONLY, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
    return g->is_open ? DV_OK : dvi_fail_memory(err, STATE_NBYTES);
}

static dv_status step_gzip(void *state, const uint8_t *src, size_t n, uint8_t *dst, size_t cap,
                           dvi_pack_step *step, dv_error *err)
{
    gzip *g = state;
    DVI_READ(src, n);
    g->z.next_in = src;
    g->z.avail_in = (uInt)n;
    g->z.next_out = dst;
    g->z.avail_out = (uInt)cap;
    const int result = deflate(&g->z, src ? Z_NO_FLUSH : Z_FINISH);
    *step = (dvi_pack_step){n - g->z.avail_in, cap - g->z.avail_out, result == Z_STREAM_END};
    DVI_WRITTEN(dst, step->made);
    /* the state is sound and there is room: nothing else can fail */
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR
               ? DV_OK
               : dvi_fail_memory(err, STATE_NBYTES);
}

static void free_gzip(void *state)
{
    gzip *g = state;
    if (g->is_open)
        deflateEnd(&g->z);
    dvi_arena_free(&g->arena);
}

static const dvi_pack_library library = {sizeof(gzip), create_gzip, step_gzip, free_gzip};
const dvi_pack_library *const dvi_pack_gzip = &library;
#else
const dvi_pack_library *const dvi_pack_gzip = NULL;
#endif
