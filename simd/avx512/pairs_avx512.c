/* SPDX-License-Identifier: MIT */
/* pairs_avx512.c: splits the rows of a BTable into counts, indices and items, 8 pairs at a time. */
#include "simd/pairs_tmpl.h"
#include <immintrin.h>

#define BLOCK 8

/* Eight pairs, split. */
typedef struct eight {
    __m256i indices;
    __m512i values;
} eight;

/* 96 bytes are 24 words I h l I h l ...: index, high half, low half.  A permutation of two vectors
 * collects the words of a kind; numbers from 16 on select from the second vector. */
static DVI_ALWAYS_INLINE eight load(const uint8_t *p)
{
    const __m512i swap =
        _mm512_broadcast_i32x4(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    const __m512i index = _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m512i value =
        _mm512_setr_epi32(2, 1, 5, 4, 8, 7, 11, 10, 14, 13, 17, 16, 20, 19, 23, 22);
    const __m256i after = _mm256_loadu_si256((const void *)(p + 64));
    const __m512i a = _mm512_shuffle_epi8(_mm512_loadu_si512((const void *)p), swap);
    const __m512i b = _mm512_shuffle_epi8(_mm512_castsi256_si512(after), swap);
    return (eight){_mm512_castsi512_si256(_mm512_permutex2var_epi32(a, index, b)),
                   _mm512_permutex2var_epi32(a, value, b)};
}

static DVI_ALWAYS_INLINE void store(void *items, size_t k, size_t width, const eight *e)
{
    if (width == sizeof(double))
        _mm512_storeu_si512((void *)((double *)items + k), e->values);
    else
        _mm256_storeu_ps((float *)items + k, _mm512_cvtpd_ps(_mm512_castsi512_pd(e->values)));
}

/* The limit of the indices; bad: not 0 if an index was invalid. */
typedef struct found {
    __m256i limit;
    uint32_t bad;
} found;

/* Valid indices are above the one before and below the length; lanes after the row are ignored. */
static DVI_ALWAYS_INLINE void split(found *f, int32_t *indices, void *items, size_t width,
                                    const uint8_t *p, size_t n)
{
    const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i last = _mm256_set1_epi32(-1);
    size_t k = 0;
    do {
        const eight e = load(p + DVI_PAIR_NBYTES * k);
        _mm256_storeu_si256((void *)(indices + k), e.indices);
        store(items, k, width, &e);
        const __m256i before = _mm256_alignr_epi32(e.indices, last, 7);
        const __m256i left = _mm256_set1_epi32((int32_t)(n - k));
        const __mmask8 is_ours = _mm256_cmpgt_epi32_mask(left, number);
        f->bad |= _mm256_mask_cmple_epi32_mask(is_ours, e.indices, before);
        f->bad |= _mm256_mask_cmple_epi32_mask(is_ours, f->limit, e.indices);
        last = e.indices;
        k += BLOCK;
    } while (k < n);
}

static DVI_ALWAYS_INLINE void split_8(void *ctx, int32_t *indices, void *items, const uint8_t *p,
                                      size_t n)
{
    split(ctx, indices, items, sizeof(double), p, n);
}

static DVI_ALWAYS_INLINE void split_4(void *ctx, int32_t *indices, void *items, const uint8_t *p,
                                      size_t n)
{
    split(ctx, indices, items, sizeof(float), p, n);
}

static DVI_ALWAYS_INLINE bool is_sound(const void *ctx)
{
    return ((const found *)ctx)->bad == 0;
}

static const dvi_pairs_level level_8 = {BLOCK, split_8, is_sound};
static const dvi_pairs_level level_4 = {BLOCK, split_4, is_sound};

size_t dvi_pairs_split_8_avx512(int32_t *restrict counts, int32_t *restrict indices,
                                double *restrict items, const dvi_pairs *rows,
                                dvi_pairs_end *end_out)
{
    found f = {_mm256_set1_epi32(rows->length), 0};
    return dvi_pairs_split(&level_8, &f, counts, indices, items, sizeof *items, rows, end_out);
}

size_t dvi_pairs_split_4_avx512(int32_t *restrict counts, int32_t *restrict indices,
                                float *restrict items, const dvi_pairs *rows,
                                dvi_pairs_end *end_out)
{
    found f = {_mm256_set1_epi32(rows->length), 0};
    return dvi_pairs_split(&level_4, &f, counts, indices, items, sizeof *items, rows, end_out);
}
