/* SPDX-License-Identifier: MIT */
/* murmur_avx512.c: hashes numbers and short texts to keys, 16 at a time. */
#include "simd/dispatch.h"
#include <immintrin.h>

typedef __m512i vec;
#define LANES 16

#define vec_load(p) _mm512_loadu_si512(p)
#define vec_store(p, v) _mm512_storeu_si512(p, v)
#define vec_set(x) _mm512_set1_epi32((int)(x))
#define vec_add _mm512_add_epi32
#define vec_mul _mm512_mullo_epi32
#define vec_xor _mm512_xor_si512
#define vec_and _mm512_and_si512
#define vec_or _mm512_or_si512
#define vec_shift _mm512_srli_epi32
#define vec_rotate _mm512_rol_epi32
#define vec_without(v, m) _mm512_andnot_si512(m, v)
#define vec_is_zero(v) _mm512_movm_epi32(_mm512_testn_epi32_mask(v, v))
#define vec_above(v, most) _mm512_movm_epi32(_mm512_cmpgt_epu32_mask(v, most))

static inline void vec_split(const uint8_t *p, vec *low, vec *high)
{
    const vec a = vec_load(p), b = vec_load(p + 64);
    const vec even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    *low = _mm512_permutex2var_epi32(a, even, b);
    *high = _mm512_permutex2var_epi32(a, _mm512_add_epi32(even, vec_set(1)), b);
}

static inline uint32_t is_na(const uint8_t *p, const dvi_na *na)
{
    const vec item = _mm512_and_si512(vec_load(p), _mm512_set1_epi64((int64_t)na->mask));
    const vec above = _mm512_sub_epi64(item, _mm512_set1_epi64((int64_t)na->low));
    return _mm512_cmpgt_epu64_mask(above, _mm512_set1_epi64((int64_t)na->most));
}

static inline vec vec_na_8(const uint8_t *p, const dvi_na *na)
{
    return _mm512_movm_epi32((__mmask16)(is_na(p, na) | is_na(p + 64, na) << 8));
}

static inline void vec_words(const uint8_t *p, vec w[4])
{
    const vec a = vec_load(p), b = vec_load(p + 64), c = vec_load(p + 128), d = vec_load(p + 192);
    const vec first = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0);
    for (int k = 0; k < 4; k++) {
        const vec at = _mm512_add_epi32(first, vec_set(k));
        const vec low = _mm512_permutex2var_epi32(a, at, b);
        const vec high = _mm512_permutex2var_epi32(c, at, d);
        w[k] = _mm512_inserti64x4(low, _mm512_castsi512_si256(high), 1);
    }
}

#include "simd/murmur_tmpl.h"

DVI_MURMUR_KERNELS(avx512)
