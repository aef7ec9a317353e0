/* SPDX-License-Identifier: MIT */
/* deflate.c: libdeflate behind the few results that we tell apart. */
#include "codec/deflate.h"
#include "base/attrs.h"
#include "base/check.h"
#include <libdeflate.h>

/* libdeflate's own state is all there is: the pointer is only given our name. */
static struct libdeflate_decompressor *state_of(dvi_inflater *inflater)
{
    return (struct libdeflate_decompressor *)(void *)inflater;
}

dv_status dvi_inflater_create(dvi_inflater **inflater_out, dv_error *err)
{
    *inflater_out = (dvi_inflater *)(void *)libdeflate_alloc_decompressor();
    return *inflater_out ? DV_OK : dvi_fail_memory(err, 1);
}

void dvi_inflater_free(dvi_inflater **inflater)
{
    libdeflate_free_decompressor(state_of(*inflater));
    *inflater = NULL;
}

dvi_inflate_result dvi_inflate(dvi_inflater *inflater, dvi_wrapper wrapper, const void *src,
                               size_t n, void *dst, size_t cap, size_t *n_out, size_t *used_out)
{
    struct libdeflate_decompressor *state = state_of(inflater);
    *n_out = *used_out = 0;
    DVI_READ(src, n);
    const enum libdeflate_result result =
        wrapper == DVI_WRAPPER_ZLIB
            ? libdeflate_zlib_decompress_ex(state, src, n, dst, cap, used_out, n_out)
            : libdeflate_deflate_decompress_ex(state, src, n, dst, cap, used_out, n_out);
    DVI_WRITTEN(used_out, sizeof *used_out);
    DVI_WRITTEN(n_out, sizeof *n_out);
    DVI_WRITTEN(dst, *n_out);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
        return DVI_INFLATE_MORE;
    if (result != LIBDEFLATE_SUCCESS)
        return DVI_INFLATE_BAD;
    return *used_out == n ? DVI_INFLATE_DONE : DVI_INFLATE_TRAILING;
}
