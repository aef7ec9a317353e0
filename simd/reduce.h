/* SPDX-License-Identifier: MIT */
/* reduce.h: sums and comparisons for level scalar and for the tails of the other levels. */
#ifndef DVI_SIMD_REDUCE_H
#define DVI_SIMD_REDUCE_H

#include "base/load.h"
#include "simd/dispatch.h"
#include <math.h>

__extension__ typedef unsigned __int128 dvi_u128;
__extension__ typedef __int128 dvi_i128;

#define DVI_SUM_LANES 16

static inline dvi_sum dvi_sum_of(dvi_u128 sum)
{
    const uint64_t high = (uint64_t)(sum >> 64);
    return (dvi_sum){{(uint64_t)sum, high, high >> 63 ? UINT64_MAX : 0}};
}

/* Return the low 128 bits: all of the sum, except for squares of integers of 8 bytes. */
static inline dvi_u128 dvi_sum_low(dvi_sum sum)
{
    return (dvi_u128)sum.word[1] << 64 | sum.word[0];
}

/* Add the 16 sums in pairs until one is left. */
static inline double dvi_sum_lanes(double lane[DVI_SUM_LANES])
{
    for (size_t n = DVI_SUM_LANES / 2; n > 0; n /= 2)
        for (size_t i = 0; i < n; i++)
            lane[i] = lane[2 * i] + lane[2 * i + 1];
    if (!isnan(lane[0]))
        return lane[0];
    const uint64_t na = DV_R8_NA_BITS;
    return dvi_load_f8(&na);
}

/* A total order of all reals but NaN, with -0 below +0.  NaN is neither below nor above a real. */
static inline bool dvi_is_below(double a, double b)
{
    return a < b || (a == b && signbit(a) && !signbit(b));
}

#endif
