/* SPDX-License-Identifier: MIT */
/* indices_avx512.c: checks the indices of sparse vectors, 16 at a time. */
#include "simd/indices_tmpl.h"
#include <immintrin.h>

static bool rises(const uint8_t *p, const int8_t *marks, size_t m, uint32_t *greatest_out)
{
    __m512i most = _mm512_setzero_si512();
    __mmask16 bad = 0;
    for (size_t i = 0; i < m; i += 16) {
        const size_t left = m - i;
        const __mmask16 there = left < 16 ? (__mmask16)_bzhi_u32(0xFFFF, (uint32_t)left) : 0xFFFF;
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
