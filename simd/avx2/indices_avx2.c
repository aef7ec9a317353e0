/* SPDX-License-Identifier: MIT */
/* indices_avx2.c: checks the indices of sparse vectors, 8 at a time. */
#include "simd/indices_tmpl.h"
#include <immintrin.h>

static inline uint32_t greatest_of(__m256i numbers)
{
    const __m128i high = _mm256_extracti128_si256(numbers, 1);
    __m128i most = _mm_max_epu32(_mm256_castsi256_si128(numbers), high);
    most = _mm_max_epu32(most, _mm_shuffle_epi32(most, _MM_SHUFFLE(1, 0, 3, 2)));
    most = _mm_max_epu32(most, _mm_shuffle_epi32(most, _MM_SHUFFLE(2, 3, 0, 1)));
    return (uint32_t)_mm_cvtsi128_si32(most);
}

static bool rises(const uint8_t *p, const int8_t *marks, size_t m, uint32_t *greatest_out)
{
    __m256i good = _mm256_set1_epi32(-1), most = _mm256_setzero_si256();
    size_t i = 0;
    for (; m - i >= 8; i += 8) {
        const __m256i here = _mm256_loadu_si256((const void *)(p + 4 * i));
        const __m256i before = _mm256_loadu_si256((const void *)(p + 4 * i - 4));
        const __m256i starts = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)(marks + i)));
        const __m256i is_above = _mm256_cmpgt_epi32(here, before);
        good = _mm256_and_si256(good, _mm256_or_si256(starts, is_above));
        most = _mm256_max_epu32(most, here);
    }
    bool is_good = _mm256_movemask_epi8(good) == -1;
    uint32_t greatest = greatest_of(most);
    for (; i < m; i++) { /* the last 0..7 */
        const uint32_t here = dvi_load_u32(p + 4 * i);
        is_good &= marks[i] != 0 || (int32_t)here > dvi_load_i32(p + 4 * i - 4);
        greatest = here > greatest ? here : greatest;
    }
    *greatest_out = greatest;
    return is_good;
}

size_t dvi_indices_check_avx2(const dv_sparse *rows, size_t n)
{
    return dvi_indices_check(rows, n, rises);
}
