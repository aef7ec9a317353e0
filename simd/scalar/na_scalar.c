/* SPDX-License-Identifier: MIT */
/* na_scalar.c: finds, counts, marks and replaces NA. */
#include "simd/na.h"

#define DEFINE(W, T)                                                                               \
    static T load_##W(const void *src, size_t i)                                                   \
    {                                                                                              \
        T item;                                                                                    \
        memcpy(&item, (const uint8_t *)src + W * i, W);                                            \
        return item;                                                                               \
    }                                                                                              \
    size_t dvi_na_count_##W##_scalar(const void *src, size_t n, const dvi_na *na)                  \
    {                                                                                              \
        size_t count = 0;                                                                          \
        for (size_t i = 0; i < n; i++)                                                             \
            count += dvi_is_na_##W(load_##W(src, i), na);                                          \
        return count;                                                                              \
    }                                                                                              \
    size_t dvi_na_first_##W##_scalar(const void *src, size_t n, const dvi_na *na)                  \
    {                                                                                              \
        size_t i = 0;                                                                              \
        while (i < n && !dvi_is_na_##W(load_##W(src, i), na))                                      \
            i++;                                                                                   \
        return i;                                                                                  \
    }                                                                                              \
    size_t dvi_na_mask_##W##_scalar(uint8_t *restrict dst, const void *restrict src, size_t n,     \
                                    const dvi_na *na, int na_bit)                                  \
    {                                                                                              \
        size_t count = 0;                                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            const bool is_na = dvi_is_na_##W(load_##W(src, i), na);                                \
            const unsigned bit = (unsigned)(is_na == (na_bit != 0)) << i % 8;                      \
            dst[i / 8] = (uint8_t)(i % 8 == 0 ? bit : dst[i / 8] | bit);                           \
            count += is_na;                                                                        \
        }                                                                                          \
        return count;                                                                              \
    }                                                                                              \
    void dvi_na_replace_##W##_scalar(T *restrict dst, const void *restrict src, size_t n,          \
                                     const dvi_na *na, T value)                                    \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            const T item = load_##W(src, i);                                                       \
            dst[i] = dvi_is_na_##W(item, na) ? value : item;                                       \
        }                                                                                          \
    }
DVI_NA_WIDTHS(DEFINE)
