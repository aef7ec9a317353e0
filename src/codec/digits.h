/* SPDX-License-Identifier: MIT */
/* digits.h: reads decimal digits, eight at a time. */
#ifndef DVI_CODEC_DIGITS_H
#define DVI_CODEC_DIGITS_H

#include "base/compiler.h"
#include "base/load.h"
#include <stdbool.h>
#include <stddef.h>

static inline bool dvi_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digit at p; -1: none. The byte is read once: that of a mapped file may change. */
static inline int dvi_digit_of(const char *p)
{
    int value = (unsigned char)*p;
    DVI_OPAQUE(value);
    return dvi_is_digit((char)value) ? value - '0' : -1;
}

/* Load n bytes, 1 to 8, the first one lowest; the bytes above them are undefined. `room` bytes may
 * be read: with 8 or more, no branch depends on n. */
static inline uint64_t dvi_text_load(const char *src, size_t n, size_t room)
{
    if (room >= 8)
        return dvi_load_u64(src);
    if (n >= 4)
        return dvi_load_u32(src) | (uint64_t)dvi_load_u32(src + n - 4) << 8 * (n - 4);
    const uint64_t first = (uint8_t)src[0], middle = (uint8_t)src[n / 2],
                   last = (uint8_t)src[n - 1];
    return first | middle << n / 2 * 8 | last << (n - 1) * 8;
}

#define DVI_ZEROS UINT64_C(0x3030303030303030) /* text ^ DVI_ZEROS: the values of 8 digits */

/* Sets bit 7 of the first byte that is not the value of a digit, 0..9, and of some bytes after it;
 * 0 if all are digits. */
static inline uint64_t dvi_find_no_digit(uint64_t values)
{
    return ((values + UINT64_C(0x7676767676767676)) | values) & UINT64_C(0x8080808080808080);
}

/* The number with these 8 digits, combined to pairs, then to fours, then to eight. */
static inline uint32_t dvi_digits_value(uint64_t values)
{
    values = values * 10 + (values >> 8);
    const uint64_t mask = UINT64_C(0x000000FF000000FF);
    const uint64_t high = (values & mask) * (100 + (UINT64_C(1000000) << 32));
    const uint64_t low = ((values >> 16) & mask) * (1 + (UINT64_C(10000) << 32));
    return (uint32_t)((high + low) >> 32);
}

/* Append the 8 digits at p to *number, which wraps; false: they are not 8 digits, and *number does
 * not change. */
static inline bool dvi_digits_append_8(uint64_t *number, const char *p)
{
    const uint64_t values = dvi_load_u64(p) ^ DVI_ZEROS;
    if (dvi_find_no_digit(values))
        return false;
    *number = *number * 100000000 + dvi_digits_value(values);
    return true;
}

#endif
