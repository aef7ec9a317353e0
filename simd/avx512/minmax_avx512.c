/* SPDX-License-Identifier: MIT */
/* minmax_avx512.c: finds the least and the greatest value, without NA. */
#include <immintrin.h>
#include <stdint.h>

typedef __m512i vec;
#define VEC_NBYTES 64

static inline vec vec_load(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

static inline void vec_store(void *dst, vec v)
{
    _mm512_storeu_si512(dst, v);
}

static inline vec vec_set(uint64_t x)
{
    return _mm512_set1_epi64((int64_t)x);
}

#define vec_or _mm512_or_si512

static inline vec vec_equal_32(vec v, vec w)
{
    return _mm512_movm_epi32(_mm512_cmpeq_epi32_mask(v, w));
}

static inline vec vec_equal_64(vec v, vec w)
{
    return _mm512_movm_epi64(_mm512_cmpeq_epi64_mask(v, w));
}

/* Add -1, all bits set. */
#define DEFINE_DEC(bits)                                                                           \
    static inline vec vec_dec_##bits(vec v)                                                        \
    {                                                                                              \
        return _mm512_add_epi##bits(v, vec_set(UINT64_MAX));                                       \
    }
DEFINE_DEC(8)
DEFINE_DEC(16)
DEFINE_DEC(32)
DEFINE_DEC(64)

#define vec_min_i1 _mm512_min_epi8
#define vec_max_i1 _mm512_max_epi8
#define vec_min_i2 _mm512_min_epi16
#define vec_max_i2 _mm512_max_epi16
#define vec_min_i4 _mm512_min_epi32
#define vec_max_i4 _mm512_max_epi32
#define vec_min_i8 _mm512_min_epi64
#define vec_max_i8 _mm512_max_epi64
#define vec_min_u1 _mm512_min_epu8
#define vec_max_u1 _mm512_max_epu8
#define vec_min_u2 _mm512_min_epu16
#define vec_max_u2 _mm512_max_epu16
#define vec_min_u4 _mm512_min_epu32
#define vec_max_u4 _mm512_max_epu32
#define vec_min_u8 _mm512_min_epu64
#define vec_max_u8 _mm512_max_epu64

/* vminps and similar instructions return the second operand if the comparison is false. */
#define DEFINE_REAL(op, type, suffix)                                                              \
    static inline vec vec_##op##_##type(vec v, vec w)                                              \
    {                                                                                              \
        return _mm512_castp##suffix##_si512(_mm512_##op##_p##suffix(                               \
            _mm512_castsi512_p##suffix(v), _mm512_castsi512_p##suffix(w)));                        \
    }
DEFINE_REAL(min, r4, s)
DEFINE_REAL(max, r4, s)
DEFINE_REAL(min, r8, d)
DEFINE_REAL(max, r8, d)

#include "simd/minmax_tmpl.h"

DVI_DEFINE_MINMAXES(avx512)
