/* SPDX-License-Identifier: MIT */
/* transpose_avx512.c: makes a matrix of columns: blocks of 16 x 16 items of 4 bytes, 8 x 8 of 8. */
#include "simd/transpose_x86.h"

/* Load the 16 bytes at offset `at` of 4 columns, which are `step` columns apart. */
static DVI_ALWAYS_INLINE __m512i load_four(const void *const *columns, size_t step, size_t at)
{
    __m512i v = _mm512_castsi128_si512(dvi_transpose_load(columns[0], at));
    v = _mm512_inserti32x4(v, dvi_transpose_load(columns[step], at), 1);
    v = _mm512_inserti32x4(v, dvi_transpose_load(columns[2 * step], at), 2);
    return _mm512_inserti32x4(v, dvi_transpose_load(columns[3 * step], at), 3);
}

static DVI_ALWAYS_INLINE void two_rows(uint8_t *dst, size_t pitch, __m512i a, __m512i b)
{
    _mm512_storeu_si512(dst, _mm512_unpacklo_epi64(a, b));
    _mm512_storeu_si512(dst + pitch, _mm512_unpackhi_epi64(a, b));
}

/* Each quarter of a vector is a square of 4 x 4 items, or of 2 x 2. */
static DVI_ALWAYS_INLINE void block_4_16(uint8_t *dst, size_t pitch, const void *const *columns,
                                         size_t at)
{
    for (size_t i = 0; i < 4; i++, dst += 4 * pitch, at += 16) {
        const __m512i a = load_four(columns, 4, at), b = load_four(columns + 1, 4, at);
        const __m512i c = load_four(columns + 2, 4, at), d = load_four(columns + 3, 4, at);
        two_rows(dst, pitch, _mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
        two_rows(dst + 2 * pitch, pitch, _mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
    }
}

static DVI_ALWAYS_INLINE void block_8_8(uint8_t *dst, size_t pitch, const void *const *columns,
                                        size_t at)
{
    for (size_t i = 0; i < 4; i++, dst += 2 * pitch, at += 16)
        two_rows(dst, pitch, load_four(columns, 2, at), load_four(columns + 1, 2, at));
}

DVI_TRANSPOSE_KERNEL(avx512, 4, uint32_t, 16, 16, 4)
DVI_TRANSPOSE_KERNEL(avx512, 8, uint64_t, 8, 8, 2)
