/* SPDX-License-Identifier: MIT */
/* utf8.h: checks and decodes a character of UTF-8. */
#ifndef DVI_BASE_UTF8_H
#define DVI_BASE_UTF8_H

#include <stdbool.h>
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

/* The code of the well-formed character of `width` bytes at `text`. */
static inline uint32_t dvi_utf8_code(const char *text, size_t width)
{
    const uint8_t *p = (const uint8_t *)text;
    uint32_t code = width == 1 ? p[0] : p[0] & (0x7Fu >> width);
    for (size_t i = 1; i < width; i++)
        code = code << 6 | (p[i] & 0x3Fu);
    return code;
}

/* Write a character as UTF-8: a code up to U+10FFFF that is not a surrogate. Returns the bytes
 * written, at most 4. */
static inline size_t dvi_utf8_write(char *dst, uint32_t code)
{
    static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    const size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; code >>= 6)
        dst[i] = (char)(0x80 | (code & 0x3F));
    dst[0] = (char)(leads[n] | code);
    return n;
}

/* Whether a terminal would act on the character instead of showing it: controls, line and paragraph
 * separators, and what changes the direction of the text. */
static inline bool dvi_utf8_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

#endif
