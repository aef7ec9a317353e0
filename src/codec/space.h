/* SPDX-License-Identifier: MIT */
/* space.h: recognizes white space (semantics:4.3, R4). */
#ifndef DVI_CODEC_SPACE_H
#define DVI_CODEC_SPACE_H

#include <dataview/type.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The number of bytes of the white-space character at p, p < end; 0: it is not one. */
static inline size_t dvi_space_step(const char *p, const char *end)
{
    const uint8_t c = (uint8_t)*p;
    const size_t n = (size_t)(end - p);
    if (c < 0x80)
        return (c >= '\t' && c <= '\r') || c == ' ';
    if (c == 0xC2 && n >= 2) /* U+0085, U+00A0 */
        return (uint8_t)p[1] == 0x85 || (uint8_t)p[1] == 0xA0 ? 2 : 0;
    if (n < 3)
        return 0;
    const uint8_t last = (uint8_t)p[2];
    if (memcmp(p, "\xE2\x80", 2) == 0) /* U+2000..200A, 2028, 2029, 202F */
        return (last >= 0x80 && last <= 0x8A) || last == 0xA8 || last == 0xA9 || last == 0xAF ? 3
                                                                                              : 0;
    if (memcmp(p, "\xE1\x9A\x80", 3) == 0 || memcmp(p, "\xE2\x81\x9F", 3) == 0 ||
        memcmp(p, "\xE3\x80\x80", 3) == 0) /* U+1680, 205F, 3000 */
        return 3;
    return 0;
}

/* The number of bytes of the white-space character that ends at `end`, p < end; 0: there is none.
 * No byte of one can begin another, so it is the one that a walk from p on finds. */
static inline size_t dvi_space_step_back(const char *p, const char *end)
{
    const size_t n = (size_t)(end - p);
    if ((uint8_t)end[-1] < 0x80)
        return dvi_space_step(end - 1, end);
    for (size_t width = 2; width <= 3 && width <= n; width++)
        if (dvi_space_step(end - width, end) == width)
            return width;
    return 0;
}

/* Skip white space at p; returns its end. */
static inline const char *dvi_space_skip(const char *p, const char *end)
{
    for (size_t step; p < end && (step = dvi_space_step(p, end)) > 0;)
        p += step;
    return p;
}

/* A text without the blanks, U+0020 alone, around it (semantics:7.6). */
static inline dv_text dvi_text_trim_blanks(dv_text text)
{
    for (; text.nbytes > 0 && *text.data == ' '; text.nbytes--)
        text.data++;
    while (text.nbytes > 0 && text.data[text.nbytes - 1] == ' ')
        text.nbytes--;
    return text;
}

#endif
