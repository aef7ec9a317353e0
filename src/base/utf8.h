/* SPDX-License-Identifier: MIT */
/* utf8.h: checks a character of UTF-8. */
#ifndef DVI_BASE_UTF8_H
#define DVI_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The number of bytes of the well-formed UTF-8 character at `text`, of which n >= 1 bytes may be
 * read; 0: the bytes are overlong, a surrogate, above U+10FFFF, truncated, or a stray byte. */
static inline size_t dvi_utf8_step(const char *text, size_t n)
{
    const uint8_t *p = (const uint8_t *)text;
    const uint8_t c = p[0];
    if (c < 0x80)
        return 1;
    if (c < 0xC2 || c > 0xF4)
        return 0;
    const size_t width = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (n < width)
        return 0;
    const uint8_t low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < width; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    return width;
}

#endif
