/* SPDX-License-Identifier: MIT */
/* power.h: powers of ten with 128 bits. */
#ifndef DVI_CODEC_POWER_H
#define DVI_CODEC_POWER_H

#include <stdint.h>

__extension__ typedef unsigned __int128 dvi_u128;

#define DVI_POWER_FIRST (-342)
#define DVI_POWER_LAST 340

/* High and low word of 10^k, k in DVI_POWER_FIRST..DVI_POWER_LAST, scaled by a power of two into
 * [2^127, 2^128) and rounded up if not exact. Defined in decimal.c. */
extern const uint64_t dvi_powers[DVI_POWER_LAST - DVI_POWER_FIRST + 1][2];

static inline const uint64_t *dvi_power_of_ten(int k)
{
    return dvi_powers[k - DVI_POWER_FIRST];
}

/* 10^k, k in DVI_TEN_FIRST..DVI_TEN_LAST. With other powers, 19 digits are 0 or infinite as R4. */
#define DVI_TEN_FIRST (-64)
#define DVI_TEN_LAST 38
extern const double dvi_tens[DVI_TEN_LAST - DVI_TEN_FIRST + 1];

/* floor(x / 2^bits), also for x < 0. */
static inline int dvi_shift_down(int x, int bits)
{
    const int64_t up = INT64_C(1) << 40; /* avoids a shift of negative numbers, without a branch */
    return (int)(((x + up) >> bits) - (up >> bits));
}

#endif
