/* SPDX-License-Identifier: MIT */
/* deflate.c: compresses and decompresses blocks with libdeflate. */
#include "codec/deflate.h"
#include "base/check.h"
#include "base/compiler.h"
#include <libdeflate.h>

/* A dvi_inflater is libdeflate's own object under another type name. */
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

static struct libdeflate_compressor *compressor_of(dvi_deflater *deflater)
{
    return (struct libdeflate_compressor *)(void *)deflater;
}

dv_status dvi_deflater_create(dvi_deflater **deflater_out, int level, dv_error *err)
{
    *deflater_out = (dvi_deflater *)(void *)libdeflate_alloc_compressor(level);
    return *deflater_out ? DV_OK : dvi_fail_memory(err, 1);
}

void dvi_deflater_free(dvi_deflater **deflater)
{
    if (*deflater)
        libdeflate_free_compressor(compressor_of(*deflater));
    *deflater = NULL;
}

size_t dvi_deflate_bound(dvi_deflater *deflater, dvi_wrapper wrapper, size_t n)
{
    struct libdeflate_compressor *state = compressor_of(deflater);
    return wrapper == DVI_WRAPPER_ZLIB ? libdeflate_zlib_compress_bound(state, n)
                                       : libdeflate_deflate_compress_bound(state, n);
}

size_t dvi_deflate(dvi_deflater *deflater, dvi_wrapper wrapper, const void *src, size_t n,
                   void *dst, size_t cap)
{
    struct libdeflate_compressor *state = compressor_of(deflater);
    DVI_READ(src, n);
    const size_t made = wrapper == DVI_WRAPPER_ZLIB
                            ? libdeflate_zlib_compress(state, src, n, dst, cap)
                            : libdeflate_deflate_compress(state, src, n, dst, cap);
    DVI_WRITTEN(dst, made);
    return made;
}

uint32_t dvi_crc32(const void *data, size_t n)
{
    DVI_READ(data, n);
    return libdeflate_crc32(0, data, n);
}
