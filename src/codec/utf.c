/* SPDX-License-Identifier: MIT */
/* utf.c: UTF-8, its length in UTF-16, and UTF-16 boundaries in it. */
#include "codec/utf.h"
#include "base/load.h"
#include "base/utf8.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)

bool dvi_is_ascii(const void *text, size_t n)
{
    const uint8_t *p = text;
    uint64_t seen = 0;
    size_t i = 0;
    for (; n - i >= 8; i += 8)
        seen |= dvi_load_u64(p + i);
    for (; i < n; i++)
        seen |= p[i];
    return (seen & HIGH_BITS) == 0;
}

size_t dvi_utf8_valid_prefix(const void *text, size_t n, size_t *units_out)
{
    const char *p = text;
    size_t i = 0, units = 0;
    while (i < n) {
        if (n - i >= 8 && (dvi_load_u64(p + i) & HIGH_BITS) == 0) {
            i += 8;
            units += 8;
            continue;
        }
        const size_t step = dvi_utf8_step(p + i, n - i);
        if (step == 0)
            break;
        i += step;
        units += step == 4 ? 2 : 1;
    }
    *units_out = units;
    return i;
}

/* Bytes of the character that starts with this byte of valid UTF-8. */
static size_t width_of(uint8_t lead)
{
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* A place in a text, counted both ways. */
typedef struct place {
    size_t bytes, units;
} place;

/* Walk to the boundary `target`; true when it falls between the halves of a pair, which then is the
 * next character. */
static bool walk_to(const uint8_t *text, place *at, size_t target)
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

size_t dvi_utf_map_ends(const void *text, const void *ends, size_t n, int32_t *dst)
{
    place at = {0, 0};
    for (size_t i = 0; i < n; i++) {
        const uint32_t end = dvi_load_u32((const char *)ends + 4 * i);
        if (walk_to(text, &at, end & INT32_MAX))
            return i;
        dst[i] = (int32_t)((uint32_t)at.bytes | (end & ~(uint32_t)INT32_MAX));
    }
    return n;
}

/* What dvi_utf_split_ends has written. */
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
    place at = {0, 0};
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
            inside = walk_to(p, &at, target);
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
