/* SPDX-License-Identifier: MIT */
/* swap_scalar.c: reverses the bytes of numbers. */
#include "base/load.h"
#include "simd/dispatch.h"

#define DEFINE_SWAP(W, T, bits)                                                                    \
    void dvi_swap_##W##_scalar(T *restrict dst, const void *restrict src, size_t n)                \
    {                                                                                              \
        const uint8_t *p = src;                                                                    \
        for (size_t i = 0; i < n; i++)                                                             \
            dst[i] = __builtin_bswap##bits(dvi_load_u##bits(p + W * i));                           \
    }
DEFINE_SWAP(2, uint16_t, 16)
DEFINE_SWAP(4, uint32_t, 32)
DEFINE_SWAP(8, uint64_t, 64)
