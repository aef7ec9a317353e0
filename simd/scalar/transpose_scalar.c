/* SPDX-License-Identifier: MIT */
/* transpose_scalar.c: makes a matrix of columns. */
#include "base/load.h"
#include "simd/dispatch.h"

/* The two kernels differ only in the type of an item. */
#define TRANSPOSE(name, type, load)                                                                \
    void name(type *restrict dst, size_t stride, const void *const *columns, size_t width,         \
              size_t n)                                                                            \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            for (size_t k = 0; k < width; k++)                                                     \
                dst[i * stride + k] = load((const uint8_t *)columns[k] + i * sizeof *dst);         \
    }

TRANSPOSE(dvi_transpose_4_scalar, uint32_t, dvi_load_u32)
TRANSPOSE(dvi_transpose_8_scalar, uint64_t, dvi_load_u64)
