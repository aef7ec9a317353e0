/* SPDX-License-Identifier: MIT */
/* bignum.h: integers of up to DVI_BIGNUM_LIMBS * 64 bits. */
#ifndef DVI_CODEC_BIGNUM_H
#define DVI_CODEC_BIGNUM_H

#include <stdint.h>

/* Enough for both sides of the comparison in decimal.c. With at most 771 digits, and a number of
 * 10^-324 or more, the power of five is at most 5^1095: 2543 bits. One side is this times a
 * mantissa of 54 bits; the other is within a factor of two of it. */
#define DVI_BIGNUM_LIMBS 48

typedef struct dvi_bignum {
    int n; /* limbs in use; the last is not 0 */
    uint64_t limbs[DVI_BIGNUM_LIMBS];
} dvi_bignum;

void dvi_bignum_set(dvi_bignum *b, uint64_t value);
void dvi_bignum_multiply_add(dvi_bignum *b, uint64_t factor, uint64_t summand);
void dvi_bignum_multiply_by_5(dvi_bignum *b, int power);
void dvi_bignum_shift_up(dvi_bignum *b, int bits);
/* Returns -1, 0 or 1: a is less than, equal to or greater than b. */
int dvi_bignum_compare(const dvi_bignum *a, const dvi_bignum *b);

#endif
