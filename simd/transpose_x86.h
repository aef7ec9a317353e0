/* SPDX-License-Identifier: MIT */
/* transpose_x86.h: transposes small blocks for levels avx2 and avx512: 4 x 4 items of 4 bytes, and
 * 2 x 2 of 8. */
#ifndef DVI_SIMD_TRANSPOSE_X86_H
#define DVI_SIMD_TRANSPOSE_X86_H

#include "simd/transpose_tmpl.h"
#include <immintrin.h>

static DVI_ALWAYS_INLINE __m128i dvi_transpose_load(const void *column, size_t at)
{
    return _mm_loadu_si128((const void *)((const uint8_t *)column + at));
}

/* Write 2 rows of 16 bytes: the low halves of a and b, then their high halves. */
static DVI_ALWAYS_INLINE void dvi_transpose_halves(uint8_t *dst, size_t pitch, __m128i a, __m128i b)
{
    _mm_storeu_si128((void *)dst, _mm_unpacklo_epi64(a, b));
    _mm_storeu_si128((void *)(dst + pitch), _mm_unpackhi_epi64(a, b));
}

static DVI_ALWAYS_INLINE void block_4_4(uint8_t *dst, size_t pitch, const void *const *columns,
                                        size_t at)
{
    const __m128i a = dvi_transpose_load(columns[0], at), b = dvi_transpose_load(columns[1], at);
    const __m128i c = dvi_transpose_load(columns[2], at), d = dvi_transpose_load(columns[3], at);
    dvi_transpose_halves(dst, pitch, _mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
    dvi_transpose_halves(dst + 2 * pitch, pitch, _mm_unpackhi_epi32(a, b),
                         _mm_unpackhi_epi32(c, d));
}

static DVI_ALWAYS_INLINE void block_8_2(uint8_t *dst, size_t pitch, const void *const *columns,
                                        size_t at)
{
    dvi_transpose_halves(dst, pitch, dvi_transpose_load(columns[0], at),
                         dvi_transpose_load(columns[1], at));
}

#endif
