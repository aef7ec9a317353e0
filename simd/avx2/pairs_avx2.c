/* SPDX-License-Identifier: MIT */
/* pairs_avx2.c: splits the rows of a BTable into counts, indices and items, 8 pairs at a time. */
#include "simd/pairs_tmpl.h"
#include <immintrin.h>

#define BLOCK 8
#define AHEAD 1536 /* bytes of pairs that are prefetched */

/* Eight pairs, split: indices, and the values 0..3 and 4..7. */
typedef struct eight {
    __m256i indices, low, high;
} eight;

/* 96 bytes are 24 words I h l I h l ...: index, high half, low half.  Words of a kind are in
 * different lanes of the three vectors, so blends collect them and a permutation puts them in
 * order. */
static DVI_ALWAYS_INLINE eight load(const uint8_t *p)
{
    const __m256i swap = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    const __m256i a = _mm256_shuffle_epi8(_mm256_loadu_si256((const void *)p), swap);
    const __m256i b = _mm256_shuffle_epi8(_mm256_loadu_si256((const void *)(p + 32)), swap);
    const __m256i c = _mm256_shuffle_epi8(_mm256_loadu_si256((const void *)(p + 64)), swap);
    /* Lanes 0 3 6 of one, 1 4 7 of the next, 2 5 of the last. */
    const __m256i i = _mm256_blend_epi32(_mm256_blend_epi32(a, b, 0x92), c, 0x24);
    const __m256i h = _mm256_blend_epi32(_mm256_blend_epi32(c, a, 0x92), b, 0x24);
    const __m256i l = _mm256_blend_epi32(_mm256_blend_epi32(b, c, 0x92), a, 0x24);
    const __m256i index = _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5);
    const __m256i upper = _mm256_setr_epi32(1, 4, 5, 0, 7, 2, 3, 6);
    const __m256i lower = _mm256_setr_epi32(2, 5, 6, 1, 0, 3, 4, 7);
    const __m256i hs = _mm256_permutevar8x32_epi32(h, upper);
    const __m256i ls = _mm256_permutevar8x32_epi32(l, lower);
    return (eight){_mm256_permutevar8x32_epi32(i, index), _mm256_unpacklo_epi32(ls, hs),
                   _mm256_unpackhi_epi32(ls, hs)};
}

static DVI_ALWAYS_INLINE void store(void *items, size_t k, size_t width, const eight *e)
{
    if (width == sizeof(double)) {
        _mm256_storeu_si256((void *)((double *)items + k), e->low);
        _mm256_storeu_si256((void *)((double *)items + k + 4), e->high);
    } else {
        const __m128 low = _mm256_cvtpd_ps(_mm256_castsi256_pd(e->low));
        const __m128 high = _mm256_cvtpd_ps(_mm256_castsi256_pd(e->high));
        _mm_storeu_ps((float *)items + k, low);
        _mm_storeu_ps((float *)items + k + 4, high);
    }
}

/* The limit of the indices, and the lanes with an invalid index. */
typedef struct found {
    __m256i limit, bad;
} found;

/* Prefetch the line nbytes after p, which need not exist. */
static DVI_ALWAYS_INLINE void fetch(const void *p, size_t nbytes)
{
    __builtin_prefetch((const void *)((uintptr_t)p + nbytes));
}

/* Valid indices are above the one before and below the length; lanes after the row are ignored. */
static DVI_ALWAYS_INLINE void split(found *f, int32_t *indices, void *items, size_t width,
                                    const uint8_t *p, size_t n)
{
    const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i back = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    __m256i last = _mm256_set1_epi32(-1);
    size_t k = 0;
    do {
        fetch(p + DVI_PAIR_NBYTES * k, AHEAD);
        const eight e = load(p + DVI_PAIR_NBYTES * k);
        _mm256_storeu_si256((void *)(indices + k), e.indices);
        store(items, k, width, &e);
        const __m256i turned = _mm256_permutevar8x32_epi32(e.indices, back);
        const __m256i before = _mm256_blend_epi32(turned, last, 1);
        const __m256i left = _mm256_set1_epi32((int32_t)(n - k));
        const __m256i is_good = _mm256_and_si256(_mm256_cmpgt_epi32(e.indices, before),
                                                 _mm256_cmpgt_epi32(f->limit, e.indices));
        const __m256i is_ours = _mm256_cmpgt_epi32(left, number);
        f->bad = _mm256_or_si256(f->bad, _mm256_andnot_si256(is_good, is_ours));
        last = turned;
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
    const found *f = ctx;
    return _mm256_testz_si256(f->bad, f->bad);
}

static const dvi_pairs_level level_8 = {BLOCK, split_8, is_sound};
static const dvi_pairs_level level_4 = {BLOCK, split_4, is_sound};

size_t dvi_pairs_split_8_avx2(int32_t *restrict counts, int32_t *restrict indices,
                              double *restrict items, const dvi_pairs *rows, dvi_pairs_end *end_out)
{
    found f = {_mm256_set1_epi32(rows->length), _mm256_setzero_si256()};
    return dvi_pairs_split(&level_8, &f, counts, indices, items, sizeof *items, rows, end_out);
}

size_t dvi_pairs_split_4_avx2(int32_t *restrict counts, int32_t *restrict indices,
                              float *restrict items, const dvi_pairs *rows, dvi_pairs_end *end_out)
{
    found f = {_mm256_set1_epi32(rows->length), _mm256_setzero_si256()};
    return dvi_pairs_split(&level_4, &f, counts, indices, items, sizeof *items, rows, end_out);
}
