/* SPDX-License-Identifier: MIT */
/* minmax_avx2.c: finds the least and the greatest value, without NA. */
#include <immintrin.h>
#include <stdint.h>

typedef __m256i vec;
#define VEC_NBYTES 32

static inline vec vec_load(const uint8_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}

static inline void vec_store(void *dst, vec v)
{
    _mm256_storeu_si256(dst, v);
}

static inline vec vec_set(uint64_t x)
{
    return _mm256_set1_epi64x((int64_t)x);
}

#define vec_or _mm256_or_si256
#define vec_equal_32 _mm256_cmpeq_epi32
#define vec_equal_64 _mm256_cmpeq_epi64

/* Add -1, all bits set. */
#define DEFINE_DEC(bits)                                                                           \
    static inline vec vec_dec_##bits(vec v)                                                        \
    {                                                                                              \
        return _mm256_add_epi##bits(v, vec_set(UINT64_MAX));                                       \
    }
DEFINE_DEC(8)
DEFINE_DEC(16)
DEFINE_DEC(32)
DEFINE_DEC(64)

#define vec_min_i1 _mm256_min_epi8
#define vec_max_i1 _mm256_max_epi8
#define vec_min_i2 _mm256_min_epi16
#define vec_max_i2 _mm256_max_epi16
#define vec_min_i4 _mm256_min_epi32
#define vec_max_i4 _mm256_max_epi32
#define vec_min_u1 _mm256_min_epu8
#define vec_max_u1 _mm256_max_epu8
#define vec_min_u2 _mm256_min_epu16
#define vec_max_u2 _mm256_max_epu16
#define vec_min_u4 _mm256_min_epu32
#define vec_max_u4 _mm256_max_epu32

static inline vec vec_min_i8(vec v, vec w)
{
    return _mm256_blendv_epi8(v, w, _mm256_cmpgt_epi64(v, w));
}

static inline vec vec_max_i8(vec v, vec w)
{
    return _mm256_blendv_epi8(w, v, _mm256_cmpgt_epi64(v, w));
}

/* Only signed comparisons exist, so the sign bits are flipped. */
static inline vec is_above_u8(vec v, vec w)
{
    const vec sign = vec_set(UINT64_C(1) << 63);
    return _mm256_cmpgt_epi64(_mm256_xor_si256(v, sign), _mm256_xor_si256(w, sign));
}

static inline vec vec_min_u8(vec v, vec w)
{
    return _mm256_blendv_epi8(v, w, is_above_u8(v, w));
}

static inline vec vec_max_u8(vec v, vec w)
{
    return _mm256_blendv_epi8(w, v, is_above_u8(v, w));
}

/* vminps and similar instructions return the second operand if the comparison is false. */
#define DEFINE_REAL(op, type, suffix)                                                              \
    static inline vec vec_##op##_##type(vec v, vec w)                                              \
    {                                                                                              \
        return _mm256_castp##suffix##_si256(_mm256_##op##_p##suffix(                               \
            _mm256_castsi256_p##suffix(v), _mm256_castsi256_p##suffix(w)));                        \
    }
DEFINE_REAL(min, r4, s)
DEFINE_REAL(max, r4, s)
DEFINE_REAL(min, r8, d)
DEFINE_REAL(max, r8, d)

#include "simd/minmax_tmpl.h"

DVI_DEFINE_MINMAXES(avx2)
