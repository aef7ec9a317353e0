/* SPDX-License-Identifier: MIT */
/* cells_avx512.c: permutes the cells of a rectangle, 16 to a vector. */
#include <immintrin.h>
#include <stdint.h>

typedef __m512i vec;
#define LANES 16

#define vec_load(p) _mm512_loadu_si512(p)
#define vec_set(x) _mm512_set1_epi32((int)(x))
#define vec_add _mm512_add_epi32
#define vec_sub _mm512_sub_epi32
#define vec_xor _mm512_xor_si512
#define vec_min _mm512_min_epu32
#define vec_mul _mm512_mullo_epi32
#define vec_fold(v) _mm512_xor_si512(v, _mm512_srli_epi32(v, 15))

/* A multiplication with products of 64 bits uses every other lane. */
static inline vec vec_high(vec a, vec b)
{
    const vec even = _mm512_srli_epi64(_mm512_mul_epu32(a, b), 32);
    const vec odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32));
    return _mm512_mask_mov_epi32(even, 0xAAAA, odd);
}

static inline vec vec_carried(vec a, vec b)
{
    return _mm512_maskz_set1_epi32(_mm512_cmpneq_epi32_mask(a, b), 1);
}

static inline void vec_numbers(uint64_t *dst, vec x, vec height, vec y)
{
    const __m512i low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(x));
    const __m512i high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(x, 1));
    const __m512i low_y = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(y));
    const __m512i high_y = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(y, 1));
    _mm512_storeu_si512(dst, _mm512_add_epi64(_mm512_mul_epu32(low, height), low_y));
    _mm512_storeu_si512(dst + 8, _mm512_add_epi64(_mm512_mul_epu32(high, height), high_y));
}

#include "simd/cells_tmpl.h"

DVI_CELLS_KERNEL(avx512)
