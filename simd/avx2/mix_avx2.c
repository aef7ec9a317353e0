/* SPDX-License-Identifier: MIT */
/* mix_avx2.c: weighted means of pixels along rows and columns. */
#include "base/compiler.h"
#include "simd/dispatch.h"
#include "simd/pixels_x86.h"
#include <immintrin.h>
#include <string.h>

/* --- Along rows: lanes are the channels of a pixel, in two rows --------------------------------
 */

#define ROWS 8

typedef __m256i four;

/* Of pixels 0 and 1, and of pixels 2 and 3. */
typedef struct order {
    __m256i first, last;
} order;

/* A weight is high * 2^16 + low, each from -2^15 to 2^15 - 1: an instruction multiplies two of
 * these, in the words of each lane, by the bytes of two pixels. */
typedef struct weights_4 {
    __m256i low_first, low_last, high_first, high_last;
} weights_4;

/* Each of two rows. */
typedef struct sums {
    __m256i a, b, c, d;
} sums;

/* The bytes of pixels a and b in words, by channel; a fourth channel that is not there is 0. */
#define PAIRS(a, b, fourth)                                                                        \
    _mm256_broadcastsi128_si256(_mm_setr_epi8(a, -1, b, -1, (a) + 1, -1, (b) + 1, -1, (a) + 2, -1, \
                                              (b) + 2, -1, fourth(a), -1, fourth(b), -1))
#define NONE(pixel) -1
#define FOURTH(pixel) ((pixel) + 3)

static inline order order_3(void)
{
    return (order){PAIRS(0, 3, NONE), PAIRS(6, 9, NONE)};
}

static inline order order_4(void)
{
    return (order){PAIRS(0, 4, FOURTH), PAIRS(8, 12, FOURTH)};
}

static DVI_ALWAYS_INLINE weights_4 weights_of(const int32_t *w)
{
    const __m128i carry = _mm_set1_epi32(0x8000);
    const __m128i halves =
        _mm_xor_si128(_mm_add_epi32(_mm_loadu_si128((const void *)w), carry), carry);
    const __m256i turned = _mm256_broadcastsi128_si256(_mm_shuffle_epi8(
        halves, _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15)));
    return (weights_4){_mm256_shuffle_epi32(turned, 0x00), _mm256_shuffle_epi32(turned, 0x55),
                       _mm256_shuffle_epi32(turned, 0xAA), _mm256_shuffle_epi32(turned, 0xFF)};
}

static inline sums sums_zero(void)
{
    const __m256i half = _mm256_set1_epi32(1 << (DV_WEIGHT_BITS - 1));
    return (sums){half, half, half, half};
}

static DVI_ALWAYS_INLINE __m256i add_2(__m256i sum, const uint8_t *p, size_t pitch, weights_4 w,
                                       order o)
{
    const __m256i rows =
        _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)p)),
                                _mm_loadu_si128((const void *)(p + pitch)), 1);
    const __m256i first = _mm256_shuffle_epi8(rows, o.first);
    const __m256i last = _mm256_shuffle_epi8(rows, o.last);
    const __m256i low = _mm256_add_epi32(_mm256_madd_epi16(first, w.low_first),
                                         _mm256_madd_epi16(last, w.low_last));
    const __m256i high = _mm256_add_epi32(_mm256_madd_epi16(first, w.high_first),
                                          _mm256_madd_epi16(last, w.high_last));
    return _mm256_add_epi32(sum, _mm256_add_epi32(low, _mm256_slli_epi32(high, 16)));
}

static DVI_ALWAYS_INLINE sums sums_add(sums s, const uint8_t *p, size_t pitch, weights_4 w, order o)
{
    return (sums){add_2(s.a, p, pitch, w, o), add_2(s.b, p + 2 * pitch, pitch, w, o),
                  add_2(s.c, p + 4 * pitch, pitch, w, o), add_2(s.d, p + 6 * pitch, pitch, w, o)};
}

/* Sums of 8 or of 4 rows of lanes, cut to bytes. */
static DVI_ALWAYS_INLINE __m256i bytes_of(__m256i a, __m256i b, __m256i c, __m256i d)
{
#define WORDS(x, y)                                                                                \
    _mm256_packs_epi32(_mm256_srai_epi32(x, DV_WEIGHT_BITS), _mm256_srai_epi32(y, DV_WEIGHT_BITS))
    return _mm256_packus_epi16(WORDS(a, b), WORDS(c, d));
#undef WORDS
}

/* A group of 128 bits has rows r, r + 2, r + 4 and r + 6. */
static DVI_ALWAYS_INLINE four sums_end(sums s)
{
    return bytes_of(s.a, s.b, s.c, s.d);
}

/* Two rows, which are next to each other. */
static DVI_ALWAYS_INLINE void store_rows(uint8_t *dst, size_t pitch, __m256i pixels,
                                         const size_t channels)
{
    const __m256i three = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
    if (channels == 3)
        pixels = _mm256_shuffle_epi8(pixels, three);
    dvi_pixels_store(dst, _mm256_castsi256_si128(pixels), channels);
    dvi_pixels_store(dst + pitch, _mm256_extracti128_si256(pixels, 1), channels);
}

static DVI_ALWAYS_INLINE void store_4(uint8_t *dst, size_t pitch, const four *b,
                                      const size_t channels)
{
    const __m256i ab = _mm256_unpacklo_epi32(b[0], b[1]),
                  ab_high = _mm256_unpackhi_epi32(b[0], b[1]);
    const __m256i cd = _mm256_unpacklo_epi32(b[2], b[3]),
                  cd_high = _mm256_unpackhi_epi32(b[2], b[3]);
    store_rows(dst, pitch, _mm256_unpacklo_epi64(ab, cd), channels);
    store_rows(dst + 2 * pitch, pitch, _mm256_unpackhi_epi64(ab, cd), channels);
    store_rows(dst + 4 * pitch, pitch, _mm256_unpacklo_epi64(ab_high, cd_high), channels);
    store_rows(dst + 6 * pitch, pitch, _mm256_unpackhi_epi64(ab_high, cd_high), channels);
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
    const __m256i in_order = _mm256_permutevar8x32_epi32(bytes_of(a, b, c, d),
                                                         _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    _mm256_storeu_si256((void *)dst, in_order);
}

#include "simd/mix_tmpl.h"

DVI_MIX_KERNELS(avx2)
