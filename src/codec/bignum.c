/* SPDX-License-Identifier: MIT */
/* bignum.c: arithmetic on integers of up to 3,072 bits, without allocation. */
#include "codec/bignum.h"
#include "codec/power.h"
#include <string.h>

/* There is room, unless digits in a mapped file change between two readings of them. */
static void push(dvi_bignum *b, uint64_t limb)
{
    if (limb != 0 && b->n < DVI_BIGNUM_LIMBS)
        b->limbs[b->n++] = limb;
}

void dvi_bignum_set(dvi_bignum *b, uint64_t value)
{
    b->n = 0;
    push(b, value);
}

void dvi_bignum_multiply_add(dvi_bignum *b, uint64_t factor, uint64_t summand)
{
    uint64_t carry = summand;
    for (int i = 0; i < b->n; i++) {
        const dvi_u128 product = (dvi_u128)b->limbs[i] * factor + carry;
        b->limbs[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    push(b, carry);
}

void dvi_bignum_multiply_by_5(dvi_bignum *b, int power)
{
    for (; power >= 27; power -= 27)
        dvi_bignum_multiply_add(b, UINT64_C(7450580596923828125), 0); /* 5^27 */
    for (; power > 0; power--)
        dvi_bignum_multiply_add(b, 5, 0);
}

void dvi_bignum_shift_up(dvi_bignum *b, int bits)
{
    int limbs = bits / 64;
    dvi_bignum_multiply_add(b, UINT64_C(1) << bits % 64, 0);
    if (limbs > DVI_BIGNUM_LIMBS - b->n)
        limbs = DVI_BIGNUM_LIMBS - b->n;
    memmove(b->limbs + limbs, b->limbs, (size_t)b->n * sizeof *b->limbs);
    memset(b->limbs, 0, (size_t)limbs * sizeof *b->limbs);
    b->n += limbs;
}

int dvi_bignum_compare(const dvi_bignum *a, const dvi_bignum *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n; i-- > 0;)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}
