/* SPDX-License-Identifier: MIT */
/* hash_avx512.c: hashes keys with BLAKE2s, 16 at a time. */
#include <immintrin.h>

typedef __m512i vec;
#define LANES 16

#define vec_load(p) _mm512_loadu_si512(p)
#define vec_store(p, v) _mm512_storeu_si512(p, v)
#define vec_set(x) _mm512_set1_epi32((int)(x))
#define vec_add _mm512_add_epi32
#define vec_xor _mm512_xor_si512
#define vec_and _mm512_and_si512
#define vec_rotate_16(v) _mm512_ror_epi32(v, 16)
#define vec_rotate_12(v) _mm512_ror_epi32(v, 12)
#define vec_rotate_8(v) _mm512_ror_epi32(v, 8)
#define vec_rotate_7(v) _mm512_ror_epi32(v, 7)

#include "simd/hash_tmpl.h"

DVI_HASH_KERNEL(avx512)
