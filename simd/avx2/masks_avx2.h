/* SPDX-License-Identifier: MIT */
/* masks_avx2.h: makes masks of 32 bits of vectors in which each lane has all or no bits set. */
#ifndef DVI_SIMD_MASKS_AVX2_H
#define DVI_SIMD_MASKS_AVX2_H

#include <immintrin.h>
#include <stdint.h>

static inline uint32_t dvi_bits_1(__m256i a)
{
    return (uint32_t)_mm256_movemask_epi8(a);
}

static inline uint32_t dvi_bits_2(__m256i a, __m256i b)
{
    const __m256i mixed = _mm256_packs_epi16(a, b);
    return (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(mixed, 0xD8));
}

static inline uint32_t dvi_bits_4(__m256i a, __m256i b, __m256i c, __m256i d)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i mixed = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(mixed, order));
}

/* Narrow 8 lanes of 8 bytes to 4 bytes each. */
static inline __m256i dvi_words_8(__m256i a, __m256i b)
{
    const __m256 low = _mm256_castsi256_ps(a), high = _mm256_castsi256_ps(b);
    const __m256i mixed = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88));
    return _mm256_permute4x64_epi64(mixed, 0xD8);
}

#endif
