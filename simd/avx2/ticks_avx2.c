/* SPDX-License-Identifier: MIT */
/* ticks_avx2.c: checks that ticks are inside the calendar, 16 at a time. */
#include "simd/dispatch.h"
#include <dataview/type.h>
#include <immintrin.h>

/* Set the sign bit of each item that is invalid. */
static inline __m256i bad_of_4(const uint8_t *p)
{
    const __m256i ticks = _mm256_loadu_si256((const void *)p);
    const __m256i after = _mm256_cmpgt_epi64(ticks, _mm256_set1_epi64x(DV_TICKS_MAX));
    const __m256i is_na = _mm256_cmpeq_epi64(ticks, _mm256_set1_epi64x(DV_TICKS_NA));
    return _mm256_or_si256(after, _mm256_andnot_si256(is_na, ticks));
}

size_t dvi_ticks_check_avx2(const void *src, size_t n)
{
    if (n < 16)
        return dvi_ticks_check_scalar(src, n);
    const uint8_t *p = src;
    size_t i = 0;
    for (; n - i >= 16; i += 16) {
        const uint8_t *at = p + 8 * i;
        const __m256i bad = _mm256_or_si256(_mm256_or_si256(bad_of_4(at), bad_of_4(at + 32)),
                                            _mm256_or_si256(bad_of_4(at + 64), bad_of_4(at + 96)));
        if (_mm256_movemask_pd(_mm256_castsi256_pd(bad)) != 0)
            break; /* scalar finds the item */
    }
    return i + dvi_ticks_check_scalar(p + 8 * i, n - i);
}
