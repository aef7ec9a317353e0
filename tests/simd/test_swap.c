/* SPDX-License-Identifier: MIT */
/* test_swap.c: checks the reversal of bytes at every level, and the contract of scalar. */
#include "simd/dispatch.h"
#include "support/test.h"
#include <string.h>

static const char forward[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-";

#define LEVELS(k)                                                                                  \
    for (int level = 0; level < DV_LEVELS; level++)                                                \
        for (const dvi_kernel_table *k = dvi_kernels_at((dv_level)level); k; k = NULL)

#define EXPECT_SWAPPED(W, T)                                                                       \
    Test(swap, of_##W##_bytes)                                                                     \
    {                                                                                              \
        LEVELS(k)                                                                                  \
        {                                                                                          \
            T dst[64 / W];                                                                         \
            k->swap_##W(dst, forward, 64 / W);                                                     \
            for (size_t i = 0; i < 64; i++)                                                        \
                cr_expect_eq(((const char *)dst)[i], forward[i / W * W + W - 1 - i % W]);          \
        }                                                                                          \
    }
EXPECT_SWAPPED(2, uint16_t)
EXPECT_SWAPPED(4, uint32_t)
EXPECT_SWAPPED(8, uint64_t)
