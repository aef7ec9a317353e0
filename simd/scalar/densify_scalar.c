/* SPDX-License-Identifier: MIT */
/* densify_scalar.c: makes a dense matrix of sparse rows. */
#include "simd/dispatch.h"
#include "simd/sparse.h"

/* The kernels differ only in their items.  put: writes an item as an item of the matrix. */
#define DENSIFY(name, D, S, put)                                                                   \
    void name(D *restrict dst, size_t stride, size_t width, const dv_sparse *rows,                 \
              dvi_store store)                                                                     \
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
            for (int32_t j = 0; j < dense; j++, item += sizeof(S))                                 \
                put(dst + j, item, 1);                                                             \
            for (int32_t j = 0; j < count; j++, item += sizeof(S))                                 \
                put(dst + dvi_sparse_index(rows, next++), item, 1);                                \
        }                                                                                          \
    }

#define COPY(dst, src, n) memcpy(dst, src, n * sizeof *(dst))

DENSIFY(dvi_densify_1_scalar, uint8_t, uint8_t, COPY)
DENSIFY(dvi_densify_2_scalar, uint16_t, uint16_t, COPY)
DENSIFY(dvi_densify_4_scalar, uint32_t, uint32_t, COPY)
DENSIFY(dvi_densify_8_scalar, uint64_t, uint64_t, COPY)

#define CONVERTED(X, level, from, to)                                                              \
    DENSIFY(dvi_densify_##from##_##to##_##level, DVI_ITEM_##to, DVI_ITEM_##from,                   \
            dvi_convert_##from##_##to##_##level)
DVI_DENSIFY_LIST(CONVERTED, _, scalar)
