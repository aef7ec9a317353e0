/* SPDX-License-Identifier: MIT */
/* bits_neon.c: unpacks Booleans of one or two bits into bytes, and packs bytes into bits, 16 at a
 * time. */
#include "base/load.h"
#include "simd/dispatch.h"
#include <dataview/type.h>
#include <arm_neon.h>

size_t dvi_bits_expand_neon(int8_t *restrict dst, const void *restrict src, size_t n)
{
    static const uint8_t byte_of[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint8_t bit_of[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t byte = vld1q_u8(byte_of), bit = vld1q_u8(bit_of);
    const uint8_t *p = src;
    size_t i = 0;
    for (; n - i >= 16; i += 16, p += 2) {
        const uint8x16_t word = vreinterpretq_u8_u16(vdupq_n_u16(dvi_load_u16(p)));
        const uint8x16_t is_set = vtstq_u8(vqtbl1q_u8(word, byte), bit); /* 0 or 0xFF */
        vst1q_s8(dst + i, vnegq_s8(vreinterpretq_s8_u8(is_set)));
    }
    return i + dvi_bits_expand_scalar(dst + i, p, n - i); /* the last 0..15 */
}

size_t dvi_pairs_expand_neon(int8_t *restrict dst, const void *restrict src, size_t n)
{
    static const uint8_t byte_of[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    static const int8_t down_of[16] = {0, -2, -4, -6, 0, -2, -4, -6, 0, -2, -4, -6, 0, -2, -4, -6};
    static const int8_t meaning_of[16] = {0, 1, DV_BL_NA};
    const uint8x16_t byte = vld1q_u8(byte_of);
    const int8x16_t down = vld1q_s8(down_of), meaning = vld1q_s8(meaning_of);
    const uint8_t *p = src;
    size_t i = 0;
    for (; n - i >= 16; i += 16, p += 4) {
        const uint32_t word = dvi_load_u32(p);
        if (word & word >> 1 & 0x55555555u)
            break; /* one of them is 3 */
        const uint8x16_t bytes = vqtbl1q_u8(vreinterpretq_u8_u32(vdupq_n_u32(word)), byte);
        const uint8x16_t pattern = vandq_u8(vshlq_u8(bytes, down), vdupq_n_u8(3));
        vst1q_s8(dst + i, vqtbl1q_s8(meaning, pattern));
    }
    return i +
           dvi_pairs_expand_scalar(dst + i, p, n - i); /* an invalid one of 16, or the last 0..15 */
}

size_t dvi_bits_pack_neon(uint8_t *restrict dst, const void *restrict src, size_t n)
{
    if (n < 16)
        return dvi_bits_pack_scalar(dst, src, n);
    static const uint8_t bit_of[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bit = vld1q_u8(bit_of), one = vdupq_n_u8(1);
    const uint8_t *p = src;
    size_t i = 0, others = 0;
    for (; n - i >= 16; i += 16) {
        const uint8x16_t v = vld1q_u8(p + i);
        const uint8x16_t bits = vandq_u8(vceqq_u8(v, one), bit);
        others += vaddvq_u8(vshrq_n_u8(vcgtq_u8(v, one), 7));
        dst[i / 8] = vaddv_u8(vget_low_u8(bits));
        dst[i / 8 + 1] = vaddv_u8(vget_high_u8(bits));
    }
    return others + dvi_bits_pack_scalar(dst + i / 8, p + i, n - i); /* the last 0..15 */
}
