/* SPDX-License-Identifier: MIT */
/* ends_scalar.c: checks the ends of texts, and converts them from UTF-16 units to bytes. */
#include "base/compiler.h"
#include "base/load.h"
#include "simd/dispatch.h"
#include <stdbool.h>

size_t dvi_ends_check_scalar(int32_t *restrict dst, const void *ends, size_t n, int32_t first,
                             int32_t *last_out)
{
    const uint8_t *p = ends;
    int32_t before = first;
    size_t i = 0;
    for (; i < n; i++) {
        uint32_t word = dvi_load_u32(p + 4 * i);
        DVI_OPAQUE(word); /* read once */
        const int32_t end = (int32_t)(word & INT32_MAX);
        if (end < before || (word > INT32_MAX && end > before))
            break;
        before = end;
        if (dst)
            dst[i] = (int32_t)word;
    }
    *last_out = before;
    return i;
}

/* Return the bytes of the character that starts with this byte of valid UTF-8. */
static size_t width_of(uint8_t lead)
{
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

size_t dvi_ends_map_scalar(int32_t *restrict dst, const void *text, size_t nbytes, const void *ends,
                           size_t n)
{
    const uint8_t *p = text;
    size_t bytes = 0, units = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t word = dvi_load_u32((const uint8_t *)ends + 4 * i);
        const size_t end = word & INT32_MAX;
        while (units < end && bytes < nbytes) { /* text may change: it is never read beyond */
            const size_t width = width_of(p[bytes]);
            const size_t step = width == 4 ? 2 : 1;
            if (units + step > end)
                return i; /* between the halves of a pair */
            bytes += width;
            units += step;
        }
        dst[i] = (int32_t)((uint32_t)bytes | (word & ~(uint32_t)INT32_MAX));
    }
    return n;
}
