/* SPDX-License-Identifier: MIT */
/* counts_avx2.c: checks lengths and counts of vectors, and adds them up: 8 rows at a time, 4 for
 * running sums. */
#include "simd/dispatch.h"
#include "simd/sparse.h"
#include <immintrin.h>
#include <stdbool.h>

static inline __m256i load_8(const void *src, size_t i)
{
    return _mm256_loadu_si256((const void *)((const uint8_t *)src + 4 * i));
}

static inline __m128i load_4(const void *src, size_t i)
{
    return _mm_loadu_si128((const void *)((const uint8_t *)src + 4 * i));
}

/* Add 8 numbers, none negative, to four sums. */
static inline __m256i add_8(__m256i sums, __m256i numbers)
{
    const __m256i even = _mm256_and_si256(numbers, _mm256_set1_epi64x(UINT32_MAX));
    const __m256i odd = _mm256_srli_epi64(numbers, 32);
    return _mm256_add_epi64(sums, _mm256_add_epi64(even, odd));
}

static int64_t total(__m256i sums)
{
    int64_t sum[4];
    _mm256_storeu_si256((void *)sum, sums);
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* A valid length is not negative, so length - spare is not below -1, and the count of a dense row,
 * -1, is never above it: count > length - spare needs no second condition.  For an invalid length,
 * the difference may wrap. */
static inline bool is_sound(__m256i length, __m256i count, __m256i spare)
{
    const __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32(-1), count);
    const __m256i above = _mm256_cmpgt_epi32(count, _mm256_sub_epi32(length, spare));
    const __m256i bad = _mm256_or_si256(length, _mm256_or_si256(below, above));
    return _mm256_movemask_ps(_mm256_castsi256_ps(bad)) == 0; /* the signs */
}

size_t dvi_counts_check_avx2(const dv_sparse *rows, int32_t spare, int64_t sums_out[2])
{
    if (rows->n < 8)
        return dvi_counts_check_scalar(rows, spare, sums_out);
    const __m256i zero = _mm256_setzero_si256(), common = _mm256_set1_epi32(rows->length);
    const __m256i spares = _mm256_set1_epi32(spare);
    __m256i indices = zero, items = zero;
    size_t i = 0;
    for (; rows->n - i >= 8; i += 8) {
        const __m256i length = rows->lengths ? load_8(rows->lengths, i) : common;
        const __m256i count = load_8(rows->counts, i);
        if (!is_sound(length, count, spares))
            break; /* scalar finds the row */
        const __m256i stored = _mm256_max_epi32(count, zero);
        const __m256i dense = _mm256_and_si256(_mm256_cmpgt_epi32(zero, count), length);
        indices = add_8(indices, stored);
        items = add_8(items, _mm256_or_si256(stored, dense));
    }
    const dv_sparse rest = dvi_sparse_from(rows, i, 0, 0);
    const size_t sound = i + dvi_counts_check_scalar(&rest, spare, sums_out);
    sums_out[0] += total(indices);
    sums_out[1] += total(items);
    return sound;
}

/* Return a, a + b, a + b + c, a + b + c + d. */
static inline __m256i running(__m128i numbers)
{
    const __m256i wide = _mm256_cvtepi32_epi64(numbers);
    const __m256i pairs = _mm256_add_epi64(wide, _mm256_slli_si256(wide, 8));
    const __m256i first = _mm256_permute4x64_epi64(pairs, _MM_SHUFFLE(1, 1, 0, 0));
    return _mm256_add_epi64(pairs, _mm256_blend_epi32(_mm256_setzero_si256(), first, 0xF0));
}

/* Write the next 4 ends.  *before: the last end in each lane, computed without the ends
 * written. */
static inline void store_ends(int64_t *dst, __m128i numbers, __m256i *before)
{
    const __m256i sums = running(numbers);
    _mm256_storeu_si256((void *)dst, _mm256_add_epi64(sums, *before));
    *before = _mm256_add_epi64(*before, _mm256_permute4x64_epi64(sums, _MM_SHUFFLE(3, 3, 3, 3)));
}

void dvi_counts_offsets_avx2(int64_t *restrict indices, int64_t *restrict items,
                             const dv_sparse *rows)
{
    if (rows->n < 4) {
        dvi_counts_offsets_scalar(indices, items, rows);
        return;
    }
    const __m128i zero = _mm_setzero_si128(), common = _mm_set1_epi32(rows->length);
    __m256i index = _mm256_set1_epi64x(indices[0]), item = _mm256_set1_epi64x(items[0]);
    size_t i = 0;
    for (; rows->n - i >= 4; i += 4) {
        const __m128i length = rows->lengths ? load_4(rows->lengths, i) : common;
        const __m128i count = load_4(rows->counts, i);
        const __m128i stored = _mm_max_epi32(count, zero);
        const __m128i dense = _mm_and_si128(_mm_cmpgt_epi32(zero, count), length);
        store_ends(indices + i + 1, stored, &index);
        store_ends(items + i + 1, _mm_or_si128(stored, dense), &item);
    }
    const dv_sparse rest = dvi_sparse_from(rows, i, 0, 0);
    dvi_counts_offsets_scalar(indices + i, items + i, &rest);
}
