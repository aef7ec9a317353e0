/* SPDX-License-Identifier: MIT */
/* murmur_neon.c: hashes numbers and short texts to keys, 4 at a time. */
#include "simd/dispatch.h"
#include <arm_neon.h>

typedef uint32x4_t vec;
#define LANES 4

#define vec_load(p) vreinterpretq_u32_u8(vld1q_u8(p))
#define vec_store vst1q_u32
#define vec_set vdupq_n_u32
#define vec_add vaddq_u32
#define vec_mul vmulq_u32
#define vec_xor veorq_u32
#define vec_and vandq_u32
#define vec_or vorrq_u32
#define vec_shift vshrq_n_u32
#define vec_rotate(v, bits) vsriq_n_u32(vshlq_n_u32(v, bits), v, 32 - (bits))
#define vec_without vbicq_u32
#define vec_is_zero(v) vceqq_u32(v, vdupq_n_u32(0))
#define vec_above vcgtq_u32

static inline void vec_split(const uint8_t *p, vec *low, vec *high)
{
    const vec a = vec_load(p), b = vec_load(p + 16);
    *low = vuzp1q_u32(a, b);
    *high = vuzp2q_u32(a, b);
}

static inline uint32x2_t is_na(const uint8_t *p, const dvi_na *na)
{
    const uint64x2_t item = vandq_u64(vreinterpretq_u64_u8(vld1q_u8(p)), vdupq_n_u64(na->mask));
    return vmovn_u64(vcgtq_u64(vsubq_u64(item, vdupq_n_u64(na->low)), vdupq_n_u64(na->most)));
}

static inline vec vec_na_8(const uint8_t *p, const dvi_na *na)
{
    return vcombine_u32(is_na(p, na), is_na(p + 16, na));
}

static inline void vec_words(const uint8_t *p, vec w[4])
{
    const vec a = vec_load(p), b = vec_load(p + 16), c = vec_load(p + 32), d = vec_load(p + 48);
    const vec ac = vzip1q_u32(a, c), bd = vzip1q_u32(b, d);
    const vec high_ac = vzip2q_u32(a, c), high_bd = vzip2q_u32(b, d);
    w[0] = vzip1q_u32(ac, bd);
    w[1] = vzip2q_u32(ac, bd);
    w[2] = vzip1q_u32(high_ac, high_bd);
    w[3] = vzip2q_u32(high_ac, high_bd);
}

#include "simd/murmur_tmpl.h"

DVI_MURMUR_KERNELS(neon)
