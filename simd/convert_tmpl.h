/* SPDX-License-Identifier: MIT */
/* convert_tmpl.h: what do the vector levels share that make numbers of others?
 *
 * Loops of which the compiler makes vectors: each rule of kernel.h as an expression without a jump,
 * in numbers no wider than need be.  What it makes of items that become wider is poor where lanes
 * have to be crossed, so a level may bring vectors for DVI_WIDENING_LIST. */
#ifndef DVI_SIMD_CONVERT_TMPL_H
#define DVI_SIMD_CONVERT_TMPL_H

#include "simd/map_tmpl.h"
#include "simd/ranges.h"

/* --- 64-bit integers as reals, where the level has no instruction for it ------------------------
 */

static inline double dvi_f8_of_bits(uint64_t bits)
{
    return dvi_load_f8(&bits);
}

/* Each half becomes the fraction of a double whose last bit counts 2^32 or 1.  What that adds is
 * subtracted exactly, so that only the sum is rounded. */
static inline double dvi_f8_of_u8(uint64_t v)
{
    const double high = dvi_f8_of_bits(v >> 32 | UINT64_C(0x4530000000000000));         /* 2^84 */
    const double low = dvi_f8_of_bits((v & UINT32_MAX) | UINT64_C(0x4330000000000000)); /* 2^52 */
    return (high - 0x1.00000001p84) + low;
}

/* The same above the least integer, which is subtracted, too: so the sign is turned round. */
static inline double dvi_f8_of_i8(int64_t v)
{
    const uint64_t u = (uint64_t)v;
    const double high = dvi_f8_of_bits(u >> 32 ^ UINT64_C(0x4530000080000000));
    const double low = dvi_f8_of_bits((u & UINT32_MAX) | UINT64_C(0x4330000000000000));
    return (high - 0x1.00000801p84) + low;
}

/* A number that a double holds, and that rounds to the same float.  Of what is too large for that
 * the lowest eleven bits tell no more than whether it is a multiple of their unit: an odd one of
 * the next bit stands for all that are not. */
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

/* --- Numbers as reals; those of 8 bytes are the level's own -------------------------------------
 */

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

/* --- The rules: value d out of v ----------------------------------------------------------------
 *
 * As functions these do not tempt the compiler to warn of what is always true. */
static inline bool dvi_is_in(int64_t v, int64_t least, int64_t most)
{
    return v >= least && v <= most;
}

static inline bool dvi_is_up_to(uint64_t v, uint64_t most)
{
    return v <= most;
}

/* a if it holds, else b.  Of reals that are chosen by integers compilers make jumps, not of bits.
 */
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

/* i8 to f4 by way of a double, which is where NA is put in: there its lanes are as wide as those
 * that tell of it.  It has all the bits of -2^63 and more. */
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
#define TRUTH_I(d, v, from, to) d = (DVI_ITEM_##to)(v == LEAST_##from ? DV_BL_NA : v != 0)
#define TRUTH(d, v, from, to) d = v != 0
#define SAID_I(d, v, from, to) d = (uint8_t)v <= 1 ? v : LEAST_##to
#define SAID(d, v, from, to)                                                                       \
    const DVI_ITEM_##to real = to##_of_##from(v);                                                  \
    d = real * real == real ? real : na_##to()
#define CLOCK(d, v, from, to) d = (uint64_t)v > DV_TICKS_MAX ? DV_TICKS_NA : v

/* Those of DVI_WIDENING_LIST, on vectors of what is written: the value of a number that was read.
 */
#define WIDEN_FIT_I(v, from, to)                                                                   \
    WHERE_##to(EQUAL_##to(v, ALL_##to(LEAST_##from)), ALL_##to(LEAST_##to), v)
#define WIDEN_FIT_U(v, from, to) (v)
#define WIDEN_REAL_I(v, from, to)                                                                  \
    WHERE_##to(EQUAL_##to(v, ALL_##to(LEAST_##from)), ALL_##to(na_##to()), v)
#define WIDEN_REAL_U(v, from, to) (v)
#define WIDEN_REAL(v, from, to) WHERE_##to(EQUAL_##to(v, v), v, ALL_##to(na_##to()))
#define WIDEN_SAID_I(v, from, to)                                                                  \
    WHERE_##to(EQUAL_##to(v, AND_##to(v, ALL_##to(1))), v, ALL_##to(LEAST_##to))
#define WIDEN_SAID(v, from, to) WHERE_##to(EQUAL_##to(v, TIMES_##to(v, v)), v, ALL_##to(na_##to()))

/* --- Kernels -----------------------------------------------------------------------------------
 */

/* A kernel whose loop the compiler makes. */
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

/* A kernel whose vectors the level brings, of WIDEN_NBYTES: how they are read as what shall be
 * written, what the rules above do with them, and how they are written or streamed. */
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
