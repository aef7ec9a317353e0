/* SPDX-License-Identifier: MIT */
/* find_neon.c: finds the bytes of a set. */
#include "simd/find_tmpl.h"
#include <arm_neon.h>

/* Set all bits of those of 16 bytes that are in the set. */
static inline uint8x16_t look_16(const uint8_t *p, uint8x16_t members, uint8x16_t bits)
{
    const uint8x16_t x = vld1q_u8(p);
    const uint8x16_t found = vqtbl1q_u8(members, vandq_u8(x, vdupq_n_u8(15)));
    return vtstq_u8(found, vqtbl1q_u8(bits, vshrq_n_u8(x, 4)));
}

/* Adding neighbors three times collects the bits of 64 bytes. */
static inline uint64_t look(const uint8_t *p, const dvi_ascii_set *set)
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t weight = vld1q_u8(weights), members = vld1q_u8(set->members);
    const uint8x16_t bits = vld1q_u8(dvi_find_bits);
    const uint8x16_t a = vandq_u8(look_16(p, members, bits), weight);
    const uint8x16_t b = vandq_u8(look_16(p + 16, members, bits), weight);
    const uint8x16_t c = vandq_u8(look_16(p + 32, members, bits), weight);
    const uint8x16_t d = vandq_u8(look_16(p + 48, members, bits), weight);
    const uint8x16_t all = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

static inline size_t list(uint32_t *dst, uint64_t bits, uint32_t base)
{
    size_t n = 0;
    for (; bits != 0; bits &= bits - 1)
        dst[n++] = base + (uint32_t)__builtin_ctzll(bits);
    return n;
}

size_t dvi_bytes_find_neon(uint32_t *restrict dst, size_t room, const void *restrict src, size_t n,
                           const dvi_ascii_set *set)
{
    return dvi_find_bytes(look, list, dst, room, src, n, set);
}
