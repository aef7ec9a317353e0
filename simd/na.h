/* SPDX-License-Identifier: MIT */
/* na.h: the rule by which items of a type are NA, and a test of one item. */
#ifndef DVI_SIMD_NA_H
#define DVI_SIMD_NA_H

#include "base/load.h"
#include "simd/dispatch.h"

/* Return the rule for the values of a type, or for the items of a vector (semantics:1.1,
 * semantics:1.2), for the na kernels of their width; for TX and BY, the rule for their ends, of
 * width 4.  The rule of a kind without NA matches nothing.  So do the rules of DZ, whose NA depends
 * on two arrays, and of extensions.  Any thread. */
dvi_na dvi_na_of(const dv_type *type);

/* Return the index of the first NA among n items of 1, 2, 4 or 8 bytes; n: there is none.  Of items
 * of another width none is NA. */
size_t dvi_na_first(const dvi_na *na, const void *items, size_t width, size_t n);

/* Return the bits that are written for NA of a type, the lowest byte first; for DZ, those of its
 * ticks.  0: the type is a key, TX, or has no NA. */
uint64_t dvi_na_bits(const dv_type *type);

/* The widths of items, and the unsigned type of each width. */
#define DVI_NA_WIDTHS(X)                                                                           \
    X(1, uint8_t)                                                                                  \
    X(2, uint16_t)                                                                                 \
    X(4, uint32_t)                                                                                 \
    X(8, uint64_t)

#define DVI_NA_IS(W, T)                                                                            \
    static inline bool dvi_is_na_##W(T item, const dvi_na *na)                                     \
    {                                                                                              \
        return (T)((item & (T)na->mask) - (T)na->low) > (T)na->most;                               \
    }
DVI_NA_WIDTHS(DVI_NA_IS)

#endif
