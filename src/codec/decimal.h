/* SPDX-License-Identifier: MIT */
/* decimal.h: which IEEE number is closest to a decimal one? */
#ifndef DVI_CODEC_DECIMAL_H
#define DVI_CODEC_DECIMAL_H

#include "base/attrs.h"
#include "codec/power.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define DVI_DECIMAL_DIGITS 19 /* always fit 64 bits */

/* digits * 10^exponent, or more, by less than 10^exponent, when it is cut: then `digits` are the
 * first 19 of a text that says them all.  No leading zero counts as a digit. */
typedef struct dvi_decimal {
    uint64_t digits;
    int64_t exponent;
    bool is_cut;
    const char *text, *end; /* when it is cut: from its first digit on; other bytes are skipped */
} dvi_decimal;

static inline uint64_t dvi_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The bits of the closest number; of two as close, the even one; too large ones give infinity.
 * Exact, however many digits there are; no allocation. */
uint32_t dvi_decimal_to_r4(const dvi_decimal *d);
uint64_t dvi_decimal_to_r8(const dvi_decimal *d);

/* The same of digits * 10^exponent, each where one multiplication tells; false where it does not,
 * and for what is subnormal or infinite. */

/* Doubles lie so densely that the product of two tells the closest float, unless it is within 8 of
 * its last places from the middle of two floats: it is off by less, in any rounding mode. */
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

/* With 10^k = g * 2^(power - 127), g of 128 bits, and w, the digits shifted up to have bit 63 set,
 * h is the upper word of w times g's upper word, shifted up to have bit 63 set: the number is more
 * than h - 2^-63 and less than h + 4, times a power of two. */
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

/* The same of digits / 10^places, places <= 8.  Both are doubles, so in the usual rounding mode
 * their quotient is the closest one; what is closest to it is the closest float, unless it lies in
 * the middle of two. */
static DVI_ALWAYS_INLINE bool dvi_decimal_divide_r8(uint64_t *bits_out, uint32_t digits, int places)
{
    *bits_out = dvi_double_bits((double)digits / dvi_tens[places - DVI_TEN_FIRST]);
    return true;
}

static DVI_ALWAYS_INLINE bool dvi_decimal_divide_r4(uint64_t *bits_out, uint32_t digits, int places)
{
    const double quotient = (double)digits / dvi_tens[places - DVI_TEN_FIRST];
    const float closest = (float)quotient;
    uint32_t bits;
    memcpy(&bits, &closest, sizeof bits);
    *bits_out = bits;
    return (dvi_double_bits(quotient) & 0x1FFFFFFF) != 0x10000000;
}

#endif
