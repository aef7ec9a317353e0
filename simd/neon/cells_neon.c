/* SPDX-License-Identifier: MIT */
/* cells_neon.c: permutes the cells of a rectangle, 4 to a vector. */
#include <arm_neon.h>

typedef uint32x4_t vec;
#define LANES 4

#define vec_load vld1q_u32
#define vec_set vdupq_n_u32
#define vec_add vaddq_u32
#define vec_sub vsubq_u32
#define vec_xor veorq_u32
#define vec_min vminq_u32
#define vec_mul vmulq_u32
#define vec_fold(v) veorq_u32(v, vshrq_n_u32(v, 15))

static inline vec vec_high(vec a, vec b)
{
    const uint64x2_t low = vmull_u32(vget_low_u32(a), vget_low_u32(b));
    const uint64x2_t high = vmull_high_u32(a, b);
    return vuzp2q_u32(vreinterpretq_u32_u64(low), vreinterpretq_u32_u64(high));
}

static inline vec vec_carried(vec a, vec b)
{
    return vaddq_u32(vceqq_u32(a, b), vdupq_n_u32(1));
}

static inline void vec_numbers(uint64_t *dst, vec x, vec height, vec y)
{
    const uint64x2_t low = vmull_u32(vget_low_u32(x), vget_low_u32(height));
    const uint64x2_t high = vmull_high_u32(x, height);
    vst1q_u64(dst, vaddw_u32(low, vget_low_u32(y)));
    vst1q_u64(dst + 2, vaddw_high_u32(high, y));
}

#include "simd/cells_tmpl.h"

DVI_CELLS_KERNEL(neon)
