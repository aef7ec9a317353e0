/* SPDX-License-Identifier: MIT */
/* pairs.h: reads the rows of a dvi_pairs one by one. */
#ifndef DVI_SIMD_PAIRS_H
#define DVI_SIMD_PAIRS_H

#include "base/load.h"
#include "simd/dispatch.h"
#include <stdbool.h>

#define DVI_PAIR_NBYTES 12

/* Return the pairs of the next row. */
static inline const uint8_t *dvi_pairs_at(const dvi_pairs *rows, const dvi_pairs_end *at)
{
    return (const uint8_t *)rows->src + at->nbytes + 4;
}

/* Return whether the next row is complete and there is room for its n pairs. */
static inline bool dvi_pairs_next(const dvi_pairs *rows, const dvi_pairs_end *at, size_t *n_out)
{
    const size_t left = rows->nbytes - at->nbytes;
    if (left < 4)
        return false;
    const uint32_t n = (uint32_t)dvi_load_i32_be((const uint8_t *)rows->src + at->nbytes);
    *n_out = n; /* a negative one is above every length */
    return n <= (uint32_t)rows->length && (uint64_t)n * DVI_PAIR_NBYTES <= left - 4 &&
           n <= rows->items - at->items;
}

/* Copy the indices of n pairs.  Returns whether they are valid: not negative, strictly increasing,
 * and below the length. */
static inline bool dvi_pairs_indices(int32_t *dst, const uint8_t *pairs, size_t n, int32_t length)
{
    int32_t before = -1;
    for (size_t k = 0; k < n; k++) {
        const int32_t index = dvi_load_i32_be(pairs + DVI_PAIR_NBYTES * k);
        if (index <= before || index >= length)
            return false;
        dst[k] = before = index;
    }
    return true;
}

/* Advance past a row of n pairs.  Returns the count that the column stores for it. */
static inline int32_t dvi_pairs_pass(const dvi_pairs *rows, dvi_pairs_end *at, size_t n)
{
    const bool is_dense = (int32_t)n == rows->dense;
    at->nbytes += 4 + DVI_PAIR_NBYTES * n;
    at->indices += is_dense ? 0 : n;
    at->items += n;
    return is_dense ? -1 : (int32_t)n;
}

static inline double dvi_f8_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
