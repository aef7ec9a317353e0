/* SPDX-License-Identifier: MIT */
/* bits_scalar.c: unpacks Booleans of one or two bits into bytes, and packs bytes into bits. */
#include "simd/dispatch.h"
#include <dataview/type.h>

size_t dvi_bits_expand_scalar(int8_t *restrict dst, const void *restrict src, size_t n)
{
    const uint8_t *p = src;
    for (size_t i = 0; i < n; i++)
        dst[i] = (int8_t)(p[i / 8] >> (i % 8) & 1);
    return n;
}

size_t dvi_pairs_expand_scalar(int8_t *restrict dst, const void *restrict src, size_t n)
{
    static const int8_t meaning[3] = {0, 1, DV_BL_NA};
    const uint8_t *p = src;
    for (size_t i = 0; i < n; i++) {
        const unsigned pattern = p[i / 4] >> (2 * (i % 4)) & 3u;
        if (pattern == 3)
            return i;
        dst[i] = meaning[pattern];
    }
    return n;
}

size_t dvi_bits_pack_scalar(uint8_t *restrict dst, const void *restrict src, size_t n)
{
    const uint8_t *p = src;
    size_t others = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned bit = (unsigned)(p[i] == 1) << (i % 8);
        dst[i / 8] = (uint8_t)(i % 8 ? dst[i / 8] | bit : bit);
        others += p[i] > 1;
    }
    return others;
}
