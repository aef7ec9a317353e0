/* SPDX-License-Identifier: MIT */
/* mix_avx2.c: weighted means of pixels along rows and columns. */
#include "base/compiler.h"
#include "simd/dispatch.h"
#include <immintrin.h>

/* --- Along rows: lanes are the channels of two taps ------------------------------------------- */

typedef __m256i sums;

/* Of pixels 0 and 1, and of pixels 2 and 3. */
typedef struct order {
    __m256i low, high;
} order;

/* The bytes of pixels a and b, in lanes of 32 bits; a fourth channel that is not there is 0. */
#define LANES(a, b, fourth)                                                                        \
    _mm256_setr_epi8(a, -1, -1, -1, (a) + 1, -1, -1, -1, (a) + 2, -1, -1, -1, fourth(a), -1, -1,   \
                     -1, b, -1, -1, -1, (b) + 1, -1, -1, -1, (b) + 2, -1, -1, -1, fourth(b), -1,   \
                     -1, -1)
#define NONE(pixel) -1
#define FOURTH(pixel) ((pixel) + 3)

static inline order order_3(void)
{
    return (order){LANES(0, 3, NONE), LANES(6, 9, NONE)};
}

static inline order order_4(void)
{
    return (order){LANES(0, 4, FOURTH), LANES(8, 12, FOURTH)};
}

static inline sums sums_zero(void)
{
    return _mm256_setzero_si256();
}

static DVI_ALWAYS_INLINE sums sums_add(sums s, const uint8_t *p, const int32_t *w, order o)
{
    const __m256i bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)p));
    const __m256i weights = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)w));
    const __m256i low =
        _mm256_permutevar8x32_epi32(weights, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
    const __m256i high =
        _mm256_permutevar8x32_epi32(weights, _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3));
    s = _mm256_add_epi32(s, _mm256_mullo_epi32(_mm256_shuffle_epi8(bytes, o.low), low));
    return _mm256_add_epi32(s, _mm256_mullo_epi32(_mm256_shuffle_epi8(bytes, o.high), high));
}

static inline uint32_t sums_end(sums s)
{
    const __m128i half = _mm_set1_epi32(1 << (DV_WEIGHT_BITS - 1));
    const __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
    const __m128i value = _mm_srai_epi32(_mm_add_epi32(sum, half), DV_WEIGHT_BITS);
    const __m128i words = _mm_packs_epi32(value, value);
    return (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(words, words));
}

/* --- Along columns ---------------------------------------------------------------------------- */

#define BLOCK 32

static DVI_ALWAYS_INLINE __m256i add_8(__m256i sum, const uint8_t *p, __m256i weight)
{
    const __m256i bytes = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)p));
    return _mm256_add_epi32(sum, _mm256_mullo_epi32(bytes, weight));
}

static DVI_ALWAYS_INLINE void blend(uint8_t *dst, const uint8_t *src, size_t pitch,
                                    const int32_t *weights, size_t count)
{
    __m256i a = _mm256_set1_epi32(1 << (DV_WEIGHT_BITS - 1)), b = a, c = a, d = a;
    for (size_t k = 0; k < count; k++, src += pitch) {
        const __m256i weight = _mm256_set1_epi32(weights[k]);
        a = add_8(a, src, weight);
        b = add_8(b, src + 8, weight);
        c = add_8(c, src + 16, weight);
        d = add_8(d, src + 24, weight);
    }
#define WORDS(x, y)                                                                                \
    _mm256_packs_epi32(_mm256_srai_epi32(x, DV_WEIGHT_BITS), _mm256_srai_epi32(y, DV_WEIGHT_BITS))
    const __m256i bytes = _mm256_packus_epi16(WORDS(a, b), WORDS(c, d));
    const __m256i in_order =
        _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    _mm256_storeu_si256((void *)dst, in_order);
}

#include "simd/mix_tmpl.h"

DVI_MIX_KERNELS(avx2)
