/* SPDX-License-Identifier: MIT */
/* affine_tmpl.h: scales reals, in a loop that the compiler vectorizes. */
#ifndef DVI_SIMD_AFFINE_TMPL_H
#define DVI_SIMD_AFFINE_TMPL_H

#include "base/load.h"
#include "simd/dispatch.h"

#define DVI_AFFINE(type, T, load, level)                                                           \
    void dvi_affine_##type##_##level(T *restrict dst, const void *restrict src, size_t n,          \
                                     const T *offset, const T *scale, bool plus)                   \
    {                                                                                              \
        const uint8_t *const p = src;                                                              \
        const T zero = plus ? 0 : (T)-0.0;                                                         \
        for (size_t i = 0; i < n; i++)                                                             \
            dst[i] = (load(p + i * sizeof(T)) - offset[i]) * scale[i] + zero;                      \
    }

#define DVI_AFFINES(level)                                                                         \
    DVI_AFFINE(r4, float, dvi_load_f4, level)                                                      \
    DVI_AFFINE(r8, double, dvi_load_f8, level)

#endif
