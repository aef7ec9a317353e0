/* SPDX-License-Identifier: MIT */
/* utf.c: converts ends of texts between UTF-16 units and bytes. */
#include "codec/utf.h"
#include "base/load.h"
#include <stdbool.h>

/* The number of bytes of the character that starts with this byte of valid UTF-8. */
static size_t width_of(uint8_t lead)
{
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* A position in a text, in bytes and in UTF-16 units. */
typedef struct position {
    size_t bytes, units;
} position;

/* Advance to the boundary `target`; true: it lies between the halves of a surrogate pair, which is
 * the next character. */
static bool advance_to(const uint8_t *text, position *at, size_t target)
{
    while (at->units < target) {
        const size_t width = width_of(text[at->bytes]);
        const size_t units = width == 4 ? 2 : 1;
        if (at->units + units > target)
            return true;
        at->bytes += width;
        at->units += units;
    }
    return false;
}

/* The output of dvi_utf_split_ends. */
typedef struct rewrite {
    uint8_t *dst; /* NULL: only count */
    size_t n;
} rewrite;

static void put(rewrite *out, const uint8_t *bytes, size_t n)
{
    if (out->dst && n > 0)
        memcpy(out->dst + out->n, bytes, n);
    out->n += n;
}

void dvi_utf_split_ends(const void *text, const void *ends, size_t n, uint8_t *text_dst,
                        int32_t *dst, size_t *nbytes_out, size_t *splits_out)
{
    static const uint8_t half[3] = {0xEF, 0xBF, 0xBD};
    const uint8_t *p = text;
    rewrite out = {text_dst, 0};
    position at = {0, 0};
    bool inside = false; /* the first half of the pair at `at` is written, the second is not */
    size_t copied = 0;   /* bytes of text that are written or replaced */
    *splits_out = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t end = dvi_load_u32((const char *)ends + 4 * i);
        const size_t target = end & INT32_MAX;
        if (inside && target > at.units + 1) { /* the second half belongs to this text */
            put(&out, half, sizeof half);
            at.bytes += 4;
            at.units += 2;
            copied = at.bytes;
            inside = false;
        }
        if (!inside) {
            inside = advance_to(p, &at, target);
            put(&out, p + copied, at.bytes - copied);
            copied = at.bytes;
            if (inside) {
                put(&out, half, sizeof half);
                ++*splits_out;
            }
        }
        if (dst)
            dst[i] = (int32_t)((uint32_t)out.n | (end & ~(uint32_t)INT32_MAX));
    }
    *nbytes_out = out.n;
}

/* The number of UTF-16 units of whole characters. */
static uint32_t count_units(const uint8_t *p, size_t n)
{
    uint32_t units = 0;
    for (size_t i = 0; i < n; i++)
        units += (uint32_t)((p[i] & 0xC0) != 0x80) + (uint32_t)(p[i] >= 0xF0);
    return units;
}

size_t dvi_utf_unit_ends(int32_t *dst, const void *text, const void *ends, size_t n, int32_t first)
{
    const uint8_t *p = text;
    const uint32_t last =
        n > 0 ? dvi_load_u32((const char *)ends + 4 * (n - 1)) & INT32_MAX : (uint32_t)first;
    uint32_t at = (uint32_t)first, units = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t word = dvi_load_u32((const char *)ends + 4 * i), end = word & INT32_MAX;
        if (end < last && (p[end] & 0xC0) == 0x80)
            return i;
        units += count_units(p + at, end - at);
        at = end;
        dst[i] = (int32_t)(units | (word & ~(uint32_t)INT32_MAX));
    }
    return n;
}
