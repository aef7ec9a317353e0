/* SPDX-License-Identifier: MIT */
/* sparsify_scalar.c: finds the items of dense rows. */
#include "base/load.h"
#include "simd/dispatch.h"

#define DEFINE_SPARSIFY(W, T)                                                                      \
    size_t dvi_sparsify_##W##_scalar(int32_t *restrict counts, int32_t *restrict indices,          \
                                     T *restrict items, const void *restrict src, size_t stride,   \
                                     size_t width, size_t n)                                       \
    {                                                                                              \
        const uint8_t *row = src;                                                                  \
        size_t sum = 0;                                                                            \
        for (size_t i = 0; i < n; i++) {                                                           \
            const size_t before = sum;                                                             \
            for (size_t slot = 0; slot < width; slot++) {                                          \
                T item;                                                                            \
                memcpy(&item, row + (i * stride + slot) * W, W);                                   \
                indices[sum] = (int32_t)slot;                                                      \
                items[sum] = item;                                                                 \
                sum += item != 0;                                                                  \
            }                                                                                      \
            counts[i] = (int32_t)(sum - before);                                                   \
        }                                                                                          \
        return sum;                                                                                \
    }
DEFINE_SPARSIFY(1, uint8_t)
DEFINE_SPARSIFY(2, uint16_t)
DEFINE_SPARSIFY(4, uint32_t)
DEFINE_SPARSIFY(8, uint64_t)
