/* SPDX-License-Identifier: MIT */
/* convert_scalar.c: converts numbers of one type to another. */
#include "simd/ranges.h"

static int64_t fit_signed(int64_t v, int64_t na, int64_t least, int64_t most)
{
    return v == na || v < least || v > most ? least : v;
}

static uint64_t fit_unsigned(uint64_t v, uint64_t most)
{
    return v > most ? 0 : v;
}

/* The rules of kernel.h. */
#define FIT_I(v, from, to) (DVI_ITEM_##to) fit_signed(v, LEAST_##from, LEAST_##to, MOST_##to)
#define FIT_U(v, from, to) (DVI_ITEM_##to) fit_unsigned(v, MOST_##to)
#define FIT_UG(v, from, to) (DVI_ITEM_##to)(v.hi ? 0 : fit_unsigned(v.lo, MOST_##to))
#define LOW(v, from, to) ((DVI_ITEM_##to){.lo = v})
#define REAL_I(v, from, to) (v == LEAST_##from ? na_##to() : (DVI_ITEM_##to)v)
#define LONG_I REAL_I
#define REAL_U(v, from, to) (DVI_ITEM_##to) v
#define REAL(v, from, to) (v != v ? na_##to() : (DVI_ITEM_##to)v)
#define NONZERO_I(v, from, to) (DVI_ITEM_##to)(v == LEAST_##from ? DV_BL_NA : v != 0)
#define NONZERO(v, from, to) (v != 0)
#define BOOL_I(v, from, to) (v == 0 || v == 1 ? v : LEAST_##to)
#define BOOL(v, from, to) (v == 0 || v == 1 ? v : na_##to())
#define TICKS(v, from, to) (v < 0 || v > DV_TICKS_MAX ? DV_TICKS_NA : v)

#define CONVERT(X, level, from, to, rule)                                                          \
    void dvi_convert_##from##_##to##_##level(DVI_ITEM_##to *restrict dst,                          \
                                             const void *restrict src, size_t n)                   \
    {                                                                                              \
        const uint8_t *p = src;                                                                    \
        for (size_t i = 0; i < n; i++) {                                                           \
            DVI_ITEM_##from v;                                                                     \
            memcpy(&v, p + i * sizeof v, sizeof v);                                                \
            dst[i] = rule(v, from, to);                                                            \
        }                                                                                          \
    }
DVI_CONVERSION_LIST(CONVERT, _, scalar)
