/* SPDX-License-Identifier: MIT */
/* sums_tmpl.h: adds numbers or their squares, for the vector levels.
 *
 * Integers are added in 64-bit lanes, in one or two halves of 32 bits, so that lanes do not
 * overflow; after some vectors the lanes are added to a sum of 128 bits.  Signed integers become
 * unsigned first: for sums, NA becomes 0 and the sign bit is flipped, which adds 2^(bits - 1) to
 * each; for squares, NA becomes 0 and the absolute value is taken.
 *
 * Reals are added in 16 lanes, as at level scalar.  NA becomes +0, which changes no lane: a lane
 * starts with +0, and is never -0.
 *
 * A level defines, before it includes this file:
 *
 *   vec              a vector of 64-bit lanes, of VEC_NBYTES
 *   vec_load(p)  vec_store(uint64_t *, v)  vec_set(uint64_t)  vec_and  vec_xor  vec_add (of lanes)
 *   vec_shift(v, k)  shifts lanes to the right
 *   vec_square_pairs for fields of 32 bits: the sum of the squares of both halves, below 2^15
 *   vec_mul_32       for fields of 32 bits: the low 32 bits of the product
 *   vec_mul_64       the full product of the low halves of the lanes
 *   vec_sum_bytes    the sum of the bytes of each lane
 *   vec_clean_N      for signed fields of N bits: 0 in place of NA
 *   vec_size_N       as vec_clean_N, then the absolute value
 *   real             a vector of REAL_LANES doubles
 *   real_zero  real_add  real_mul  real_store(double *, r)
 *   real_load_r4, _r8  loads REAL_LANES reals, +0 in place of NA
 */
#ifndef DVI_SIMD_SUMS_TMPL_H
#define DVI_SIMD_SUMS_TMPL_H

#include "simd/reduce.h"

#define DVI_LOW_8 UINT64_C(0x00FF00FF00FF00FF)
#define DVI_LOW_16 UINT64_C(0x0000FFFF0000FFFF)
#define DVI_LOW_32 UINT64_C(0x00000000FFFFFFFF)

#define DVI_SUM_STEP ((size_t)1 << 16) /* values, a multiple of those of a vector */
#define DVI_VEC_LANES (VEC_NBYTES / 8)
#define DVI_REALS (DVI_SUM_LANES / REAL_LANES)

/* A sum of up to DVI_SUM_STEP values: low + high * 2^32. */
typedef struct dvi_accumulator {
    vec low, high;
} dvi_accumulator;

/* Return, for each field of twice `bits` bits, the sum of its halves. */
static inline vec dvi_halves(vec v, uint64_t low, int bits)
{
    const vec mask = vec_set(low);
    return vec_add(vec_and(v, mask), vec_and(vec_shift(v, bits), mask));
}

/* --- Adding a vector of unsigned values ------------------------------------------------------- */

static inline void dvi_add_8(dvi_accumulator *a, vec v)
{
    a->low = vec_add(a->low, vec_sum_bytes(v));
}

static inline void dvi_add_16(dvi_accumulator *a, vec v)
{
    a->low = vec_add(a->low, dvi_halves(dvi_halves(v, DVI_LOW_16, 16), DVI_LOW_32, 32));
}

static inline void dvi_add_32(dvi_accumulator *a, vec v)
{
    a->low = vec_add(a->low, dvi_halves(v, DVI_LOW_32, 32));
}

static inline void dvi_add_64(dvi_accumulator *a, vec v)
{
    a->low = vec_add(a->low, vec_and(v, vec_set(DVI_LOW_32)));
    a->high = vec_add(a->high, vec_shift(v, 32));
}

/* --- Adding the squares of a vector ----------------------------------------------------------- */

static inline void dvi_square_8(dvi_accumulator *a, vec v)
{
    const vec mask = vec_set(DVI_LOW_8);
    const vec even = vec_and(v, mask), odd = vec_and(vec_shift(v, 8), mask);
    dvi_add_32(a, vec_add(vec_square_pairs(even), vec_square_pairs(odd)));
}

static inline void dvi_square_15(dvi_accumulator *a, vec v)
{
    dvi_add_32(a, vec_square_pairs(v));
}

static inline void dvi_square_16(dvi_accumulator *a, vec v)
{
    const vec mask = vec_set(DVI_LOW_16);
    const vec even = vec_and(v, mask), odd = vec_and(vec_shift(v, 16), mask);
    dvi_add_32(a, vec_mul_32(even, even));
    dvi_add_32(a, vec_mul_32(odd, odd));
}

static inline void dvi_square_32(dvi_accumulator *a, vec v)
{
    const vec odd = vec_shift(v, 32);
    dvi_add_64(a, vec_mul_64(v, v));
    dvi_add_64(a, vec_mul_64(odd, odd));
}

/* --- Making values unsigned ------------------------------------------------------------------- */

static inline vec dvi_same(vec v)
{
    return v;
}

static inline vec dvi_lift_8(vec v)
{
    return vec_xor(vec_clean_8(v), vec_set(UINT64_C(0x8080808080808080)));
}

static inline vec dvi_lift_16(vec v)
{
    return vec_xor(vec_clean_16(v), vec_set(UINT64_C(0x8000800080008000)));
}

static inline vec dvi_lift_32(vec v)
{
    return vec_xor(vec_clean_32(v), vec_set(UINT64_C(0x8000000080000000)));
}

static inline vec dvi_lift_64(vec v)
{
    return vec_xor(vec_clean_64(v), vec_set(UINT64_C(0x8000000000000000)));
}

