/* SPDX-License-Identifier: MIT */
/* find_tmpl.h: finds the bytes of a set, for the vector levels.
 *
 * A table is looked up by the lower half of a byte.  Its entry has a bit for each upper half, of
 * which the byte's own is tested.  For bytes that are not ASCII no bit is tested. */
#ifndef DVI_SIMD_FIND_TMPL_H
#define DVI_SIMD_FIND_TMPL_H

#include "simd/dispatch.h"

#define DVI_FIND_BLOCK 64

/* The bit to test, by the upper half of a byte. */
static const uint8_t dvi_find_bits[16] = {1, 2, 4, 8, 16, 32, 64, 128};

/* The operations of a level.  look: return a bit for each of 64 bytes, set if the byte is in the
 * set. list: write base + the position of each bit that is set, the lowest first, to dst, which has
 * room for 64; returns their number. */
typedef uint64_t dvi_find_look(const uint8_t *p, const dvi_ascii_set *set);
typedef size_t dvi_find_list(uint32_t *dst, uint64_t bits, uint32_t base);

/* The body of kernel bytes_find. */
static inline size_t dvi_find_bytes(dvi_find_look *look, dvi_find_list *list, uint32_t *dst,
                                    size_t room, const void *src, size_t n,
                                    const dvi_ascii_set *set)
{
    const uint8_t *p = src;
    size_t i = 0, found = 0;
    for (; n - i >= DVI_FIND_BLOCK && room - found >= DVI_FIND_BLOCK; i += DVI_FIND_BLOCK)
        found += list(dst + found, look(p + i, set), (uint32_t)i);
    const size_t more = dvi_bytes_find_scalar(dst + found, room - found, p + i, n - i, set);
    for (size_t k = 0; k < more; k++)
        dst[found + k] += (uint32_t)i;
    return found + more;
}

#endif
