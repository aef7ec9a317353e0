/* SPDX-License-Identifier: MIT */
/* mix.h: the arithmetic of weighted means, for level scalar. */
#ifndef DVI_SIMD_MIX_H
#define DVI_SIMD_MIX_H

#include "base/compiler.h"
#include "simd/dispatch.h"

#define DVI_MIX_HALF (UINT32_C(1) << (DV_WEIGHT_BITS - 1))

/* A sum, which began with a half, as a byte. */
static DVI_ALWAYS_INLINE uint8_t dvi_mix_byte(uint32_t sum)
{
    const int32_t value = (int32_t)sum >> DV_WEIGHT_BITS;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

#endif
