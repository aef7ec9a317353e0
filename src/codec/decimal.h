/* SPDX-License-Identifier: MIT */
/* decimal.h: which IEEE number is closest to a decimal one? */
#ifndef DVI_CODEC_DECIMAL_H
#define DVI_CODEC_DECIMAL_H

#include "base/attrs.h"
#include "codec/power.h"
#include <stdbool.h>
#include <stdint.h>

#define DVI_DECIMAL_DIGITS 19 /* always fit 64 bits */

/* digits * 10^exponent, or more, by less than 10^exponent, when it is cut: then `digits` are the
 * first 19 of a text that says them all.  No leading zero counts as a digit. */
typedef struct dvi_decimal {
    uint64_t digits;
    int64_t exponent;
    bool is_cut;
    const char *text, *end; /* when it is cut: from its first digit on; other bytes are skipped */
} dvi_decimal;

/* The bits of the closest number; of two as close, the even one; too large ones give infinity.
 * Exact, however many digits there are; no allocation. */
uint32_t dvi_decimal_to_r4(const dvi_decimal *d);
uint64_t dvi_decimal_to_r8(const dvi_decimal *d);

/* The same of digits * 10^exponent where one multiplication tells; false where it does not, and
 * for what is subnormal or infinite.  With 10^k = g * 2^(power - 127), g of 128 bits, and w, the
 * digits shifted up to have bit 63 set, h is the upper word of w times g's upper word, shifted up
 * to have bit 63 set: the number is more than h - 2^-63 and less than h + 4, times a power of two.
 */
static DVI_ALWAYS_INLINE bool dvi_decimal_round(uint64_t *bits_out, uint64_t digits,
                                                int64_t exponent, int bits, int bias)
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
    const uint64_t half = UINT64_C(1) << (63 - bits), rest = h & (2 * half - 1);
    const uint64_t mantissa = (h >> (64 - bits)) + (rest > half);
    const int power = dvi_shift_down(k * 217706, 16);  /* floor(log2 10^k) */
    const int below = power - shift + top + 62 + bias; /* the biased exponent is one more */
    *bits_out = ((uint64_t)below << (bits - 1)) + mantissa;
    return rest - (half - 2) > 2 && below >= 0 && below < 2 * bias;
}

static DVI_ALWAYS_INLINE bool dvi_decimal_round_r4(uint64_t *bits_out, uint64_t digits,
                                                   int64_t exponent)
{
    return dvi_decimal_round(bits_out, digits, exponent, 24, 127);
}

static DVI_ALWAYS_INLINE bool dvi_decimal_round_r8(uint64_t *bits_out, uint64_t digits,
                                                   int64_t exponent)
{
    return dvi_decimal_round(bits_out, digits, exponent, 53, 1023);
}

#endif
