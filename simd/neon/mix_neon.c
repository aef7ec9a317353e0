/* SPDX-License-Identifier: MIT */
/* mix_neon.c: weighted means of pixels along rows and columns. */
#include "base/compiler.h"
#include "simd/dispatch.h"
#include <arm_neon.h>
#include <string.h>

/* --- Along rows: lanes are the channels of a tap ---------------------------------------------- */

#define ROWS 4

typedef uint8x16_t four;
typedef uint32x4_t weights_4;

/* Of each of four pixels. */
typedef struct order {
    uint8x16_t pixel[4];
} order;

/* Each of a row. */
typedef struct sums {
    uint32x4_t a, b, c, d;
} sums;

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

static DVI_ALWAYS_INLINE weights_4 weights_of(const int32_t *w)
{
    return vreinterpretq_u32_s32(vld1q_s32(w));
}

static inline sums sums_zero(void)
{
    const uint32x4_t half = vdupq_n_u32(1 << (DV_WEIGHT_BITS - 1));
    return (sums){half, half, half, half};
}

static DVI_ALWAYS_INLINE uint32x4_t add_1(uint32x4_t s, const uint8_t *p, weights_4 w, order o)
{
    const uint8x16_t pixels = vld1q_u8(p);
#define PIXEL(k) vreinterpretq_u32_u8(vqtbl1q_u8(pixels, o.pixel[k]))
    s = vmlaq_laneq_u32(s, PIXEL(0), w, 0);
    s = vmlaq_laneq_u32(s, PIXEL(1), w, 1);
    s = vmlaq_laneq_u32(s, PIXEL(2), w, 2);
    return vmlaq_laneq_u32(s, PIXEL(3), w, 3);
#undef PIXEL
}

static DVI_ALWAYS_INLINE sums sums_add(sums s, const uint8_t *p, size_t pitch, weights_4 w, order o)
{
    return (sums){add_1(s.a, p, w, o), add_1(s.b, p + pitch, w, o), add_1(s.c, p + 2 * pitch, w, o),
                  add_1(s.d, p + 3 * pitch, w, o)};
}

/* Four sums cut to words. */
static DVI_ALWAYS_INLINE uint16x4_t words_of(uint32x4_t sum)
{
    return vqmovun_s32(vshrq_n_s32(vreinterpretq_s32_u32(sum), DV_WEIGHT_BITS));
}

static DVI_ALWAYS_INLINE uint8x16_t bytes_of(uint32x4_t a, uint32x4_t b, uint32x4_t c, uint32x4_t d)
{
    return vcombine_u8(vqmovn_u16(vcombine_u16(words_of(a), words_of(b))),
                       vqmovn_u16(vcombine_u16(words_of(c), words_of(d))));
}

static DVI_ALWAYS_INLINE four sums_end(sums s)
{
    return bytes_of(s.a, s.b, s.c, s.d);
}

static DVI_ALWAYS_INLINE void store_row(uint8_t *dst, uint64x2_t row, const size_t channels)
{
    static const uint8_t three[16] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 255, 255, 255, 255};
    const uint8x16_t pixels = vreinterpretq_u8_u64(row);
    if (channels == 4) {
        vst1q_u8(dst, pixels);
        return;
    }
    const uint8x16_t packed = vqtbl1q_u8(pixels, vld1q_u8(three));
    const uint32_t last = vgetq_lane_u32(vreinterpretq_u32_u8(packed), 2);
    vst1_u8(dst, vget_low_u8(packed));
    memcpy(dst + 8, &last, sizeof last);
}

static DVI_ALWAYS_INLINE void store_4(uint8_t *dst, size_t pitch, const four *b,
                                      const size_t channels)
{
#define ZIP(n, x, y)                                                                               \
    vreinterpretq_u64_u32(vzip##n##q_u32(vreinterpretq_u32_u8(x), vreinterpretq_u32_u8(y)))
    const uint64x2_t ab = ZIP(1, b[0], b[1]), ab_high = ZIP(2, b[0], b[1]);
    const uint64x2_t cd = ZIP(1, b[2], b[3]), cd_high = ZIP(2, b[2], b[3]);
#undef ZIP
    store_row(dst, vzip1q_u64(ab, cd), channels);
    store_row(dst + pitch, vzip2q_u64(ab, cd), channels);
    store_row(dst + 2 * pitch, vzip1q_u64(ab_high, cd_high), channels);
    store_row(dst + 3 * pitch, vzip2q_u64(ab_high, cd_high), channels);
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
    vst1q_u8(dst, bytes_of(a, b, c, d));
}

#include "simd/mix_tmpl.h"

DVI_MIX_KERNELS(neon)
