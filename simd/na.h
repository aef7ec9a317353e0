/* SPDX-License-Identifier: MIT */
/* na.h: is this item NA?  What scalar, and the tails of the other levels, ask. */
#ifndef DVI_SIMD_NA_H
#define DVI_SIMD_NA_H

#include "base/load.h"
#include "simd/dispatch.h"

/* The widths of items, and the unsigned number of each. */
#define DVI_NA_WIDTHS(X)                                                                           \
    X(1, uint8_t)                                                                                  \
    X(2, uint16_t)                                                                                 \
    X(4, uint32_t)                                                                                 \
    X(8, uint64_t)

#define DVI_NA_IS(W, T)                                                                            \
    static inline bool dvi_is_na_##W(T item, const dv_na *na)                                      \
    {                                                                                              \
        return (T)((item & (T)na->mask) - (T)na->low) > (T)na->most;                               \
    }
DVI_NA_WIDTHS(DVI_NA_IS)

#endif
