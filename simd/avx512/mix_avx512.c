/* SPDX-License-Identifier: MIT */
/* mix_avx512.c: weighted means of pixels along rows and columns. */
#include "base/compiler.h"
#include "simd/dispatch.h"
#include <immintrin.h>

/* --- Along rows: lanes are the channels of four taps ------------------------------------------ */

typedef __m512i sums;
typedef __m512i order;

/* The place of each byte in lanes of 32 bits; a fourth channel that is not there is 0. */
static inline order order_3(void)
{
    static const uint8_t first[4] = {0, 3, 6, 9};
    uint32_t lanes[16];
    for (uint32_t i = 0; i < 16; i++)
        lanes[i] = i % 4 == 3 ? UINT32_MAX : UINT32_C(0xFFFFFF00) | (first[i / 4] + i % 4);
    return _mm512_loadu_si512(lanes);
}

static inline order order_4(void)
{
    uint32_t lanes[16];
    for (uint32_t i = 0; i < 16; i++)
        lanes[i] = UINT32_C(0xFFFFFF00) | i;
    return _mm512_loadu_si512(lanes);
}

static inline sums sums_zero(void)
{
    return _mm512_setzero_si512();
}

static DVI_ALWAYS_INLINE sums sums_add(sums s, const uint8_t *p, const int32_t *w, order o)
{
    const __m512i each = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const __m512i bytes = _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)p));
    const __m512i weights = _mm512_castsi128_si512(_mm_loadu_si128((const void *)w));
    return _mm512_add_epi32(s, _mm512_mullo_epi32(_mm512_shuffle_epi8(bytes, o),
                                                  _mm512_permutexvar_epi32(each, weights)));
}

static inline uint32_t sums_end(sums s)
{
    const __m128i half = _mm_set1_epi32(1 << (DV_WEIGHT_BITS - 1));
    const __m256i two =
        _mm256_add_epi32(_mm512_castsi512_si256(s), _mm512_extracti64x4_epi64(s, 1));
    const __m128i sum =
        _mm_add_epi32(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1));
    const __m128i value = _mm_srai_epi32(_mm_add_epi32(sum, half), DV_WEIGHT_BITS);
    const __m128i words = _mm_packs_epi32(value, value);
    return (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(words, words));
}

/* --- Along columns ---------------------------------------------------------------------------- */

#define BLOCK 64

static DVI_ALWAYS_INLINE __m512i add_16(__m512i sum, const uint8_t *p, __m512i weight)
{
    const __m512i bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)p));
    return _mm512_add_epi32(sum, _mm512_mullo_epi32(bytes, weight));
}

static DVI_ALWAYS_INLINE void store_16(uint8_t *dst, __m512i sum)
{
    const __m512i value = _mm512_srai_epi32(sum, DV_WEIGHT_BITS);
    const __m512i least = _mm512_max_epi32(value, _mm512_setzero_si512());
    _mm_storeu_si128((void *)dst, _mm512_cvtusepi32_epi8(least));
}

static DVI_ALWAYS_INLINE void blend(uint8_t *dst, const uint8_t *src, size_t pitch,
                                    const int32_t *weights, size_t count)
{
    __m512i a = _mm512_set1_epi32(1 << (DV_WEIGHT_BITS - 1)), b = a, c = a, d = a;
    for (size_t k = 0; k < count; k++, src += pitch) {
        const __m512i weight = _mm512_set1_epi32(weights[k]);
        a = add_16(a, src, weight);
        b = add_16(b, src + 16, weight);
        c = add_16(c, src + 32, weight);
        d = add_16(d, src + 48, weight);
    }
    store_16(dst, a);
    store_16(dst + 16, b);
    store_16(dst + 32, c);
    store_16(dst + 48, d);
}

#include "simd/mix_tmpl.h"

DVI_MIX_KERNELS(avx512)
