/* SPDX-License-Identifier: MIT */
/* ranges.h: the ranges of integers and the NAs of reals, for conversions. */
#ifndef DVI_SIMD_RANGES_H
#define DVI_SIMD_RANGES_H

#include "base/load.h"
#include "simd/dispatch.h"

#define LEAST_i1 INT8_MIN
#define LEAST_i2 INT16_MIN
#define LEAST_i4 INT32_MIN
#define LEAST_i8 INT64_MIN
#define MOST_i1 INT8_MAX
#define MOST_i2 INT16_MAX
#define MOST_i4 INT32_MAX
#define MOST_i8 INT64_MAX
#define MOST_u1 UINT8_MAX
#define MOST_u2 UINT16_MAX
#define MOST_u4 UINT32_MAX
#define MOST_u8 UINT64_MAX

static inline float na_f4(void)
{
    const uint32_t bits = DV_R4_NA_BITS;
    return dvi_load_f4(&bits);
}

static inline double na_f8(void)
{
    const uint64_t bits = DV_R8_NA_BITS;
    return dvi_load_f8(&bits);
}

#endif
