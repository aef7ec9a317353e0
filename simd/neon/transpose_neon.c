/* SPDX-License-Identifier: MIT */
/* transpose_neon.c: makes a matrix of columns: blocks of 4 x 4 items of 4 bytes, 2 x 2 of 8. */
#include "simd/transpose_tmpl.h"
#include <arm_neon.h>

static DVI_ALWAYS_INLINE uint32x4_t load(const void *column, size_t at)
{
    return vreinterpretq_u32_u8(vld1q_u8((const uint8_t *)column + at));
}

static DVI_ALWAYS_INLINE void store(uint8_t *dst, uint64x2_t row)
{
    vst1q_u8(dst, vreinterpretq_u8_u64(row));
}

/* Write 2 rows of 16 bytes: the low halves of a and b, then their high halves. */
static DVI_ALWAYS_INLINE void two_rows(uint8_t *dst, size_t pitch, uint64x2_t a, uint64x2_t b)
{
    store(dst, vzip1q_u64(a, b));
    store(dst + pitch, vzip2q_u64(a, b));
}

static DVI_ALWAYS_INLINE void block_4_4(uint8_t *dst, size_t pitch, const void *const *columns,
                                        size_t at)
{
    const uint32x4_t a = load(columns[0], at), b = load(columns[1], at);
    const uint32x4_t c = load(columns[2], at), d = load(columns[3], at);
    two_rows(dst, pitch, vreinterpretq_u64_u32(vzip1q_u32(a, b)),
             vreinterpretq_u64_u32(vzip1q_u32(c, d)));
    two_rows(dst + 2 * pitch, pitch, vreinterpretq_u64_u32(vzip2q_u32(a, b)),
             vreinterpretq_u64_u32(vzip2q_u32(c, d)));
}

static DVI_ALWAYS_INLINE void block_8_2(uint8_t *dst, size_t pitch, const void *const *columns,
                                        size_t at)
{
    two_rows(dst, pitch, vreinterpretq_u64_u32(load(columns[0], at)),
             vreinterpretq_u64_u32(load(columns[1], at)));
}

DVI_TRANSPOSE_KERNEL(neon, 4, uint32_t, 4, 4, 4)
DVI_TRANSPOSE_KERNEL(neon, 8, uint64_t, 2, 2, 2)
