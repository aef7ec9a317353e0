/* SPDX-License-Identifier: MIT */
/* sparse.h: reads lengths, counts and indices of a dv_sparse. */
#ifndef DVI_SIMD_SPARSE_H
#define DVI_SIMD_SPARSE_H

#include "base/load.h"
#include "simd/kernel.h"

static inline int32_t dvi_sparse_length(const dv_sparse *rows, size_t i)
{
    return rows->lengths ? dvi_load_i32((const uint8_t *)rows->lengths + 4 * i) : rows->length;
}

static inline int32_t dvi_sparse_count(const dv_sparse *rows, size_t i)
{
    return dvi_load_i32((const uint8_t *)rows->counts + 4 * i);
}

static inline int32_t dvi_sparse_index(const dv_sparse *rows, size_t i)
{
    return dvi_load_i32((const uint8_t *)rows->indices + 4 * i);
}

/* Return the rows from i on.  indices and items_nbytes: the indices, and the bytes of items, of the
 * rows before. */
static inline dv_sparse dvi_sparse_from(const dv_sparse *rows, size_t i, size_t indices,
                                        size_t items_nbytes)
{
    dv_sparse rest = *rows;
    rest.n -= i;
    rest.counts = (const uint8_t *)rows->counts + 4 * i;
    if (rows->lengths)
        rest.lengths = (const uint8_t *)rows->lengths + 4 * i;
    if (rows->indices)
        rest.indices = (const uint8_t *)rows->indices + 4 * indices;
    if (rows->items)
        rest.items = (const uint8_t *)rows->items + items_nbytes;
    return rest;
}

#endif
