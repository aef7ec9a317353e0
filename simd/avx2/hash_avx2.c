/* SPDX-License-Identifier: MIT */
/* hash_avx2.c: hashes keys with BLAKE2s, 8 at a time. */
#include <immintrin.h>

typedef __m256i vec;
#define LANES 8

#define vec_load(p) _mm256_loadu_si256((const void *)(p))
#define vec_store(p, v) _mm256_storeu_si256((void *)(p), v)
#define vec_set(x) _mm256_set1_epi32((int)(x))
#define vec_add _mm256_add_epi32
#define vec_xor _mm256_xor_si256
#define vec_and _mm256_and_si256

/* Rotations by whole bytes take one instruction instead of three. */
static inline vec vec_rotate_16(vec v)
{
    const vec from = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    return _mm256_shuffle_epi8(v, from);
}

static inline vec vec_rotate_8(vec v)
{
    const vec from = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12));
    return _mm256_shuffle_epi8(v, from);
}

static inline vec vec_rotate_12(vec v)
{
    return _mm256_or_si256(_mm256_srli_epi32(v, 12), _mm256_slli_epi32(v, 20));
}

static inline vec vec_rotate_7(vec v)
{
    return _mm256_or_si256(_mm256_srli_epi32(v, 7), _mm256_slli_epi32(v, 25));
}

#include "simd/hash_tmpl.h"

DVI_HASH_KERNEL(avx2)
