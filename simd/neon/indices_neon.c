/* SPDX-License-Identifier: MIT */
/* indices_neon.c: checks the indices of sparse vectors, 4 at a time. */
#include "simd/indices_tmpl.h"
#include <arm_neon.h>

static inline uint32x4_t load(const uint8_t *p)
{
    return vreinterpretq_u32_u8(vld1q_u8(p));
}

static inline bool is_above(const uint8_t *p)
{
    return dvi_load_i32(p) > dvi_load_i32(p - 4);
}

/* Set all bits of a lane whose index is marked or above the one before. */
static inline uint32x4_t is_good(uint32x4_t here, uint32x4_t before, int16x4_t marks)
{
    const uint32x4_t rises = vcgtq_s32(vreinterpretq_s32_u32(here), vreinterpretq_s32_u32(before));
    return vorrq_u32(rises, vreinterpretq_u32_s32(vmovl_s16(marks)));
}

static bool rises(const uint8_t *p, const int8_t *marks, size_t m, uint32_t *greatest_out)
{
    uint32x4_t good = vdupq_n_u32(UINT32_MAX), most = vdupq_n_u32(0);
    size_t i = 0;
    for (; m - i >= 8; i += 8) {
        const uint8_t *q = p + 4 * i;
        const uint32x4_t low = load(q), high = load(q + 16);
        const int16x8_t starts = vmovl_s8(vld1_s8(marks + i));
        good = vandq_u32(good, is_good(low, load(q - 4), vget_low_s16(starts)));
        good = vandq_u32(good, is_good(high, load(q + 12), vget_high_s16(starts)));
        most = vmaxq_u32(most, vmaxq_u32(low, high));
    }
    bool is_sound = vminvq_u32(good) == UINT32_MAX;
    uint32_t greatest = vmaxvq_u32(most);
    for (; i < m; i++) { /* the last 0..7 */
        const uint32_t here = dvi_load_u32(p + 4 * i);
        is_sound &= marks[i] != 0 || is_above(p + 4 * i);
        greatest = here > greatest ? here : greatest;
    }
    *greatest_out = greatest;
    return is_sound;
}

size_t dvi_indices_check_neon(const dv_sparse *rows, size_t n)
{
    return dvi_indices_check(rows, n, rises);
}
