/* SPDX-License-Identifier: MIT */
/* sums_neon.c: adds numbers or their squares, without NA. */
#include <arm_neon.h>
#include <stdint.h>

typedef uint64x2_t vec;
#define VEC_NBYTES 16

#define AS_U8 vreinterpretq_u8_u64
#define AS_U32 vreinterpretq_u32_u64

#define vreinterpretq_u64_u64(v) (v) /* for macros; the compiler does not define it */

static inline vec vec_load(const uint8_t *p)
{
    return vreinterpretq_u64_u8(vld1q_u8(p));
}

#define vec_store vst1q_u64
#define vec_set vdupq_n_u64
#define vec_and vandq_u64
#define vec_xor veorq_u64
#define vec_add vaddq_u64

static inline vec vec_shift(vec v, int bits)
{
    return vshlq_u64(v, vdupq_n_s64(-bits));
}

static inline vec vec_square_pairs(vec v)
{
    const int16x8_t s = vreinterpretq_s16_u64(v);
    const int32x4_t low = vmull_s16(vget_low_s16(s), vget_low_s16(s));
    return vreinterpretq_u64_s32(vpaddq_s32(low, vmull_high_s16(s, s)));
}

static inline vec vec_mul_32(vec a, vec b)
{
    return vreinterpretq_u64_u32(vmulq_u32(AS_U32(a), AS_U32(b)));
}

static inline vec vec_mul_64(vec a, vec b)
{
    return vmull_u32(vmovn_u64(a), vmovn_u64(b));
}

static inline vec vec_sum_bytes(vec v)
{
    return vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(AS_U8(v))));
}

#define DEFINE_CLEAN(bits)                                                                         \
    static inline vec vec_clean_##bits(vec v)                                                      \
    {                                                                                              \
        const vec least = vreinterpretq_u64_s##bits(vdupq_n_s##bits(INT##bits##_MIN));             \
        const vec is_na = vreinterpretq_u64_u##bits(                                               \
            vceqq_s##bits(vreinterpretq_s##bits##_u64(v), vreinterpretq_s##bits##_u64(least)));    \
        return vbicq_u64(v, is_na);                                                                \
    }
DEFINE_CLEAN(8)
DEFINE_CLEAN(16)
DEFINE_CLEAN(32)
DEFINE_CLEAN(64)

#define DEFINE_SIZE(bits)                                                                          \
    static inline vec vec_size_##bits(vec v)                                                       \
    {                                                                                              \
        return vreinterpretq_u64_s##bits(                                                          \
            vabsq_s##bits(vreinterpretq_s##bits##_u64(vec_clean_##bits(v))));                      \
    }
DEFINE_SIZE(8)
DEFINE_SIZE(16)
DEFINE_SIZE(32)

typedef float64x2_t real;
#define REAL_LANES 2
#define real_add vaddq_f64
#define real_mul vmulq_f64
#define real_store vst1q_f64

static inline real real_zero(void)
{
    return vdupq_n_f64(0);
}

static inline real real_clean(real r)
{
    return vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(r), vceqq_f64(r, r)));
}

static inline real real_load_r4(const uint8_t *p)
{
    return real_clean(vcvt_f64_f32(vreinterpret_f32_u8(vld1_u8(p))));
}

static inline real real_load_r8(const uint8_t *p)
{
    return real_clean(vreinterpretq_f64_u8(vld1q_u8(p)));
}

#include "simd/sums_tmpl.h"

DVI_DEFINE_SUMS(neon)
