/* SPDX-License-Identifier: MIT */
/* offsets_avx512.c: checks the offsets of rows, and converts them to counts, 16 or 8 rows at a
 * time. */
#include "simd/dispatch.h"
#include <immintrin.h>

/* If start is not negative and end is not below start, their difference does not wrap. */
size_t dvi_offsets_counts_4_avx512(int32_t *restrict counts, const void *restrict offsets, size_t n,
                                   int64_t entries, int32_t length)
{
    const __m512i last = _mm512_set1_epi32(entries < INT32_MAX ? (int32_t)entries : INT32_MAX);
    const __m512i most = _mm512_set1_epi32(length);
    const uint8_t *p = offsets;
    size_t i = 0;
    for (; entries >= 0 && n - i >= 16; i += 16, p += 64) {
        const __m512i start = _mm512_loadu_si512(p), end = _mm512_loadu_si512(p + 4);
        const __m512i count = _mm512_sub_epi32(end, start);
        if (_mm512_cmpgt_epi32_mask(start, end) | _mm512_cmpgt_epi32_mask(end, last) |
            _mm512_cmpgt_epi32_mask(count, most) | _mm512_movepi32_mask(start))
            break;
        _mm512_storeu_si512(counts + i, count);
    }
    return i + dvi_offsets_counts_4_scalar(counts + i, p, n - i, entries, length);
}

size_t dvi_offsets_counts_8_avx512(int32_t *restrict counts, const void *restrict offsets, size_t n,
                                   int64_t entries, int32_t length)
{
    const __m512i last = _mm512_set1_epi64(entries), most = _mm512_set1_epi64(length);
    const uint8_t *p = offsets;
    size_t i = 0;
    for (; n - i >= 8; i += 8, p += 64) {
        const __m512i start = _mm512_loadu_si512(p), end = _mm512_loadu_si512(p + 8);
        const __m512i count = _mm512_sub_epi64(end, start);
        if (_mm512_cmpgt_epi64_mask(start, end) | _mm512_cmpgt_epi64_mask(end, last) |
            _mm512_cmpgt_epi64_mask(count, most) | _mm512_movepi64_mask(start))
            break;
        _mm256_storeu_si256((void *)(counts + i), _mm512_cvtepi64_epi32(count));
    }
    return i + dvi_offsets_counts_8_scalar(counts + i, p, n - i, entries, length);
}
