/* SPDX-License-Identifier: MIT */
/* bits_avx2.c: unpacks Booleans of one or two bits into bytes, and packs bytes into bits, 32 at a
 * time. */
#include "base/load.h"
#include "simd/dispatch.h"
#include <dataview/type.h>
#include <immintrin.h>

/* Repeat each byte of the word for each of its items. */
static inline __m256i spread_bits(uint32_t word)
{
    const __m256i from = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, /**/
                                          2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    return _mm256_shuffle_epi8(_mm256_set1_epi32((int32_t)word), from);
}

static inline __m256i spread_pairs(uint64_t word)
{
    const __m256i from = _mm256_setr_epi8(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, /**/
                                          4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7);
    return _mm256_shuffle_epi8(_mm256_set1_epi64x((int64_t)word), from);
}

size_t dvi_bits_expand_avx2(int8_t *restrict dst, const void *restrict src, size_t n)
{
    if (n < 32)
        return dvi_bits_expand_scalar(dst, src, n);
    const __m256i bit = _mm256_set1_epi64x((int64_t)UINT64_C(0x8040201008040201));
    const __m256i one = _mm256_set1_epi8(1);
    const uint8_t *p = src;
    size_t i = 0;
    for (; n - i >= 32; i += 32) {
        const __m256i bits = _mm256_and_si256(spread_bits(dvi_load_u32(p + i / 8)), bit);
        _mm256_storeu_si256((void *)(dst + i), _mm256_min_epu8(bits, one));
    }
    return i + dvi_bits_expand_scalar(dst + i, p + i / 8, n - i);
}

size_t dvi_pairs_expand_avx2(int8_t *restrict dst, const void *restrict src, size_t n)
{
    if (n < 32)
        return dvi_pairs_expand_scalar(dst, src, n);
    const __m256i low = _mm256_set1_epi32(0x40100401), high = _mm256_slli_epi32(low, 1);
    const __m256i one = _mm256_set1_epi8(1), na = _mm256_set1_epi8(DV_BL_NA);
    const uint8_t *p = src;
    size_t i = 0;
    for (; n - i >= 32; i += 32) {
        const uint64_t word = dvi_load_u64(p + i / 4);
        if (word & (word >> 1) & UINT64_C(0x5555555555555555))
            break; /* both bits of a pair are set: scalar finds the pair */
        const __m256i pairs = spread_pairs(word);
        const __m256i is_na = _mm256_cmpeq_epi8(_mm256_and_si256(pairs, high), high);
        const __m256i ones = _mm256_min_epu8(_mm256_and_si256(pairs, low), one);
        _mm256_storeu_si256((void *)(dst + i), _mm256_or_si256(ones, _mm256_and_si256(is_na, na)));
    }
    return i + dvi_pairs_expand_scalar(dst + i, p + i / 4, n - i);
}

size_t dvi_bits_pack_avx2(uint8_t *restrict dst, const void *restrict src, size_t n)
{
    if (n < 32)
        return dvi_bits_pack_scalar(dst, src, n);
    const __m256i one = _mm256_set1_epi8(1);
    const uint8_t *p = src;
    size_t i = 0, others = 0;
    for (; n - i >= 32; i += 32) {
        const __m256i v = _mm256_loadu_si256((const void *)(p + i));
        const __m256i is_sound = _mm256_cmpeq_epi8(_mm256_max_epu8(v, one), one);
        others += (size_t)__builtin_popcount(~(uint32_t)_mm256_movemask_epi8(is_sound));
        dvi_store_u32(dst + i / 8, (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, one)));
    }
    return others + dvi_bits_pack_scalar(dst + i / 8, p + i, n - i);
}
