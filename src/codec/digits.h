/* SPDX-License-Identifier: MIT */
/* digits.h: which number do the next digits say? */
#ifndef DVI_CODEC_DIGITS_H
#define DVI_CODEC_DIGITS_H

#include "base/load.h"
#include <stdbool.h>
#include <stddef.h>

static inline bool dvi_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Are all 8 bytes digits?  Bit 7 of a byte is set in the first sum when it is above '9', and in the
 * difference when it is below '0'; what a byte borrows or carries can only blame a higher one, when
 * a lower one is guilty already. */
static inline bool dvi_is_8_digits(uint64_t text)
{
    const uint64_t above = text + UINT64_C(0x4646464646464646);
    const uint64_t below = text - UINT64_C(0x3030303030303030);
    return ((above | below) & UINT64_C(0x8080808080808080)) == 0;
}

/* The number that 8 digits say: pairs, then fours, then all. */
static inline uint32_t dvi_8_digits(uint64_t text)
{
    text -= UINT64_C(0x3030303030303030);
    text = text * 10 + (text >> 8);
    const uint64_t mask = UINT64_C(0x000000FF000000FF);
    const uint64_t high = (text & mask) * (100 + (UINT64_C(1000000) << 32));
    const uint64_t low = ((text >> 16) & mask) * (1 + (UINT64_C(10000) << 32));
    return (uint32_t)((high + low) >> 32);
}

/* Read the digits at src[0..n-1], n <= 20, up to the first byte that is none; returns how many
 * there were.  A number over UINT64_MAX is not a number: then one digit less than n is returned. */
static inline size_t dvi_digits_read(uint64_t *value_out, const char *src, size_t n)
{
    uint64_t value = 0;
    size_t i = 0;
    for (; n - i >= 8 && dvi_is_8_digits(dvi_load_u64(src + i)); i += 8)
        value = value * 100000000 + dvi_8_digits(dvi_load_u64(src + i));
    for (; i < n && i < 19 && dvi_is_digit(src[i]); i++)
        value = 10 * value + (uint64_t)(src[i] - '0');
    if (i == 19 && n == 20 && dvi_is_digit(src[i])) {
        const uint64_t last = (uint64_t)(src[i] - '0');
        if (value < UINT64_MAX / 10 || (value == UINT64_MAX / 10 && last <= UINT64_MAX % 10)) {
            value = 10 * value + last;
            i++;
        }
    }
    *value_out = value;
    return i;
}

#endif
