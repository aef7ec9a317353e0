/* SPDX-License-Identifier: MIT */
/* rows_neon.c: copies rows from one matrix to another, half a line at a time. */
#include "simd/rows_tmpl.h"
#include <arm_neon.h>

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

static const dvi_rows_level level = {stream};

void dvi_rows_copy_neon(uint8_t *restrict dst, size_t dst_pitch, const void *restrict src,
                        size_t src_pitch, size_t width, size_t n, dvi_store store)
{
    dvi_rows_copy(&level, dst, dst_pitch, src, src_pitch, width, n, store);
}
