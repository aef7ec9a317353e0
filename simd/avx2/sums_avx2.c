/* SPDX-License-Identifier: MIT */
/* sums_avx2.c: adds numbers or their squares, without NA. */
#include <immintrin.h>
#include <stdint.h>

typedef __m256i vec;
#define VEC_NBYTES 32

static inline vec vec_load(const uint8_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}

static inline void vec_store(uint64_t *dst, vec v)
{
    _mm256_storeu_si256((void *)dst, v);
}

static inline vec vec_set(uint64_t x)
{
    return _mm256_set1_epi64x((int64_t)x);
}

#define vec_and _mm256_and_si256
#define vec_xor _mm256_xor_si256
#define vec_add _mm256_add_epi64
#define vec_shift _mm256_srli_epi64
#define vec_mul_32 _mm256_mullo_epi32
#define vec_mul_64 _mm256_mul_epu32

static inline vec vec_square_pairs(vec v)
{
    return _mm256_madd_epi16(v, v);
}

static inline vec vec_sum_bytes(vec v)
{
    return _mm256_sad_epu8(v, _mm256_setzero_si256());
}

#define DEFINE_CLEAN(bits, least)                                                                  \
    static inline vec vec_clean_##bits(vec v)                                                      \
    {                                                                                              \
        return _mm256_andnot_si256(_mm256_cmpeq_epi##bits(v, vec_set(least)), v);                  \
    }
DEFINE_CLEAN(8, UINT64_C(0x8080808080808080))
DEFINE_CLEAN(16, UINT64_C(0x8000800080008000))
DEFINE_CLEAN(32, UINT64_C(0x8000000080000000))
DEFINE_CLEAN(64, UINT64_C(0x8000000000000000))

#define DEFINE_SIZE(bits)                                                                          \
    static inline vec vec_size_##bits(vec v)                                                       \
    {                                                                                              \
        return _mm256_abs_epi##bits(vec_clean_##bits(v));                                          \
    }
DEFINE_SIZE(8)
DEFINE_SIZE(16)
DEFINE_SIZE(32)

typedef __m256d real;
#define REAL_LANES 4
#define real_zero _mm256_setzero_pd
#define real_add _mm256_add_pd
#define real_mul _mm256_mul_pd
#define real_store _mm256_storeu_pd

static inline real real_clean(real r)
{
    return _mm256_and_pd(r, _mm256_cmp_pd(r, r, _CMP_ORD_Q));
}

static inline real real_load_r4(const uint8_t *p)
{
    return real_clean(_mm256_cvtps_pd(_mm_loadu_ps((const void *)p)));
}

static inline real real_load_r8(const uint8_t *p)
{
    return real_clean(_mm256_loadu_pd((const void *)p));
}

#include "simd/sums_tmpl.h"

DVI_DEFINE_SUMS(avx2)
