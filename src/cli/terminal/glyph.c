/* SPDX-License-Identifier: MIT */
/* glyph.c: decodes characters, measures them, and spells out the unsafe ones. */
#include "cli/terminal/glyph.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct char_run {
    uint32_t first, last;
} char_run;

#include "cli/terminal/width_tbl.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_in(uint32_t code, const char_run *runs, size_t n)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (code > runs[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && code >= runs[low].first;
}

size_t dvi_utf8_decode(const char *text, size_t nbytes, uint32_t *code_out)
{
    const unsigned char *p = (const unsigned char *)text;
    if (p[0] < 0x80) {
        *code_out = p[0];
        return 1;
    }
    const size_t n = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
    if (p[0] < 0xC2 || p[0] > 0xF4 || nbytes < n)
        return 0;
    uint32_t code = p[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3F);
    }
    const bool is_long = (n == 3 && code < 0x800) || (n == 4 && code < 0x10000);
    if (is_long || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return 0;
    *code_out = code;
    return n;
}

/* Controls, line and paragraph separators, and what changes the direction of the text. */
static bool must_spell(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

static void spell(char escape[DVI_ESCAPE_CAP], uint32_t code)
{
    static const char letters[] = "\tt\nn\rr";
    const char *found = code && code < 0x20 ? strchr(letters, (int)code) : NULL;
    if (found)
        snprintf(escape, DVI_ESCAPE_CAP, "\\%c", found[1]);
    else
        snprintf(escape, DVI_ESCAPE_CAP, code < 0x100 ? "\\x%02X" : "\\u%04X", (unsigned)code);
}

dvi_glyph dvi_glyph_first(const char *text, size_t nbytes, char escape[DVI_ESCAPE_CAP])
{
    uint32_t code = (unsigned char)text[0];
    const size_t n = dvi_utf8_decode(text, nbytes, &code);
    if (n == 0 || must_spell(code)) {
        spell(escape, code);
        const uint8_t length = (uint8_t)strlen(escape);
        return (dvi_glyph){escape, length, (uint8_t)(n ? n : 1), length};
    }
    uint8_t width = 1;
    if (code >= 0x80 && is_in(code, zero_runs, COUNT(zero_runs)))
        width = 0;
    else if (code >= 0x80 && is_in(code, wide_runs, COUNT(wide_runs)))
        width = 2;
    return (dvi_glyph){text, (uint8_t)n, (uint8_t)n, width};
}

int32_t dvi_glyph_columns(const char *text, size_t nbytes)
{
    int32_t width = 0;
    for (size_t i = 0; i < nbytes;) {
        char escape[DVI_ESCAPE_CAP];
        const dvi_glyph glyph = dvi_glyph_first(text + i, nbytes - i, escape);
        width += glyph.width;
        i += glyph.source_nbytes;
    }
    return width;
}
