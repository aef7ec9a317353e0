/* SPDX-License-Identifier: MIT */
/* ticks_neon.c: checks that ticks are inside the calendar. */
#include "simd/dispatch.h"
#include <dataview/type.h>
#include <arm_neon.h>

/* Set all bits of a lane whose ticks are invalid.  As unsigned numbers, negative ticks are too
 * large. */
static inline uint64x2_t is_bad(const uint8_t *p)
{
    const uint64x2_t ticks = vreinterpretq_u64_u8(vld1q_u8(p));
    const uint64x2_t is_outside = vcgtq_u64(ticks, vdupq_n_u64(DV_TICKS_MAX));
    return vbicq_u64(is_outside, vceqq_u64(ticks, vdupq_n_u64((uint64_t)DV_TICKS_NA)));
}

size_t dvi_ticks_check_neon(const void *src, size_t n)
{
    const uint8_t *p = src;
    size_t i = 0;
    for (; n - i >= 8; i += 8, p += 64) {
        const uint64x2_t low = vorrq_u64(is_bad(p), is_bad(p + 16));
        const uint64x2_t high = vorrq_u64(is_bad(p + 32), is_bad(p + 48));
        if (vmaxvq_u32(vreinterpretq_u32_u64(vorrq_u64(low, high))) != 0)
            break;
    }
    return i + dvi_ticks_check_scalar(p, n - i); /* an invalid one of eight, or the last 0..7 */
}
