/* SPDX-License-Identifier: MIT */
/* sums_avx512.c: adds numbers or their squares, without NA. */
#include <immintrin.h>
#include <stdint.h>

typedef __m512i vec;
#define VEC_NBYTES 64

static inline vec vec_load(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

static inline void vec_store(uint64_t *dst, vec v)
{
    _mm512_storeu_si512(dst, v);
}

static inline vec vec_set(uint64_t x)
{
    return _mm512_set1_epi64((int64_t)x);
}

static inline vec vec_shift(vec v, int bits)
{
    return _mm512_srli_epi64(v, (unsigned)bits);
}

#define vec_and _mm512_and_si512
#define vec_xor _mm512_xor_si512
#define vec_add _mm512_add_epi64
#define vec_mul_32 _mm512_mullo_epi32
#define vec_mul_64 _mm512_mul_epu32

static inline vec vec_square_pairs(vec v)
{
    return _mm512_madd_epi16(v, v);
}

static inline vec vec_sum_bytes(vec v)
{
    return _mm512_sad_epu8(v, _mm512_setzero_si512());
}

#define DEFINE_CLEAN(bits, least)                                                                  \
    static inline vec vec_clean_##bits(vec v)                                                      \
    {                                                                                              \
        return _mm512_maskz_mov_epi##bits(_mm512_cmpneq_epi##bits##_mask(v, vec_set(least)), v);   \
    }
DEFINE_CLEAN(8, UINT64_C(0x8080808080808080))
DEFINE_CLEAN(16, UINT64_C(0x8000800080008000))
DEFINE_CLEAN(32, UINT64_C(0x8000000080000000))
DEFINE_CLEAN(64, UINT64_C(0x8000000000000000))

#define DEFINE_SIZE(bits)                                                                          \
    static inline vec vec_size_##bits(vec v)                                                       \
    {                                                                                              \
        return _mm512_abs_epi##bits(vec_clean_##bits(v));                                          \
    }
DEFINE_SIZE(8)
DEFINE_SIZE(16)
DEFINE_SIZE(32)

typedef __m512d real;
#define REAL_LANES 8
#define real_zero _mm512_setzero_pd
#define real_add _mm512_add_pd
#define real_mul _mm512_mul_pd
#define real_store _mm512_storeu_pd

static inline real real_clean(real r)
{
    return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(r, r, _CMP_ORD_Q), r);
}

static inline real real_load_r4(const uint8_t *p)
{
    return real_clean(_mm512_cvtps_pd(_mm256_loadu_ps((const void *)p)));
}

static inline real real_load_r8(const uint8_t *p)
{
    return real_clean(_mm512_loadu_pd(p));
}

#include "simd/sums_tmpl.h"

DVI_DEFINE_SUMS(avx512)
