/* SPDX-License-Identifier: MIT */
/* ticks_avx512.c: checks that ticks are inside the calendar, 8 at a time. */
#include "simd/dispatch.h"
#include <dataview/type.h>
#include <immintrin.h>

/* As unsigned numbers, negative ticks are above the calendar. */
static inline __mmask8 bad_of(__m512i ticks)
{
    const __mmask8 is_above = _mm512_cmpgt_epu64_mask(ticks, _mm512_set1_epi64(DV_TICKS_MAX));
    return _mm512_mask_cmpneq_epi64_mask(is_above, ticks, _mm512_set1_epi64(DV_TICKS_NA));
}

size_t dvi_ticks_check_avx512(const void *src, size_t n)
{
    const uint8_t *p = src;
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        const __mmask8 bad = bad_of(_mm512_loadu_si512(p + 8 * i));
        if (bad)
            return i + _tzcnt_u32(bad);
    }
    if (i < n) { /* missing items are read as 0, which is valid */
        const __mmask8 there = (__mmask8)_bzhi_u32(0xFF, (uint32_t)(n - i));
        const __mmask8 bad = bad_of(_mm512_maskz_loadu_epi64(there, p + 8 * i));
        if (bad)
            return i + _tzcnt_u32(bad);
    }
    return n;
}
