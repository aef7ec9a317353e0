/* SPDX-License-Identifier: MIT */
/* offsets_neon.c: checks the offsets of rows, and converts them to counts, 4 rows at a time. */
#include "simd/dispatch.h"
#include <arm_neon.h>

/* If start is not negative and end is not below start, their difference does not wrap. */
size_t dvi_offsets_counts_4_neon(int32_t *restrict counts, const void *restrict offsets, size_t n,
                                 int64_t entries, int32_t length)
{
    const int32x4_t last = vdupq_n_s32(entries < INT32_MAX ? (int32_t)entries : INT32_MAX);
    const int32x4_t most = vdupq_n_s32(length);
    const uint8_t *p = offsets;
    size_t i = 0;
    for (; entries >= 0 && n - i >= 4; i += 4, p += 16) {
        const int32x4_t start = vreinterpretq_s32_u8(vld1q_u8(p));
        const int32x4_t end = vreinterpretq_s32_u8(vld1q_u8(p + 4));
        const int32x4_t count = vsubq_s32(end, start);
        const uint32x4_t falls = vcgtq_s32(start, end), is_out = vcgtq_s32(end, last);
        const uint32x4_t is_long = vorrq_u32(vcgtq_s32(count, most), vcltzq_s32(start));
        if (vmaxvq_u32(vorrq_u32(vorrq_u32(falls, is_out), is_long)))
            break;
        vst1q_s32(counts + i, count);
    }
    return i + dvi_offsets_counts_4_scalar(counts + i, p, n - i, entries, length);
}

/* Set all bits of a lane whose row is invalid. */
static inline uint64x2_t is_bad(int64x2_t start, int64x2_t end, int64x2_t last, int64x2_t most)
{
    const uint64x2_t falls = vcgtq_s64(start, end), is_out = vcgtq_s64(end, last);
    const uint64x2_t is_long = vcgtq_s64(vsubq_s64(end, start), most);
    return vorrq_u64(vorrq_u64(falls, is_out), vorrq_u64(is_long, vcltzq_s64(start)));
}

static inline int64x2_t load(const uint8_t *p)
{
    return vreinterpretq_s64_u8(vld1q_u8(p));
}

size_t dvi_offsets_counts_8_neon(int32_t *restrict counts, const void *restrict offsets, size_t n,
                                 int64_t entries, int32_t length)
{
    const int64x2_t last = vdupq_n_s64(entries), most = vdupq_n_s64(length);
    const uint8_t *p = offsets;
    size_t i = 0;
    for (; n - i >= 4; i += 4, p += 32) {
        const int64x2_t start0 = load(p), end0 = load(p + 8);
        const int64x2_t start1 = load(p + 16), end1 = load(p + 24);
        const uint64x2_t bad =
            vorrq_u64(is_bad(start0, end0, last, most), is_bad(start1, end1, last, most));
        if (vmaxvq_u32(vreinterpretq_u32_u64(bad)))
            break;
        const int32x2_t low = vmovn_s64(vsubq_s64(end0, start0));
        vst1q_s32(counts + i, vmovn_high_s64(low, vsubq_s64(end1, start1)));
    }
    return i + dvi_offsets_counts_8_scalar(counts + i, p, n - i, entries, length);
}
