/* SPDX-License-Identifier: MIT */
/* counts_avx512.c: checks lengths and counts of vectors, and adds them up: 16 rows at a time, 8 for
 * running sums. */
#include "simd/dispatch.h"
#include "simd/sparse.h"
#include <immintrin.h>

/* Add 16 numbers, none negative, to eight sums. */
static inline __m512i add_16(__m512i sums, __m512i numbers)
{
    const __m512i even = _mm512_and_si512(numbers, _mm512_set1_epi64(UINT32_MAX));
    const __m512i odd = _mm512_srli_epi64(numbers, 32);
    return _mm512_add_epi64(sums, _mm512_add_epi64(even, odd));
}

/* A valid length is not negative, so length - spare is not below -1, and the count of a dense row,
 * -1, is never above it: count > length - spare needs no second condition.  For an invalid length,
 * the difference may wrap. */
static inline __mmask16 bad_of(__m512i length, __m512i count, __m512i spare)
{
    const __mmask16 below = _mm512_cmplt_epi32_mask(count, _mm512_set1_epi32(-1));
    const __mmask16 above = _mm512_cmpgt_epi32_mask(count, _mm512_sub_epi32(length, spare));
    return (__mmask16)(_mm512_movepi32_mask(length) | below | above);
}

size_t dvi_counts_check_avx512(const dv_sparse *rows, int32_t spare, int64_t sums_out[2])
{
    const uint8_t *lengths = rows->lengths, *counts = rows->counts;
    const __m512i spares = _mm512_set1_epi32(spare), zero = _mm512_setzero_si512();
    __m512i length = _mm512_set1_epi32(rows->length), indices = zero, items = zero;
    size_t i = 0;
    for (; rows->n - i >= 16; i += 16) {
        if (lengths)
            length = _mm512_loadu_si512(lengths + 4 * i);
        const __m512i count = _mm512_loadu_si512(counts + 4 * i);
        if (bad_of(length, count, spares))
            break; /* the next loop finds the row */
        const __m512i stored = _mm512_max_epi32(count, zero);
        const __mmask16 is_dense = _mm512_movepi32_mask(count);
        indices = add_16(indices, stored);
        items = add_16(items, _mm512_mask_mov_epi32(stored, is_dense, length));
    }
    size_t sound = i;
    for (; i < rows->n && sound == i; i += 16) {
        const size_t left = rows->n - i;
        __mmask16 good = left < 16 ? (__mmask16)_bzhi_u32(0xFFFF, (uint32_t)left) : 0xFFFF;
        if (lengths)
            length = _mm512_maskz_loadu_epi32(good, lengths + 4 * i);
        const __m512i count = _mm512_maskz_loadu_epi32(good, counts + 4 * i);
        const __mmask16 bad = (__mmask16)(good & bad_of(length, count, spares));
        if (bad) /* the rows before the first invalid one */
            good = (__mmask16)(_blsmsk_u32(bad) >> 1);
        const __m512i stored = _mm512_maskz_max_epi32(good, count, zero);
        const __mmask16 is_dense = (__mmask16)(good & _mm512_movepi32_mask(count));
        indices = add_16(indices, stored);
        items = add_16(items, _mm512_mask_mov_epi32(stored, is_dense, length));
        sound += (size_t)_mm_popcnt_u32(good);
    }
    sums_out[0] = _mm512_reduce_add_epi64(indices);
    sums_out[1] = _mm512_reduce_add_epi64(items);
    return sound;
}

/* Return the sum of each of 8 numbers and all numbers before it. */
static inline __m512i running(__m256i numbers)
{
    const __m512i zero = _mm512_setzero_si512();
    __m512i sums = _mm512_cvtepi32_epi64(numbers);
    sums = _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, zero, 7));
    sums = _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, zero, 6));
    return _mm512_add_epi64(sums, _mm512_alignr_epi64(sums, zero, 4));
}

/* Write the next ends.  *before: the last end in each lane, computed without the ends written. */
static inline void store_ends(int64_t *dst, __mmask8 rows, __m256i numbers, __m512i *before)
{
    const __m512i sums = running(numbers);
    _mm512_mask_storeu_epi64(dst, rows, _mm512_add_epi64(sums, *before));
    *before = _mm512_add_epi64(*before, _mm512_permutexvar_epi64(_mm512_set1_epi64(7), sums));
}

void dvi_counts_offsets_avx512(int64_t *restrict indices, int64_t *restrict items,
                               const dv_sparse *rows)
{
    if (rows->n == 0)
        return; /* then indices[0] and items[0] may not exist */
    const uint8_t *lengths = rows->lengths, *counts = rows->counts;
    __m256i length = _mm256_set1_epi32(rows->length);
    __m512i index = _mm512_set1_epi64(indices[0]), item = _mm512_set1_epi64(items[0]);
    for (size_t i = 0; i < rows->n; i += 8) {
        const size_t left = rows->n - i;
        const __mmask8 there = left < 8 ? (__mmask8)_bzhi_u32(0xFF, (uint32_t)left) : 0xFF;
        if (lengths)
            length = _mm256_maskz_loadu_epi32(there, lengths + 4 * i);
        const __m256i count = _mm256_maskz_loadu_epi32(there, counts + 4 * i);
        const __m256i stored = _mm256_max_epi32(count, _mm256_setzero_si256());
        const __mmask8 is_dense = _mm256_movepi32_mask(count);
        store_ends(indices + i + 1, there, stored, &index);
        store_ends(items + i + 1, there, _mm256_mask_mov_epi32(stored, is_dense, length), &item);
    }
}
