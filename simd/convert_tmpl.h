/* SPDX-License-Identifier: MIT */
/* convert_tmpl.h: converts numbers between types, for the vector levels.
 *
 * The compiler vectorizes the loops: each rule of kernel.h is an expression without a branch, in
 * the narrowest numbers possible.  For items that become wider its code is slow where data crosses
 * lanes, so a level may define vectors for DVI_WIDENING_LIST. */
#ifndef DVI_SIMD_CONVERT_TMPL_H
#define DVI_SIMD_CONVERT_TMPL_H

#include "simd/map_tmpl.h"
#include "simd/ranges.h"

/* --- 64-bit integers as reals, for levels without an instruction for it ----------------------- */

static inline double dvi_f8_of_bits(uint64_t bits)
{
    return dvi_load_f8(&bits);
}

/* Each half becomes the fraction of a double whose last bit has the value 2^32 or 1.  The offsets
 * are subtracted exactly, so only the sum is rounded. */
static inline double dvi_f8_of_u8(uint64_t v)
{
    const double high = dvi_f8_of_bits(v >> 32 | UINT64_C(0x4530000000000000));         /* 2^84 */
    const double low = dvi_f8_of_bits((v & UINT32_MAX) | UINT64_C(0x4330000000000000)); /* 2^52 */
    return (high - 0x1.00000001p84) + low;
}

/* As above, on v - INT64_MIN: the sign bit is inverted, and the offset includes the difference. */
static inline double dvi_f8_of_i8(int64_t v)
{
    const uint64_t u = (uint64_t)v;
    const double high = dvi_f8_of_bits(u >> 32 ^ UINT64_C(0x4530000080000000));
    const double low = dvi_f8_of_bits((u & UINT32_MAX) | UINT64_C(0x4330000000000000));
    return (high - 0x1.00000801p84) + low;
}

/* Return a number that a double holds exactly and that rounds to the same float.  In a number above
 * 2^53 the lowest eleven bits matter only if they are all 0 or not: if not, the next bit is set
 * instead (rounding to odd). */
static inline uint64_t dvi_odd_u8(uint64_t v)
{
    const uint64_t odd = (v | ((v & 0x7FF) + 0x7FF)) & ~UINT64_C(0x7FF);
    return v >> 53 ? odd : v;
}

static inline int64_t dvi_odd_i8(int64_t v)
{
    const int64_t odd = (v | ((v & 0x7FF) + 0x7FF)) & ~INT64_C(0x7FF);
    return ((uint64_t)v + (UINT64_C(1) << 53)) >> 54 ? odd : v;
}

/* --- Numbers as reals; a level defines those of integers of 8 bytes --------------------------- */

#define f4_of_i1(v) ((float)(v))
#define f4_of_i2(v) ((float)(v))
#define f4_of_i4(v) ((float)(v))
#define f4_of_u1(v) ((float)(v))
#define f4_of_u2(v) ((float)(v))
#define f4_of_u4(v) ((float)(v))
#define f4_of_f8(v) ((float)(v))
#define f4_of_bl(v) ((float)(v))
#define f8_of_i1(v) ((double)(v))
#define f8_of_i2(v) ((double)(v))
#define f8_of_i4(v) ((double)(v))
#define f8_of_u1(v) ((double)(v))
#define f8_of_u2(v) ((double)(v))
#define f8_of_u4(v) ((double)(v))
#define f8_of_f4(v) ((double)(v))
#define f8_of_bl(v) ((double)(v))

/* --- The rules: d from v ---------------------------------------------------------------------- */

/* Functions, so that the compiler does not warn of comparisons that are always true. */
static inline bool dvi_is_in(int64_t v, int64_t least, int64_t most)
{
    return v >= least && v <= most;
}

static inline bool dvi_is_up_to(uint64_t v, uint64_t most)
{
    return v <= most;
}

/* Return a if `holds`, else b.  Chosen as bits: for a choice between reals by an integer, compilers
 * emit branches. */
static inline float dvi_f4_if(bool holds, float a, float b)
{
    const uint32_t all = 0 - (uint32_t)holds,
                   bits = (dvi_load_u32(&a) & all) | (dvi_load_u32(&b) & ~all);
    return dvi_load_f4(&bits);
}

static inline double dvi_f8_if(bool holds, double a, double b)
{
    const uint64_t all = 0 - (uint64_t)holds,
                   bits = (dvi_load_u64(&a) & all) | (dvi_load_u64(&b) & ~all);
    return dvi_f8_of_bits(bits);
}

/* Convert i8 to f4 by way of a double.  NA is set in the double, whose lanes are as wide as those
 * of the comparison; its bits include all those of -2^63. */
static inline float dvi_f4_or_na(int64_t v, double real)
{
    const double na = na_f8();
    const uint64_t all = 0 - (uint64_t)(v == LEAST_i8);
    return (float)dvi_f8_of_bits(dvi_load_u64(&real) | (dvi_load_u64(&na) & all));
}

#define FIT_I(d, v, from, to)                                                                      \
    d = v != LEAST_##from && dvi_is_in(v, LEAST_##to, MOST_##to) ? (DVI_ITEM_##to)v : LEAST_##to
