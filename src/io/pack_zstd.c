/* SPDX-License-Identifier: MIT */
/* pack_zstd.c: compresses bytes into a zstd frame with libzstd. */
#include "io/pack_priv.h"

#ifdef DVI_HAS_ZSTD
#include "base/check.h"
#include "base/compiler.h"
#include <zstd.h>

#define LEVEL 3
#define STATE_NBYTES ((size_t)4 << 20)

/* libzstd takes its memory, a few MiB, from malloc: its stable functions know no other allocator.
 */
typedef struct zstd {
    ZSTD_CCtx *context;
} zstd;

static dv_status create_zstd(void *state, const dv_allocator *allocator, dv_error *err)
{
    zstd *z = state;
    (void)allocator;
    z->context = ZSTD_createCCtx();
    if (!z->context ||
        ZSTD_isError(ZSTD_CCtx_setParameter(z->context, ZSTD_c_compressionLevel, LEVEL)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(z->context, ZSTD_c_checksumFlag, 1)))
        return dvi_fail_memory(err, STATE_NBYTES);
    return DV_OK;
}

/* A frame ends without more bytes: with them, libzstd would choose its parameters by their number.
 */
static dv_status step_zstd(void *state, const uint8_t *src, size_t n, uint8_t *dst, size_t cap,
                           dvi_pack_step *step, dv_error *err)
{
    zstd *z = state;
    ZSTD_inBuffer in = {src, n, 0};
    ZSTD_outBuffer out = {dst, cap, 0};
    DVI_READ(src, n);
    const size_t result =
        ZSTD_compressStream2(z->context, &out, &in, src ? ZSTD_e_continue : ZSTD_e_end);
    if (ZSTD_isError(result)) /* its memory, which the first step takes */
        return dvi_fail_memory(err, STATE_NBYTES);
    DVI_WRITTEN(dst, out.pos);
    *step = (dvi_pack_step){in.pos, out.pos, !src && result == 0};
    return DV_OK;
}

static void free_zstd(void *state)
{
    ZSTD_freeCCtx(((zstd *)state)->context);
}

static const dvi_pack_library library = {sizeof(zstd), create_zstd, step_zstd, free_zstd};
const dvi_pack_library *const dvi_pack_zstd = &library;
#else
const dvi_pack_library *const dvi_pack_zstd = NULL;
#endif
