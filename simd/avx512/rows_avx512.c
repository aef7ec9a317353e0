/* SPDX-License-Identifier: MIT */
/* rows_avx512.c: copies rows from one matrix to another, a line at a time. */
#include "simd/rows_tmpl.h"
#include <immintrin.h>

static DVI_ALWAYS_INLINE void stream(uint8_t *dst, const uint8_t *src, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i += 64)
        _mm512_stream_si512((void *)(dst + i), _mm512_loadu_si512(src + i));
}

static const dvi_rows_level level = {stream};

void dvi_rows_copy_avx512(uint8_t *restrict dst, size_t dst_pitch, const void *restrict src,
                          size_t src_pitch, size_t width, size_t n, dvi_store store)
{
    dvi_rows_copy(&level, dst, dst_pitch, src, src_pitch, width, n, store);
}
