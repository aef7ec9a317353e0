/* SPDX-License-Identifier: MIT */
/* murmur_avx2.c: hashes numbers and short texts to keys, 8 at a time. */
#include "simd/dispatch.h"
#include <immintrin.h>

typedef __m256i vec;
#define LANES 8

#define vec_load(p) _mm256_loadu_si256((const void *)(p))
#define vec_store(p, v) _mm256_storeu_si256((void *)(p), v)
#define vec_set(x) _mm256_set1_epi32((int)(x))
#define vec_add _mm256_add_epi32
#define vec_mul _mm256_mullo_epi32
#define vec_xor _mm256_xor_si256
#define vec_and _mm256_and_si256
#define vec_or _mm256_or_si256
#define vec_shift _mm256_srli_epi32
#define vec_rotate(v, bits)                                                                        \
    _mm256_or_si256(_mm256_slli_epi32(v, bits), _mm256_srli_epi32(v, 32 - (bits)))
#define vec_without(v, m) _mm256_andnot_si256(m, v)
#define vec_is_zero(v) _mm256_cmpeq_epi32(v, _mm256_setzero_si256())

static inline vec vec_above(vec v, vec most)
{
    const vec is_within = _mm256_cmpeq_epi32(_mm256_min_epu32(v, most), v);
    return _mm256_xor_si256(is_within, vec_set(-1));
}

/* The lower or the higher halves of 8 numbers, in their order. */
#define HALVES(a, b, which)                                                                        \
    _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(                                \
                                 _mm256_castsi256_ps(a), _mm256_castsi256_ps(b), which)),          \
                             0xD8)

static inline void vec_split(const uint8_t *p, vec *low, vec *high)
{
    const vec a = vec_load(p), b = vec_load(p + 32);
    *low = HALVES(a, b, 0x88);
    *high = HALVES(a, b, 0xDD);
}

/* Signed comparisons order unsigned numbers whose highest bits are flipped. */
static inline vec is_na(const uint8_t *p, const dvi_na *na)
{
    const uint64_t sign = UINT64_C(1) << 63;
    const vec least = _mm256_set1_epi64x((int64_t)(na->low + sign));
    const vec item = _mm256_and_si256(vec_load(p), _mm256_set1_epi64x((int64_t)na->mask));
    return _mm256_cmpgt_epi64(_mm256_sub_epi64(item, least),
                              _mm256_set1_epi64x((int64_t)(na->most ^ sign)));
}

static inline vec vec_na_8(const uint8_t *p, const dvi_na *na)
{
    const vec a = is_na(p, na), b = is_na(p + 32, na);
    return HALVES(a, b, 0x88);
}

/* Texts i and i + 4. */
static inline vec two_texts(const uint8_t *p, int i)
{
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const void *)(p + 16 * i))),
        _mm_loadu_si128((const void *)(p + 16 * (i + 4))), 1);
}

static inline void vec_words(const uint8_t *p, vec w[4])
{
    const vec a = two_texts(p, 0), b = two_texts(p, 1), c = two_texts(p, 2), d = two_texts(p, 3);
    const vec ab = _mm256_unpacklo_epi32(a, b), cd = _mm256_unpacklo_epi32(c, d);
    const vec high_ab = _mm256_unpackhi_epi32(a, b), high_cd = _mm256_unpackhi_epi32(c, d);
    w[0] = _mm256_unpacklo_epi64(ab, cd);
    w[1] = _mm256_unpackhi_epi64(ab, cd);
    w[2] = _mm256_unpacklo_epi64(high_ab, high_cd);
    w[3] = _mm256_unpackhi_epi64(high_ab, high_cd);
}

#include "simd/murmur_tmpl.h"

DVI_MURMUR_KERNELS(avx2)
