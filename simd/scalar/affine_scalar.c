/* SPDX-License-Identifier: MIT */
/* affine_scalar.c: scales reals, and finds their bins. */
#include "base/load.h"
#include "simd/dispatch.h"

#define DEFINE_AFFINE(type, T, load)                                                               \
    void dvi_affine_##type##_scalar(T *restrict dst, const void *restrict src, size_t n,           \
                                    const T *offset, const T *scale, bool plus)                    \
    {                                                                                              \
        const T zero = plus ? 0 : (T)-0.0;                                                         \
        for (size_t i = 0; i < n; i++)                                                             \
            dst[i] = (load((const uint8_t *)src + i * sizeof(T)) - offset[i]) * scale[i] + zero;   \
    }
DEFINE_AFFINE(r4, float, dvi_load_f4)
DEFINE_AFFINE(r8, double, dvi_load_f8)

#define DEFINE_BINS(type, T, load)                                                                 \
    void dvi_bins_##type##_scalar(uint32_t *restrict dst, const void *restrict src, size_t n,      \
                                  const T *bounds, size_t bounds_n)                                \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            const T value = load((const uint8_t *)src + i * sizeof(T));                            \
            size_t first = 0;                                                                      \
            for (size_t left = bounds_n; left > 1; left -= left / 2)                               \
                first += bounds[first + left / 2 - 1] < value ? left / 2 : 0;                      \
            dst[i] = (uint32_t)first;                                                              \
        }                                                                                          \
    }
DEFINE_BINS(r4, float, dvi_load_f4)
DEFINE_BINS(r8, double, dvi_load_f8)
