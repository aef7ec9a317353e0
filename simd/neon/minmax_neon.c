/* SPDX-License-Identifier: MIT */
/* minmax_neon.c: finds the least and the greatest value, without NA. */
#include <arm_neon.h>
#include <stdint.h>

typedef uint64x2_t vec;
#define VEC_NBYTES 16

#define vreinterpretq_u64_u64(v) (v) /* for macros; the compiler does not define it */

static inline vec vec_load(const uint8_t *p)
{
    return vreinterpretq_u64_u8(vld1q_u8(p));
}

static inline void vec_store(void *dst, vec v)
{
    vst1q_u8(dst, vreinterpretq_u8_u64(v));
}

#define vec_set vdupq_n_u64
#define vec_or vorrq_u64

static inline vec vec_equal_32(vec v, vec w)
{
    return vreinterpretq_u64_u32(vceqq_u32(vreinterpretq_u32_u64(v), vreinterpretq_u32_u64(w)));
}

static inline vec vec_equal_64(vec v, vec w)
{
    return vceqq_u64(v, w);
}

/* Add -1, all bits set. */
#define DEFINE_DEC(bits)                                                                           \
    static inline vec vec_dec_##bits(vec v)                                                        \
    {                                                                                              \
        return vreinterpretq_u64_u##bits(                                                          \
            vaddq_u##bits(vreinterpretq_u##bits##_u64(v), vdupq_n_u##bits(UINT##bits##_MAX)));     \
    }
DEFINE_DEC(8)
DEFINE_DEC(16)
DEFINE_DEC(32)
DEFINE_DEC(64)

/* x: the compiler's name of the type.  The result is v where it is below or above w, else w; so NaN
 * in v gives w. */
#define DEFINE_ENDS(type, x, u)                                                                    \
    static inline vec vec_min_##type(vec v, vec w)                                                 \
    {                                                                                              \
        return vbslq_u64(vreinterpretq_u64_##u(                                                    \
                             vcltq_##x(vreinterpretq_##x##_u64(v), vreinterpretq_##x##_u64(w))),   \
                         v, w);                                                                    \
    }                                                                                              \
    static inline vec vec_max_##type(vec v, vec w)                                                 \
    {                                                                                              \
        return vbslq_u64(vreinterpretq_u64_##u(                                                    \
                             vcgtq_##x(vreinterpretq_##x##_u64(v), vreinterpretq_##x##_u64(w))),   \
                         v, w);                                                                    \
    }
DEFINE_ENDS(i1, s8, u8)
DEFINE_ENDS(i2, s16, u16)
DEFINE_ENDS(i4, s32, u32)
DEFINE_ENDS(i8, s64, u64)
DEFINE_ENDS(u1, u8, u8)
DEFINE_ENDS(u2, u16, u16)
DEFINE_ENDS(u4, u32, u32)
DEFINE_ENDS(u8, u64, u64)
DEFINE_ENDS(r4, f32, u32)
DEFINE_ENDS(r8, f64, u64)

#include "simd/minmax_tmpl.h"

DVI_DEFINE_MINMAXES(neon)
