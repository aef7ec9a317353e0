/* SPDX-License-Identifier: MIT */
/* decimal.h: rounds decimal numbers to the closest IEEE number. */
#ifndef DVI_CODEC_DECIMAL_H
#define DVI_CODEC_DECIMAL_H

#include "base/compiler.h"
#include "codec/power.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define DVI_DECIMAL_DIGITS 19 /* always fit 64 bits */

/* The number digits * 10^exponent. If it is cut, `digits` are the first 19 digits of a text,
 * without leading zeros, and the number is larger by less than 10^exponent. */
typedef struct dvi_decimal {
    uint64_t digits;
    int64_t exponent;
    bool is_cut;
    const char *text, *end; /* if it is cut: all digits; other bytes between them are skipped */
} dvi_decimal;

static inline uint64_t dvi_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The bits of the closest number; of two equally close ones, the even one. A number that is too
 * large gives infinity. Exact for any number of digits; no allocation. */
uint32_t dvi_decimal_to_r4(const dvi_decimal *d);
uint64_t dvi_decimal_to_r8(const dvi_decimal *d);

/* The same for digits * 10^exponent if one multiplication decides; false: it does not, or the
 * result is subnormal or infinite. */

/* The product of two doubles is off by less than 8 units in the last place, in any rounding mode.
 * So it decides which float is closest unless it is within 8 units of the midpoint of two floats.
 */
static DVI_ALWAYS_INLINE bool dvi_decimal_round_r4(uint64_t *bits_out, uint64_t digits,
                                                   int64_t exponent)
{
    *bits_out = 0;
    if (digits == 0)
        return true;
    if (exponent < DVI_TEN_FIRST || exponent > DVI_TEN_LAST)
        return false;
    const uint64_t product = dvi_double_bits((double)digits * dvi_tens[exponent - DVI_TEN_FIRST]);
    const uint64_t half = UINT64_C(1) << 28, rest = product & (2 * half - 1); /* of a float */
    *bits_out = ((product + half) >> 29) - (UINT64_C(896) << 23);
    return rest - (half - 8) > 16 && *bits_out - 0x00800000 < 0x7F000000;
}

/* 10^k = g * 2^(power - 127), where g has 128 bits. w are the digits, shifted up so that bit 63 is
 * set. h is the upper word of w times the upper word of g, shifted up so that bit 63 is set. Up to
 * a power of two, the number is greater than h - 2^-63 and less than h + 4. */
static DVI_ALWAYS_INLINE bool dvi_decimal_round_r8(uint64_t *bits_out, uint64_t digits,
                                                   int64_t exponent)
{
    *bits_out = 0;
    if (digits == 0)
        return true;
    if (exponent < DVI_POWER_FIRST || exponent > DVI_POWER_LAST)
        return false;
    const int k = (int)exponent, shift = __builtin_clzll(digits);
    const dvi_u128 product = (dvi_u128)(digits << shift) * dvi_power_of_ten(k)[0];
    const int top = (int)(product >> 127);
    const uint64_t h = (uint64_t)(product >> 64) << (1 - top);
    const uint64_t half = 1 << 10, rest = h & (2 * half - 1);
    const uint64_t mantissa = (h >> 11) + (rest > half);
    const int power = dvi_shift_down(k * 217706, 16);  /* floor(log2 10^k) */
    const int below = power - shift + top + 62 + 1023; /* the biased exponent is one more */
    *bits_out = ((uint64_t)below << 52) + mantissa;
    return rest - (half - 2) > 2 && below >= 0 && below < 2 * 1023;
}

/* The same for digits / 10^decimals, decimals <= 8. Both are exact doubles, so when rounding to
 * nearest their quotient is the closest double. The float closest to that is the closest float,
 * unless the quotient is the midpoint of two floats. */
static DVI_ALWAYS_INLINE bool dvi_decimal_divide_r8(uint64_t *bits_out, uint32_t digits,
                                                    int decimals)
{
    *bits_out = dvi_double_bits((double)digits / dvi_tens[decimals - DVI_TEN_FIRST]);
    return true;
}

static DVI_ALWAYS_INLINE bool dvi_decimal_divide_r4(uint64_t *bits_out, uint32_t digits,
                                                    int decimals)
{
    const double quotient = (double)digits / dvi_tens[decimals - DVI_TEN_FIRST];
    const float closest = (float)quotient;
    uint32_t bits;
    memcpy(&bits, &closest, sizeof bits);
    *bits_out = bits;
    return (dvi_double_bits(quotient) & 0x1FFFFFFF) != 0x10000000;
}

#endif
