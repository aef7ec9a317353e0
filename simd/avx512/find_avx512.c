/* SPDX-License-Identifier: MIT */
/* find_avx512.c: finds the bytes of a set. */
#include "simd/find_tmpl.h"
#include <immintrin.h>

static inline __m512i load_table(const uint8_t table[16])
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)table));
}

static inline uint64_t look(const uint8_t *p, const dvi_ascii_set *set)
{
    const __m512i x = _mm512_loadu_si512(p), half = _mm512_set1_epi8(15);
    const __m512i upper = _mm512_and_si512(_mm512_srli_epi16(x, 4), half);
    const __m512i bit = _mm512_shuffle_epi8(load_table(dvi_find_bits), upper);
    return _mm512_test_epi8_mask(_mm512_shuffle_epi8(load_table(set->members), x), bit);
}

static inline size_t list(uint32_t *dst, uint64_t bits, uint32_t base)
{
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    size_t n = 0;
    for (uint32_t at = 0; at < DVI_FIND_BLOCK; at += 16) {
        const __mmask16 is = (__mmask16)(bits >> at);
        const __m512i positions = _mm512_add_epi32(first, _mm512_set1_epi32((int)(base + at)));
        _mm512_storeu_si512(dst + n, _mm512_maskz_compress_epi32(is, positions));
        n += (size_t)__builtin_popcount(is);
    }
    return n;
}

size_t dvi_bytes_find_avx512(uint32_t *restrict dst, size_t room, const void *restrict src,
                             size_t n, const dvi_ascii_set *set)
{
    return dvi_find_bytes(look, list, dst, room, src, n, set);
}
