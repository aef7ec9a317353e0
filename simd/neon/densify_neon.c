/* SPDX-License-Identifier: MIT */
/* densify_neon.c: makes a dense matrix of sparse rows: 4 indices, or half a line, at a time. */
#include "simd/densify_tmpl.h"
#include <arm_neon.h>

static DVI_ALWAYS_INLINE void spread(uint32_t *dst, uint32_t value, size_t n)
{
    const uint32x4_t copies = vdupq_n_u32(value);
    size_t i = 0;
    do {
        vst1q_u32(dst + i, copies);
        i += 4;
    } while (i < n);
}

/* Load four numbers from any address. */
static DVI_ALWAYS_INLINE uint32x4_t load(const uint8_t *src)
{
    return vreinterpretq_u32_u8(vld1q_u8(src));
}

static DVI_ALWAYS_INLINE void add(uint32_t *dst, const uint8_t *indices, size_t n, int shift)
{
    const int32x4_t by = vdupq_n_s32(shift);
    size_t i = 0;
    for (; n - i >= 4; i += 4)
        vst1q_u32(dst + i, vaddq_u32(vld1q_u32(dst + i), vshlq_u32(load(indices + 4 * i), by)));
    for (; i < n; i++) /* the last 0..3 */
        dst[i] += dvi_load_u32(indices + 4 * i) << shift;
}

/* Indices increase, so those below the limit are the first ones of each 4. */
static DVI_ALWAYS_INLINE size_t below(const uint8_t *indices, size_t n, int32_t limit)
{
    const uint32x4_t bound = vdupq_n_u32((uint32_t)limit);
    size_t i = 0;
    for (; n - i >= 4; i += 4)
        if (vminvq_u32(vcltq_u32(load(indices + 4 * i), bound)) == 0)
            break;
    while (i < n && dvi_load_i32(indices + 4 * i) < limit)
        i++;
    return i;
}

/* NEON has no fill instruction. */
static DVI_ALWAYS_INLINE void repeat(uint8_t *dst, size_t nbytes)
{
    memset(dst, 0, nbytes);
}

/* No intrinsic stores past the cache; stnp stores pairs of registers. */
static DVI_ALWAYS_INLINE void stream(uint8_t *dst, const uint8_t *src, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i += 32) {
        const uint8x16_t low = vld1q_u8(src + i), high = vld1q_u8(src + i + 16);
        __asm__ volatile("stnp %q[low], %q[high], [%[dst]]"
                         :
                         : [low] "w"(low), [high] "w"(high), [dst] "r"(dst + i)
                         : "memory");
    }
}

/* These stores are ordered like all others. */
static DVI_ALWAYS_INLINE void finish(void)
{
}

static const dvi_densify_level level = {spread, add, below, repeat, stream, finish};

DVI_DENSIFY_KERNELS(neon)
