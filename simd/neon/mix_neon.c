/* SPDX-License-Identifier: MIT */
/* mix_neon.c: weighted means of pixels along rows and columns. */
#include "base/compiler.h"
#include "simd/dispatch.h"
#include <arm_neon.h>

/* --- Along rows: lanes are the channels of a tap ---------------------------------------------- */

typedef uint32x4_t sums;

/* Of each of four pixels. */
typedef struct order {
    uint8x16_t pixel[4];
} order;

/* The place of each byte in lanes of 32 bits; 255 gives 0. */
static inline order order_of(uint32_t channels)
{
    order o;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t lanes[4];
        for (uint32_t c = 0; c < 4; c++)
            lanes[c] = c < channels ? UINT32_C(0xFFFFFF00) | (k * channels + c) : UINT32_MAX;
        o.pixel[k] = vreinterpretq_u8_u32(vld1q_u32(lanes));
    }
    return o;
}

static inline order order_3(void)
{
    return order_of(3);
}

static inline order order_4(void)
{
    return order_of(4);
}

static inline sums sums_zero(void)
{
    return vdupq_n_u32(0);
}

static DVI_ALWAYS_INLINE sums sums_add(sums s, const uint8_t *p, const int32_t *w, order o)
{
    const uint8x16_t bytes = vld1q_u8(p);
    const uint32x4_t weights = vreinterpretq_u32_s32(vld1q_s32(w));
#define PIXEL(k) vreinterpretq_u32_u8(vqtbl1q_u8(bytes, o.pixel[k]))
    s = vmlaq_laneq_u32(s, PIXEL(0), weights, 0);
    s = vmlaq_laneq_u32(s, PIXEL(1), weights, 1);
    s = vmlaq_laneq_u32(s, PIXEL(2), weights, 2);
    return vmlaq_laneq_u32(s, PIXEL(3), weights, 3);
#undef PIXEL
}

/* Four sums, which began with a half, cut to words. */
static DVI_ALWAYS_INLINE uint16x4_t words_of(uint32x4_t sum)
{
    return vqmovun_s32(vshrq_n_s32(vreinterpretq_s32_u32(sum), DV_WEIGHT_BITS));
}

static inline uint32_t sums_end(sums s)
{
    const uint16x4_t words = words_of(vaddq_u32(s, vdupq_n_u32(1 << (DV_WEIGHT_BITS - 1))));
    return vget_lane_u32(vreinterpret_u32_u8(vqmovn_u16(vcombine_u16(words, words))), 0);
}

/* --- Along columns ---------------------------------------------------------------------------- */

#define BLOCK 16

static DVI_ALWAYS_INLINE void blend(uint8_t *dst, const uint8_t *src, size_t pitch,
                                    const int32_t *weights, size_t count)
{
    uint32x4_t a = vdupq_n_u32(1 << (DV_WEIGHT_BITS - 1)), b = a, c = a, d = a;
    for (size_t k = 0; k < count; k++, src += pitch) {
        const uint8x16_t bytes = vld1q_u8(src);
        const uint16x8_t low = vmovl_u8(vget_low_u8(bytes)), high = vmovl_u8(vget_high_u8(bytes));
        const uint32_t weight = (uint32_t)weights[k];
        a = vmlaq_n_u32(a, vmovl_u16(vget_low_u16(low)), weight);
        b = vmlaq_n_u32(b, vmovl_u16(vget_high_u16(low)), weight);
        c = vmlaq_n_u32(c, vmovl_u16(vget_low_u16(high)), weight);
        d = vmlaq_n_u32(d, vmovl_u16(vget_high_u16(high)), weight);
    }
    const uint16x8_t low = vcombine_u16(words_of(a), words_of(b));
    const uint16x8_t high = vcombine_u16(words_of(c), words_of(d));
    vst1q_u8(dst, vcombine_u8(vqmovn_u16(low), vqmovn_u16(high)));
}

#include "simd/mix_tmpl.h"

DVI_MIX_KERNELS(neon)
