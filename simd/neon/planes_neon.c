/* SPDX-License-Identifier: MIT */
/* planes_neon.c: makes numbers of the channels of pixels, in planes. */
#include "base/compiler.h"
#include "simd/dispatch.h"
#include <arm_neon.h>

#define BLOCK 8

typedef struct pixels {
    uint8x8_t channel[3];
} pixels;

typedef float32x4x2_t floats;

static DVI_ALWAYS_INLINE pixels pixels_3(const uint8_t *p)
{
    const uint8x8x3_t x = vld3_u8(p);
    return (pixels){{x.val[0], x.val[1], x.val[2]}};
}

static DVI_ALWAYS_INLINE pixels pixels_4(const uint8_t *p)
{
    const uint8x8x4_t x = vld4_u8(p);
    return (pixels){{x.val[0], x.val[1], x.val[2]}};
}

static DVI_ALWAYS_INLINE floats channel_3(pixels x, int c)
{
    const uint16x8_t words = vmovl_u8(x.channel[c]);
    return (floats){{vcvtq_f32_u32(vmovl_u16(vget_low_u16(words))),
                     vcvtq_f32_u32(vmovl_u16(vget_high_u16(words)))}};
}

#define channel_4 channel_3

static DVI_ALWAYS_INLINE floats floats_all(float value)
{
    return (floats){{vdupq_n_f32(value), vdupq_n_f32(value)}};
}

static DVI_ALWAYS_INLINE void floats_store(float *dst, floats x)
{
    vst1q_f32(dst, x.val[0]);
    vst1q_f32(dst + 4, x.val[1]);
}

#define EACH(op, x, y) ((floats){{op(x.val[0], y.val[0]), op(x.val[1], y.val[1])}})

static DVI_ALWAYS_INLINE floats SUB(floats x, floats y)
{
    return EACH(vsubq_f32, x, y);
}

static DVI_ALWAYS_INLINE floats MUL(floats x, floats y)
{
    return EACH(vmulq_f32, x, y);
}

static DVI_ALWAYS_INLINE floats DIV(floats x, floats y)
{
    return EACH(vdivq_f32, x, y);
}

#include "simd/planes_tmpl.h"

DVI_PLANES_KERNELS(neon)
