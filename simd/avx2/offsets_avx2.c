/* SPDX-License-Identifier: MIT */
/* offsets_avx2.c: checks the offsets of rows, and converts them to counts, 8 rows at a time. */
#include "simd/dispatch.h"
#include <immintrin.h>

static inline __m256i load(const uint8_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}

/* If start is not negative and end is not below start, their difference does not wrap. */
size_t dvi_offsets_counts_4_avx2(int32_t *restrict counts, const void *restrict offsets, size_t n,
                                 int64_t entries, int32_t length)
{
    const __m256i last = _mm256_set1_epi32(entries < INT32_MAX ? (int32_t)entries : INT32_MAX);
    const __m256i most = _mm256_set1_epi32(length);
    const uint8_t *p = offsets;
    size_t i = 0;
    for (; entries >= 0 && n - i >= 8; i += 8, p += 32) {
        const __m256i start = load(p), end = load(p + 4), count = _mm256_sub_epi32(end, start);
        const __m256i falls = _mm256_cmpgt_epi32(start, end),
                      is_out = _mm256_cmpgt_epi32(end, last);
        const __m256i is_long = _mm256_or_si256(_mm256_cmpgt_epi32(count, most), start);
        const __m256i bad = _mm256_or_si256(_mm256_or_si256(falls, is_out), is_long);
        if (_mm256_movemask_ps(_mm256_castsi256_ps(bad)))
            break;
        _mm256_storeu_si256((void *)(counts + i), count);
    }
    return i + dvi_offsets_counts_4_scalar(counts + i, p, n - i, entries, length);
}

/* Set the sign bits of the invalid ones of 4 rows. */
static inline __m256i is_bad(__m256i start, __m256i end, __m256i count, __m256i last, __m256i most)
{
    const __m256i falls = _mm256_cmpgt_epi64(start, end), is_out = _mm256_cmpgt_epi64(end, last);
    const __m256i is_long = _mm256_or_si256(_mm256_cmpgt_epi64(count, most), start);
    return _mm256_or_si256(_mm256_or_si256(falls, is_out), is_long);
}

size_t dvi_offsets_counts_8_avx2(int32_t *restrict counts, const void *restrict offsets, size_t n,
                                 int64_t entries, int32_t length)
{
    const __m256i last = _mm256_set1_epi64x(entries), most = _mm256_set1_epi64x(length);
    const __m256i lows = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    const uint8_t *p = offsets;
    size_t i = 0;
    for (; n - i >= 8; i += 8, p += 64) {
        const __m256i start0 = load(p), end0 = load(p + 8), count0 = _mm256_sub_epi64(end0, start0);
        const __m256i start1 = load(p + 32), end1 = load(p + 40);
        const __m256i count1 = _mm256_sub_epi64(end1, start1);
        const __m256i bad = _mm256_or_si256(is_bad(start0, end0, count0, last, most),
                                            is_bad(start1, end1, count1, last, most));
        if (_mm256_movemask_pd(_mm256_castsi256_pd(bad)))
            break;
        const __m256i low = _mm256_permutevar8x32_epi32(count0, lows);
        const __m256i high = _mm256_permutevar8x32_epi32(count1, lows);
        _mm256_storeu_si256((void *)(counts + i), _mm256_permute2x128_si256(low, high, 0x20));
    }
    return i + dvi_offsets_counts_8_scalar(counts + i, p, n - i, entries, length);
}
