/* SPDX-License-Identifier: MIT */
/* planes_avx2.c: makes numbers of the channels of pixels, in planes. */
#include "base/compiler.h"
#include "simd/dispatch.h"
#include "simd/pixels_x86.h"
#include <immintrin.h>

#define BLOCK 8

typedef __m256i pixels;
typedef __m256 floats;

#define SUB _mm256_sub_ps
#define MUL _mm256_mul_ps
#define DIV _mm256_div_ps
#define floats_all _mm256_set1_ps
#define floats_store _mm256_storeu_ps

/* Of 24 bytes, the first and the last 16: pixels 4 to 7 begin with byte 4 of a group. */
static DVI_ALWAYS_INLINE pixels pixels_3(const uint8_t *p)
{
    return dvi_pixels_load(p, p + 8);
}

static DVI_ALWAYS_INLINE pixels pixels_4(const uint8_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}

/* Four bytes of a group, `step` apart, in lanes of 32 bits. */
#define LANES(at, step)                                                                            \
    at, -1, -1, -1, (at) + (step), -1, -1, -1, (at) + 2 * (step), -1, -1, -1, (at) + 3 * (step),   \
        -1, -1, -1

static DVI_ALWAYS_INLINE floats channel_3(pixels x, char c)
{
    const __m256i places = _mm256_setr_epi8(LANES(c, 3), LANES((char)(c + 4), 3));
    return _mm256_cvtepi32_ps(_mm256_shuffle_epi8(x, places));
}

static DVI_ALWAYS_INLINE floats channel_4(pixels x, char c)
{
    const __m256i places = _mm256_setr_epi8(LANES(c, 4), LANES(c, 4));
    return _mm256_cvtepi32_ps(_mm256_shuffle_epi8(x, places));
}

#include "simd/planes_tmpl.h"

DVI_PLANES_KERNELS(avx2)
