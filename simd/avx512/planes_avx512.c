/* SPDX-License-Identifier: MIT */
/* planes_avx512.c: makes numbers of the channels of pixels, in planes. */
#include "base/compiler.h"
#include "simd/dispatch.h"
#include "simd/pixels_x86.h"
#include <immintrin.h>

#define BLOCK 16

typedef __m512i pixels;
typedef __m512 floats;

#define SUB _mm512_sub_ps
#define MUL _mm512_mul_ps
#define DIV _mm512_div_ps
#define floats_all _mm512_set1_ps
#define floats_store _mm512_storeu_ps

/* Four pixels in each group of 16 bytes; those of the last begin with its byte 4. */
static DVI_ALWAYS_INLINE pixels pixels_3(const uint8_t *p)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(dvi_pixels_load(p, p + 12)),
                              dvi_pixels_load(p + 24, p + 32), 1);
}

static DVI_ALWAYS_INLINE pixels pixels_4(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

/* Bytes c, c + step and so on of each group, in lanes of 32 bits; of the last group, `last` later.
 */
static DVI_ALWAYS_INLINE floats channel(pixels x, int c, int step, int last)
{
    const __m128i first = _mm_setr_epi32(c, c + step, c + 2 * step, c + 3 * step);
    const __m512i places = _mm512_inserti32x4(_mm512_broadcast_i32x4(first),
                                              _mm_add_epi32(first, _mm_set1_epi32(last)), 3);
    const __m512i upper = _mm512_set1_epi32(~0xFF); /* bytes that become 0 */
    return _mm512_cvtepi32_ps(_mm512_shuffle_epi8(x, _mm512_or_si512(places, upper)));
}

static DVI_ALWAYS_INLINE floats channel_3(pixels x, int c)
{
    return channel(x, c, 3, 4);
}

static DVI_ALWAYS_INLINE floats channel_4(pixels x, int c)
{
    return channel(x, c, 4, 0);
}

#include "simd/planes_tmpl.h"

DVI_PLANES_KERNELS(avx512)
