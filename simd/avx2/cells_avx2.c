/* SPDX-License-Identifier: MIT */
/* cells_avx2.c: permutes the cells of a rectangle, 8 to a vector. */
#include <immintrin.h>
#include <stdint.h>

typedef __m256i vec;
#define LANES 8

#define vec_load(p) _mm256_loadu_si256((const void *)(p))
#define vec_set(x) _mm256_set1_epi32((int)(x))
#define vec_add _mm256_add_epi32
#define vec_sub _mm256_sub_epi32
#define vec_xor _mm256_xor_si256
#define vec_min _mm256_min_epu32
#define vec_mul _mm256_mullo_epi32
#define vec_fold(v) _mm256_xor_si256(v, _mm256_srli_epi32(v, 15))

/* A multiplication with products of 64 bits uses every other lane. */
static inline vec vec_high(vec a, vec b)
{
    const vec even = _mm256_srli_epi64(_mm256_mul_epu32(a, b), 32);
    const vec odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32));
    return _mm256_blend_epi32(even, odd, 0xAA);
}

static inline vec vec_carried(vec a, vec b)
{
    return _mm256_add_epi32(_mm256_cmpeq_epi32(a, b), _mm256_set1_epi32(1));
}

/* Compute the numbers of both halves of each 128 bits, then write them in order. */
static inline void vec_numbers(uint64_t *dst, vec x, vec height, vec y)
{
    const vec zero = _mm256_setzero_si256();
    const vec low = _mm256_add_epi64(_mm256_mul_epu32(_mm256_unpacklo_epi32(x, zero), height),
                                     _mm256_unpacklo_epi32(y, zero));
    const vec high = _mm256_add_epi64(_mm256_mul_epu32(_mm256_unpackhi_epi32(x, zero), height),
                                      _mm256_unpackhi_epi32(y, zero));
    _mm256_storeu_si256((void *)dst, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((void *)(dst + 4), _mm256_permute2x128_si256(low, high, 0x31));
}

#include "simd/cells_tmpl.h"

DVI_CELLS_KERNEL(avx2)
