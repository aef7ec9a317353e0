/* SPDX-License-Identifier: MIT */
/* mix_avx512.c: weighted means of pixels along rows and columns. */
#include "base/compiler.h"
#include "simd/dispatch.h"
#include "simd/pixels_x86.h"
#include <immintrin.h>
#include <string.h>

/* --- Along rows: lanes are the channels of a pixel, in four rows -------------------------------
 */

#define ROWS 16

typedef __m512i order;
typedef __m512i four;

/* A weight is top * 2^24 + high * 2^16 + middle * 2^8 + low, each from -128 to 127: an instruction
 * multiplies four of these, in the bytes of each lane, by four bytes of pixels. */
typedef struct weights_4 {
    __m512i low, middle, high;
    int32_t top; /* mostly 0: none is 2 or more */
} weights_4;

/* Of four rows, for each digit of the weights. */
typedef struct sums_of_4 {
    __m512i low, middle, high;
} sums_of_4;

typedef struct sums {
    sums_of_4 a, b, c, d;
} sums;

/* For each channel, the bytes of four pixels; a fourth channel that is not there is 0. */
static inline order order_3(void)
{
    return _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11, -1, -1, -1, -1));
}

#define TURN _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)

static inline order order_4(void)
{
    return _mm512_broadcast_i32x4(TURN);
}

static DVI_ALWAYS_INLINE weights_4 weights_of(const int32_t *w)
{
    const __m128i carry = _mm_set1_epi32(0x00808080);
    const __m128i digits =
        _mm_xor_si128(_mm_add_epi32(_mm_loadu_si128((const void *)w), carry), carry);
    const __m128i turned = _mm_shuffle_epi8(digits, TURN);
    const __m512i wide = _mm512_castsi128_si512(turned);
    return (weights_4){
        _mm512_broadcastd_epi32(turned), _mm512_permutexvar_epi32(_mm512_set1_epi32(1), wide),
        _mm512_permutexvar_epi32(_mm512_set1_epi32(2), wide), _mm_extract_epi32(turned, 3)};
}

static inline sums sums_zero(void)
{
    const __m512i zero = _mm512_setzero_si512();
    const sums_of_4 s = {_mm512_set1_epi32(1 << (DV_WEIGHT_BITS - 1)), zero, zero};
    return (sums){s, s, s, s};
}

static DVI_ALWAYS_INLINE __m256i two_rows(const uint8_t *p, size_t pitch)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)p)),
                                   _mm_loadu_si128((const void *)(p + pitch)), 1);
}

static DVI_ALWAYS_INLINE sums_of_4 add_4(sums_of_4 s, const uint8_t *p, size_t pitch, weights_4 w,
                                         order o)
{
    const __m512i rows = _mm512_inserti64x4(_mm512_castsi256_si512(two_rows(p, pitch)),
                                            two_rows(p + 2 * pitch, pitch), 1);
    const __m512i pixels = _mm512_shuffle_epi8(rows, o);
    if (DVI_UNLIKELY(w.top != 0)) {
        const __m512i top =
            _mm512_dpbusd_epi32(_mm512_setzero_si512(), pixels, _mm512_set1_epi32(w.top));
        s.high = _mm512_add_epi32(s.high, _mm512_slli_epi32(top, 8));
    }
    return (sums_of_4){_mm512_dpbusd_epi32(s.low, pixels, w.low),
                       _mm512_dpbusd_epi32(s.middle, pixels, w.middle),
                       _mm512_dpbusd_epi32(s.high, pixels, w.high)};
}

static DVI_ALWAYS_INLINE sums sums_add(sums s, const uint8_t *p, size_t pitch, weights_4 w, order o)
{
    return (sums){add_4(s.a, p, pitch, w, o), add_4(s.b, p + 4 * pitch, pitch, w, o),
                  add_4(s.c, p + 8 * pitch, pitch, w, o), add_4(s.d, p + 12 * pitch, pitch, w, o)};
}

static DVI_ALWAYS_INLINE __m512i end_4(sums_of_4 s)
{
    const __m512i upper = _mm512_add_epi32(_mm512_slli_epi32(s.high, 8), s.middle);
    return _mm512_srai_epi32(_mm512_add_epi32(_mm512_slli_epi32(upper, 8), s.low), DV_WEIGHT_BITS);
}

/* A group of 128 bits has rows r, r + 4, r + 8 and r + 12. */
static DVI_ALWAYS_INLINE four sums_end(sums s)
{
    return _mm512_packus_epi16(_mm512_packs_epi32(end_4(s.a), end_4(s.b)),
                               _mm512_packs_epi32(end_4(s.c), end_4(s.d)));
}

/* Four rows, which are next to each other. */
static DVI_ALWAYS_INLINE void store_rows(uint8_t *dst, size_t pitch, __m512i pixels,
                                         const size_t channels)
{
    const __m512i three = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
    if (channels == 3)
        pixels = _mm512_shuffle_epi8(pixels, three);
    dvi_pixels_store(dst, _mm512_castsi512_si128(pixels), channels);
    dvi_pixels_store(dst + pitch, _mm512_extracti32x4_epi32(pixels, 1), channels);
    dvi_pixels_store(dst + 2 * pitch, _mm512_extracti32x4_epi32(pixels, 2), channels);
    dvi_pixels_store(dst + 3 * pitch, _mm512_extracti32x4_epi32(pixels, 3), channels);
}

static DVI_ALWAYS_INLINE void store_4(uint8_t *dst, size_t pitch, const four *b,
                                      const size_t channels)
{
    const __m512i ab = _mm512_unpacklo_epi32(b[0], b[1]),
                  ab_high = _mm512_unpackhi_epi32(b[0], b[1]);
    const __m512i cd = _mm512_unpacklo_epi32(b[2], b[3]),
                  cd_high = _mm512_unpackhi_epi32(b[2], b[3]);
    store_rows(dst, pitch, _mm512_unpacklo_epi64(ab, cd), channels);
    store_rows(dst + 4 * pitch, pitch, _mm512_unpackhi_epi64(ab, cd), channels);
    store_rows(dst + 8 * pitch, pitch, _mm512_unpacklo_epi64(ab_high, cd_high), channels);
    store_rows(dst + 12 * pitch, pitch, _mm512_unpackhi_epi64(ab_high, cd_high), channels);
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
