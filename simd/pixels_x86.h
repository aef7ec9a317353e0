/* SPDX-License-Identifier: MIT */
/* pixels_x86.h: loads and stores of a few pixels, for levels avx2 and avx512. */
#ifndef DVI_SIMD_PIXELS_X86_H
#define DVI_SIMD_PIXELS_X86_H

#include "base/compiler.h"
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

/* 16 bytes at p, and 16 at q. */
static DVI_ALWAYS_INLINE __m256i dvi_pixels_load(const uint8_t *p, const uint8_t *q)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)p)),
                                   _mm_loadu_si128((const void *)q), 1);
}

/* Four pixels, of 3 or 4 bytes each, without gaps. */
static DVI_ALWAYS_INLINE void dvi_pixels_store(uint8_t *dst, __m128i pixels, const size_t channels)
{
    if (channels == 4) {
        _mm_storeu_si128((void *)dst, pixels);
        return;
    }
    const int32_t last = _mm_extract_epi32(pixels, 2);
    _mm_storel_epi64((void *)dst, pixels);
    memcpy(dst + 8, &last, sizeof last);
}

#endif
