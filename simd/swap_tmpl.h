/* SPDX-License-Identifier: MIT */
/* swap_tmpl.h: reverses the bytes of numbers, in a loop that the compiler vectorizes. */
#ifndef DVI_SIMD_SWAP_TMPL_H
#define DVI_SIMD_SWAP_TMPL_H

#include "simd/dispatch.h"
#include "simd/map_tmpl.h"

#define DVI_SWAP(W, T, bits, here)                                                                 \
    static void loop_##W(void *restrict dst, const void *restrict src, size_t n)                   \
    {                                                                                              \
        const uint8_t *const p = src;                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            ((T *)dst)[i] = __builtin_bswap##bits(dvi_load_u##bits(p + W * i));                    \
    }                                                                                              \
    void dvi_swap_##W##_##here(T *restrict dst, const void *restrict src, size_t n)                \
    {                                                                                              \
        static const dvi_map_level level = {loop_##W, NULL, W, W};                                 \
        dvi_map(&level, dst, src, n);                                                              \
    }
#define DVI_SWAPS(here)                                                                            \
    DVI_SWAP(2, uint16_t, 16, here)                                                                \
    DVI_SWAP(4, uint32_t, 32, here)                                                                \
    DVI_SWAP(8, uint64_t, 64, here)

#endif
