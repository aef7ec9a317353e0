/* SPDX-License-Identifier: MIT */
/* indices_avx512.c: checks the indices of sparse vectors, 16 at a time. */
#include "simd/indices_tmpl.h"
#include <immintrin.h>

static bool rises(const uint8_t *p, const int8_t *marks, size_t m, uint32_t *greatest_out)
{
    __m512i most = _mm512_setzero_si512();
    __mmask16 bad = 0;
    size_t i = 0;
    for (; m - i >= 16; i += 16) {
        const __m512i here = _mm512_loadu_si512(p + 4 * i);
        const __m512i before = _mm512_loadu_si512(p + 4 * i - 4);
        const __m512i starts = _mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)(marks + i)));
        const __mmask16 falls = _mm512_cmple_epi32_mask(here, _mm512_or_si512(before, starts));
        bad = (__mmask16)(bad | falls); /* after a mark, only what is negative */
        most = _mm512_max_epu32(most, here);
    }
    if (i < m) {
        const __mmask16 there = (__mmask16)_bzhi_u32(0xFFFF, (uint32_t)(m - i));
        const __m512i here = _mm512_maskz_loadu_epi32(there, p + 4 * i);
        const __m512i before = _mm512_maskz_loadu_epi32(there, p + 4 * i - 4);
        const __mmask16 starts = _mm_movepi8_mask(_mm_maskz_loadu_epi8(there, marks + i));
        const __mmask16 others = (__mmask16)(there & ~starts);
        bad = (__mmask16)(bad | _mm512_mask_cmple_epi32_mask(others, here, before));
        most = _mm512_max_epu32(most, here);
    }
    *greatest_out = _mm512_reduce_max_epu32(most);
    return bad == 0;
}

size_t dvi_indices_check_avx512(const dv_sparse *rows, size_t n)
{
    return dvi_indices_check(rows, n, rises);
}
