/* SPDX-License-Identifier: MIT */
/* densify_scalar.c: sparse rows become a matrix. */
#include "simd/dispatch.h"
#include "simd/sparse.h"

/* The two differ in the item's type alone. */
#define DENSIFY(name, type, load)                                                                  \
    void name(type *restrict dst, size_t stride, size_t width, const dv_sparse *rows,              \
              dv_store store)                                                                      \
    {                                                                                              \
        const uint8_t *item = rows->items;                                                         \
        size_t next = 0; /* index */                                                               \
        (void)store;                                                                               \
        if (width == 0)                                                                            \
            return;                                                                                \
        for (size_t i = 0; i < rows->n; i++, dst += stride) {                                      \
            const int32_t count = dvi_sparse_count(rows, i);                                       \
            const int32_t dense = count < 0 ? dvi_sparse_length(rows, i) : 0;                      \
            memset(dst, 0, width * sizeof *dst);                                                   \
            for (int32_t j = 0; j < dense; j++, item += sizeof *dst)                               \
                dst[j] = load(item);                                                               \
            for (int32_t j = 0; j < count; j++, item += sizeof *dst)                               \
                dst[dvi_sparse_index(rows, next++)] = load(item);                                  \
        }                                                                                          \
    }

DENSIFY(dvi_densify_4_scalar, uint32_t, dvi_load_u32)
DENSIFY(dvi_densify_8_scalar, uint64_t, dvi_load_u64)
