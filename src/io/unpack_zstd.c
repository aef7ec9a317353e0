/* SPDX-License-Identifier: MIT */
/* unpack_zstd.c: unpacks zstd frames with libzstd. */
#include "io/unpack_priv.h"

#ifdef DVI_HAS_ZSTD
#include "base/check.h"
#include "base/compiler.h"
#include <inttypes.h>
#include <zstd.h>
#include <zstd_errors.h>

#define WINDOW_LOG_LEAST 10 /* what the format allows */
#define WINDOW_LOG_MOST 31
#define FIRST_NBYTES ((size_t)5) /* of a frame, that libzstd asks for */

/* libzstd takes its memory, about the window of a frame, from malloc: its stable functions know no
 * other allocator. */
typedef struct zstd {
    ZSTD_DCtx *context;
    int window_log;
    size_t wanted;  /* bytes of src that the next step takes at most: to the end of a block */
    bool is_inside; /* of a frame */
} zstd;

static int log_of(int64_t nbytes)
{
    int log = WINDOW_LOG_LEAST;
    while (log < WINDOW_LOG_MOST && nbytes >> (log + 1) > 0)
        log++;
    return log;
}

static dv_status create_zstd(void *state, int64_t window_nbytes, dv_error *err)
{
    zstd *z = state;
    z->window_log = log_of(window_nbytes);
    z->context = ZSTD_createDCtx();
    if (!z->context ||
        ZSTD_isError(ZSTD_DCtx_setParameter(z->context, ZSTD_d_windowLogMax, z->window_log)))
        return dvi_fail_memory(err, 1);
    z->wanted = FIRST_NBYTES;
    return DV_OK;
}

static dv_status fail_zstd(const zstd *z, size_t result, int64_t at, dv_error *err)
{
    static const char rule[] = "docs/formats/text.md";
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_memory_allocation:
        return dvi_fail_memory(err, (size_t)1 << z->window_log);
    case ZSTD_error_frameParameter_windowTooLarge:
        dvi_fail(err, DV_ERR_LIMIT, "window_nbytes", at, "zstd frame: its window",
                 "at most %" PRId64 " bytes (option window_nbytes)|more",
                 INT64_C(1) << z->window_log);
        dvi_error_advise(err, "or unpack it: zstd -d --long=31");
        return DV_ERR_LIMIT;
    case ZSTD_error_dictionary_wrong:
        return dvi_fail(err, DV_ERR_UNSUPPORTED, rule, at, "zstd frame",
                        "one that is complete in itself|one that needs a dictionary");
    case ZSTD_error_version_unsupported:
        return dvi_fail(err, DV_ERR_UNSUPPORTED, rule, at, "zstd frame",
                        "version 0.8 or later|an older one");
    default:
        return dvi_fail(err, DV_ERR_CORRUPT, rule, at, "zstd", "a sound frame|%s",
                        ZSTD_getErrorName(result));
    }
}

/* A step takes what completes a block, so that an error tells its offset; and only once all bytes
 * before are written, because a step that fails loses those that it wrote. */
static dv_status step_zstd(void *state, const dvi_unpack_input *input, uint8_t *dst, size_t cap,
                           dvi_unpack_step *step, dv_error *err)
{
    zstd *z = state;
    ZSTD_inBuffer none = {input->src, 0, 0};
    ZSTD_inBuffer in = {input->src, input->n < z->wanted ? input->n : z->wanted, 0};
    ZSTD_outBuffer out = {dst, cap, 0};
    size_t result = z->wanted;
    *step = (dvi_unpack_step){0, 0, false};
    DVI_READ(in.src, in.size);
    if (z->is_inside)
        result = ZSTD_decompressStream(z->context, &out, &none);
    const bool is_done = ZSTD_isError(result) || result == 0 || out.pos > 0;
    if (!is_done && in.size > 0)
        result = ZSTD_decompressStream(z->context, &out, &in);
    if (ZSTD_isError(result))
        return fail_zstd(z, result, input->at, err);
    DVI_WRITTEN(dst, out.pos);
    *step = (dvi_unpack_step){in.pos, out.pos, result == 0};
    z->is_inside = result != 0;
    z->wanted = result == 0 ? FIRST_NBYTES : result;
    return DV_OK;
}

static void free_zstd(void *state)
{
    ZSTD_freeDCtx(((zstd *)state)->context);
}

static const dvi_unpack_library library = {sizeof(zstd), create_zstd, step_zstd, free_zstd};
const dvi_unpack_library *const dvi_unpack_zstd = &library;
#else
const dvi_unpack_library *const dvi_unpack_zstd = NULL;
#endif