/* --- Kernels ---------------------------------------------------------------------------------- */

static inline dvi_u128 dvi_accumulator_total(const dvi_accumulator *a)
{
    uint64_t low[DVI_VEC_LANES], high[DVI_VEC_LANES];
    dvi_u128 total = 0;
    vec_store(low, a->low);
    vec_store(high, a->high);
    for (size_t k = 0; k < DVI_VEC_LANES; k++)
        total += low[k] + ((dvi_u128)high[k] << 32);
    return total;
}

/* Scalar adds the values after the last vector.  lift: the amount that first() adds to a value. */
#define DVI_DEFINE_WHOLE(op, type, level, width, first, step, lift)                                \
    dvi_sum dvi_##op##_##type##_##level(const void *src, size_t n)                                 \
    {                                                                                              \
        const size_t per = VEC_NBYTES / width, whole = n / per * per;                              \
        const uint8_t *p = src;                                                                    \
        dvi_u128 sum = 0;                                                                          \
        for (size_t i = 0; i < whole;) {                                                           \
            const size_t stop = whole - i < DVI_SUM_STEP ? whole : i + DVI_SUM_STEP;               \
            dvi_accumulator a = {vec_set(0), vec_set(0)};                                          \
            for (; i < stop; i += per)                                                             \
                step(&a, first(vec_load(p + width * i)));                                          \
            sum += dvi_accumulator_total(&a);                                                      \
        }                                                                                          \
        sum -= (dvi_u128)whole * (lift);                                                           \
        const dvi_sum rest = dvi_##op##_##type##_scalar(p + width * whole, n - whole);             \
        return dvi_sum_of(sum + dvi_sum_low(rest));                                                \
    }

/* real_term: the term of r, a vector of reals; term: that of v, one real */
#define DVI_DEFINE_REAL(op, type, level, load, width, real_term, term)                             \
    double dvi_##op##_##type##_##level(const void *src, size_t n)                                  \
    {                                                                                              \
        const uint8_t *p = src;                                                                    \
        double lane[DVI_SUM_LANES];                                                                \
        real sums[DVI_REALS];                                                                      \
        size_t i = 0;                                                                              \
        for (size_t k = 0; k < DVI_REALS; k++)                                                     \
            sums[k] = real_zero();                                                                 \
        for (; n - i >= DVI_SUM_LANES; i += DVI_SUM_LANES)                                         \
            for (size_t k = 0; k < DVI_REALS; k++) {                                               \
                const real r = real_load_##type(p + width * (i + REAL_LANES * k));                 \
                sums[k] = real_add(sums[k], real_term);                                            \
            }                                                                                      \
        for (size_t k = 0; k < DVI_REALS; k++)                                                     \
            real_store(lane + REAL_LANES * k, sums[k]);                                            \
        for (; i < n; i++) {                                                                       \
            const double v = (double)load(p + width * i);                                          \
            lane[i % DVI_SUM_LANES] += isnan(v) ? 0 : term;                                        \
        }                                                                                          \
        return dvi_sum_lanes(lane);                                                                \
    }

#define DVI_DEFINE_SUMS(level)                                                                     \
    DVI_DEFINE_WHOLE(sum, i1, level, 1, dvi_lift_8, dvi_add_8, UINT64_C(1) << 7)                   \
    DVI_DEFINE_WHOLE(sum, i2, level, 2, dvi_lift_16, dvi_add_16, UINT64_C(1) << 15)                \
    DVI_DEFINE_WHOLE(sum, i4, level, 4, dvi_lift_32, dvi_add_32, UINT64_C(1) << 31)                \
    DVI_DEFINE_WHOLE(sum, i8, level, 8, dvi_lift_64, dvi_add_64, UINT64_C(1) << 63)                \
    DVI_DEFINE_WHOLE(sum, u1, level, 1, dvi_same, dvi_add_8, 0)                                    \
    DVI_DEFINE_WHOLE(sum, u2, level, 2, dvi_same, dvi_add_16, 0)                                   \
    DVI_DEFINE_WHOLE(sum, u4, level, 4, dvi_same, dvi_add_32, 0)                                   \
    DVI_DEFINE_WHOLE(sum, u8, level, 8, dvi_same, dvi_add_64, 0)                                   \
    DVI_DEFINE_WHOLE(squares, i1, level, 1, vec_size_8, dvi_square_8, 0)                           \
    DVI_DEFINE_WHOLE(squares, i2, level, 2, vec_size_16, dvi_square_15, 0)                         \
    DVI_DEFINE_WHOLE(squares, i4, level, 4, vec_size_32, dvi_square_32, 0)                         \
    DVI_DEFINE_WHOLE(squares, u1, level, 1, dvi_same, dvi_square_8, 0)                             \
    DVI_DEFINE_WHOLE(squares, u2, level, 2, dvi_same, dvi_square_16, 0)                            \
    DVI_DEFINE_WHOLE(squares, u4, level, 4, dvi_same, dvi_square_32, 0)                            \
    DVI_DEFINE_REAL(sum, r4, level, dvi_load_f4, 4, r, v)                                          \
    DVI_DEFINE_REAL(sum, r8, level, dvi_load_f8, 8, r, v)                                          \
    DVI_DEFINE_REAL(squares, r4, level, dvi_load_f4, 4, real_mul(r, r), v *v)                      \
    DVI_DEFINE_REAL(squares, r8, level, dvi_load_f8, 8, real_mul(r, r), v *v)

#endif