#define FIT_U(d, v, from, to) d = dvi_is_up_to(v, MOST_##to) ? (DVI_ITEM_##to)v : 0
#define FIT_UG(d, v, from, to)                                                                     \
    d = ((v.hi == 0) & dvi_is_up_to(v.lo, MOST_##to)) ? (DVI_ITEM_##to)v.lo : 0
#define LOW(d, v, from, to) d.lo = v, d.hi = 0
#define REAL_I(d, v, from, to) d = dvi_##to##_if(v == LEAST_##from, na_##to(), to##_of_##from(v))
#define LONG_I(d, v, from, to) d = to##_or_na_of_##from(v)
#define REAL_U(d, v, from, to) d = to##_of_##from(v)
#define REAL(d, v, from, to)                                                                       \
    const DVI_ITEM_##to real = to##_of_##from(v);                                                  \
    d = real != real ? na_##to() : real
#define NONZERO_I(d, v, from, to) d = (DVI_ITEM_##to)(v == LEAST_##from ? DV_BL_NA : v != 0)
#define NONZERO(d, v, from, to) d = v != 0
#define BOOL_I(d, v, from, to) d = (uint8_t)v <= 1 ? v : LEAST_##to
#define BOOL(d, v, from, to)                                                                       \
    const DVI_ITEM_##to real = to##_of_##from(v);                                                  \
    d = real * real == real ? real : na_##to()
#define TICKS(d, v, from, to) d = (uint64_t)v > DV_TICKS_MAX ? DV_TICKS_NA : v

/* The rules of DVI_WIDENING_LIST on vectors of items written: v is the widened item. */
#define WIDEN_FIT_I(v, from, to)                                                                   \
    WHERE_##to(EQUAL_##to(v, ALL_##to(LEAST_##from)), ALL_##to(LEAST_##to), v)
#define WIDEN_FIT_U(v, from, to) (v)
#define WIDEN_REAL_I(v, from, to)                                                                  \
    WHERE_##to(EQUAL_##to(v, ALL_##to(LEAST_##from)), ALL_##to(na_##to()), v)
#define WIDEN_REAL_U(v, from, to) (v)
#define WIDEN_REAL(v, from, to) WHERE_##to(EQUAL_##to(v, v), v, ALL_##to(na_##to()))
#define WIDEN_BOOL_I(v, from, to)                                                                  \
    WHERE_##to(EQUAL_##to(v, AND_##to(v, ALL_##to(1))), v, ALL_##to(LEAST_##to))
#define WIDEN_BOOL(v, from, to) WHERE_##to(EQUAL_##to(v, TIMES_##to(v, v)), v, ALL_##to(na_##to()))

/* --- Kernels ---------------------------------------------------------------------------------- */

/* A kernel whose loop the compiler vectorizes. */
#define DVI_CONVERT(X, level, from, to, rule)                                                      \
    static void loop_##from##_##to(void *restrict dst, const void *restrict src, size_t n)         \
    {                                                                                              \
        DVI_ITEM_##to *const d = dst;                                                              \
        const uint8_t *const p = src;                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            DVI_ITEM_##from v;                                                                     \
            memcpy(&v, p + i * sizeof v, sizeof v);                                                \
            rule(d[i], v, from, to);                                                               \
        }                                                                                          \
    }                                                                                              \
    DVI_CONVERT_KERNEL(level, from, to, NULL)

/* A kernel whose vectors, of WIDEN_NBYTES, the level defines: READ_* reads and widens items, the
 * rules above use its operations, and WRITE_* and STREAM_* write the result. */
#define DVI_WIDEN(X, level, from, to, rule)                                                        \
    DVI_WIDEN_LOOP(loop_##from##_##to, WRITE_##to, from, to, rule)                                 \
    DVI_WIDEN_LOOP(stream_##from##_##to, STREAM_##to, from, to, rule)                              \
    DVI_CONVERT_KERNEL(level, from, to, stream_##from##_##to)

#define DVI_WIDEN_LOOP(name, write, from, to, rule)                                                \
    static void name(void *restrict dst, const void *restrict src, size_t n)                       \
    {                                                                                              \
        DVI_ITEM_##to *const d = dst;                                                              \
        const uint8_t *const p = src;                                                              \
        const size_t width = sizeof(DVI_ITEM_##from), step = WIDEN_NBYTES / sizeof *d;             \
        size_t i = 0;                                                                              \
        for (; n - i >= step; i += step) {                                                         \
            const VECTOR_##to v = READ_##from##_##to(p + i * width);                               \
            write((void *)(d + i), WIDEN_##rule(v, from, to));                                     \
        }                                                                                          \
        dvi_convert_##from##_##to##_scalar(d + i, p + i * width, n - i);                           \
    }

#define DVI_CONVERT_KERNEL(here, from, to, stream)                                                 \
    void dvi_convert_##from##_##to##_##here(DVI_ITEM_##to *restrict dst, const void *restrict src, \
                                            size_t n)                                              \
    {                                                                                              \
        static const dvi_map_level level = {loop_##from##_##to, stream, sizeof(DVI_ITEM_##to),     \
                                            sizeof(DVI_ITEM_##from)};                              \
        dvi_map(&level, dst, src, n);                                                              \
    }

#endif
