/* SPDX-License-Identifier: MIT */
/* find_scalar.c: finds the bytes of a set. */
#include "simd/dispatch.h"

size_t dvi_bytes_find_scalar(uint32_t *restrict dst, size_t room, const void *restrict src,
                             size_t n, const dvi_ascii_set *set)
{
    const uint8_t *p = src;
    size_t found = 0;
    for (size_t i = 0; i < n && found < room; i++)
        if (p[i] < 128 && (set->members[p[i] & 15] >> (p[i] >> 4) & 1))
            dst[found++] = (uint32_t)i;
    return found;
}
