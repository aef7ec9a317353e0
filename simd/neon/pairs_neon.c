/* SPDX-License-Identifier: MIT */
/* pairs_neon.c: splits the rows of a BTable into counts, indices and items, 4 pairs at a time. */
#include "simd/pairs_tmpl.h"
#include <arm_neon.h>

#define BLOCK 4

/* Four pairs, split: indices, and the values 0..1 and 2..3. */
typedef struct four {
    int32x4_t indices;
    uint8x16_t low, high;
} four;

/* The bytes of 48 that make up a vector, in its order, which also reverses the bytes of each
 * number. */
static const uint8_t index_bytes[16] = {3, 2, 1, 0, 15, 14, 13, 12, 27, 26, 25, 24, 39, 38, 37, 36};
static const uint8_t low_bytes[16] = {11, 10, 9, 8, 7, 6, 5, 4, 23, 22, 21, 20, 19, 18, 17, 16};
static const uint8_t high_bytes[16] = {19, 18, 17, 16, 15, 14, 13, 12,
                                       31, 30, 29, 28, 27, 26, 25, 24}; /* from byte 16 on */

static DVI_ALWAYS_INLINE four load(const uint8_t *p)
{
    const uint8x16_t a = vld1q_u8(p), b = vld1q_u8(p + 16), c = vld1q_u8(p + 32);
    const uint8x16x3_t all = {{a, b, c}};
    const uint8x16x2_t first = {{a, b}}, last = {{b, c}};
    return (four){vreinterpretq_s32_u8(vqtbl3q_u8(all, vld1q_u8(index_bytes))),
                  vqtbl2q_u8(first, vld1q_u8(low_bytes)), vqtbl2q_u8(last, vld1q_u8(high_bytes))};
}

static DVI_ALWAYS_INLINE void store(void *items, size_t k, size_t width, const four *e)
{
    if (width == sizeof(double)) {
        vst1q_u8((uint8_t *)items + 8 * k, e->low);
        vst1q_u8((uint8_t *)items + 8 * k + 16, e->high);
    } else {
        const float32x2_t low = vcvt_f32_f64(vreinterpretq_f64_u8(e->low));
        const float32x2_t high = vcvt_f32_f64(vreinterpretq_f64_u8(e->high));
        vst1q_f32((float *)items + k, vcombine_f32(low, high));
    }
}

/* The limit of the indices, and the lanes with an invalid index. */
typedef struct found {
    int32x4_t limit;
    uint32x4_t bad;
} found;

/* Valid indices are above the one before and below the length; lanes after the row are ignored. */
static DVI_ALWAYS_INLINE void split(found *f, int32_t *indices, void *items, size_t width,
                                    const uint8_t *p, size_t n)
{
    static const int32_t numbers[4] = {0, 1, 2, 3};
    const int32x4_t number = vld1q_s32(numbers);
    int32x4_t last = vdupq_n_s32(-1);
    size_t k = 0;
    do {
        const four e = load(p + DVI_PAIR_NBYTES * k);
        vst1q_s32(indices + k, e.indices);
        store(items, k, width, &e);
        const int32x4_t before = vextq_s32(last, e.indices, 3);
        const uint32x4_t is_bad =
            vorrq_u32(vcleq_s32(e.indices, before), vcgeq_s32(e.indices, f->limit));
        const uint32x4_t is_ours = vcgtq_s32(vdupq_n_s32((int32_t)(n - k)), number);
        f->bad = vorrq_u32(f->bad, vandq_u32(is_bad, is_ours));
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
    const found *f = ctx;
    return vmaxvq_u32(f->bad) == 0;
}

static const dvi_pairs_level level_8 = {BLOCK, split_8, is_sound};
static const dvi_pairs_level level_4 = {BLOCK, split_4, is_sound};

size_t dvi_pairs_split_8_neon(int32_t *restrict counts, int32_t *restrict indices,
                              double *restrict items, const dvi_pairs *rows, dvi_pairs_end *end_out)
{
    found f = {vdupq_n_s32(rows->length), vdupq_n_u32(0)};
    return dvi_pairs_split(&level_8, &f, counts, indices, items, sizeof *items, rows, end_out);
}

size_t dvi_pairs_split_4_neon(int32_t *restrict counts, int32_t *restrict indices,
                              float *restrict items, const dvi_pairs *rows, dvi_pairs_end *end_out)
{
    found f = {vdupq_n_s32(rows->length), vdupq_n_u32(0)};
    return dvi_pairs_split(&level_4, &f, counts, indices, items, sizeof *items, rows, end_out);
}
