/* SPDX-License-Identifier: MIT */
/* transpose_avx2.c: makes a matrix of columns: blocks of 8 x 4 items of 4 bytes, 4 x 4 of 8. */
#include "simd/transpose_x86.h"

/* Load 16 bytes of each of two columns. */
static DVI_ALWAYS_INLINE __m256i load_two(const void *low, const void *high, size_t at)
{
    const __m256i half = _mm256_castsi128_si256(dvi_transpose_load(low, at));
    return _mm256_inserti128_si256(half, dvi_transpose_load(high, at), 1);
}

/* Write two rows: the low 64 bits of both halves of a and b make one, the high ones the other. */
static DVI_ALWAYS_INLINE void two_rows(uint8_t *dst, size_t pitch, __m256i a, __m256i b)
{
    _mm256_storeu_si256((void *)dst, _mm256_unpacklo_epi64(a, b));
    _mm256_storeu_si256((void *)(dst + pitch), _mm256_unpackhi_epi64(a, b));
}

static DVI_ALWAYS_INLINE __m256i load_eight(const void *column, size_t at)
{
    return _mm256_loadu_si256((const void *)((const uint8_t *)column + at));
}

/* Write a row of the first four, and the one four rows below. */
static DVI_ALWAYS_INLINE void row_and_fourth(uint8_t *dst, size_t pitch, __m256i rows)
{
    _mm_storeu_si128((void *)dst, _mm256_castsi256_si128(rows));
    _mm_storeu_si128((void *)(dst + 4 * pitch), _mm256_extracti128_si256(rows, 1));
}

/* 4 columns, not 8: columns that start at the same offset of a page share a set of the first-level
 * cache, which has few more lines than 8, and would evict each other. */
static DVI_ALWAYS_INLINE void block_4_8(uint8_t *dst, size_t pitch, const void *const *columns,
                                        size_t at)
{
    const __m256i a = load_eight(columns[0], at), b = load_eight(columns[1], at);
    const __m256i c = load_eight(columns[2], at), d = load_eight(columns[3], at);
    const __m256i ab = _mm256_unpacklo_epi32(a, b), cd = _mm256_unpacklo_epi32(c, d);
    const __m256i ab_2 = _mm256_unpackhi_epi32(a, b), cd_2 = _mm256_unpackhi_epi32(c, d);
    row_and_fourth(dst, pitch, _mm256_unpacklo_epi64(ab, cd));
    row_and_fourth(dst + pitch, pitch, _mm256_unpackhi_epi64(ab, cd));
    row_and_fourth(dst + 2 * pitch, pitch, _mm256_unpacklo_epi64(ab_2, cd_2));
    row_and_fourth(dst + 3 * pitch, pitch, _mm256_unpackhi_epi64(ab_2, cd_2));
}

static DVI_ALWAYS_INLINE void block_8_4(uint8_t *dst, size_t pitch, const void *const *columns,
                                        size_t at)
{
    for (size_t i = 0; i < 2; i++, dst += 2 * pitch, at += 16)
        two_rows(dst, pitch, load_two(columns[0], columns[2], at),
                 load_two(columns[1], columns[3], at));
}

DVI_TRANSPOSE_KERNEL(avx2, 4, uint32_t, 8, 4, 4)
DVI_TRANSPOSE_KERNEL(avx2, 8, uint64_t, 4, 4, 2)
