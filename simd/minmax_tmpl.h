/* SPDX-License-Identifier: MIT */
/* minmax_tmpl.h: finds the least and the greatest value, for the vector levels.
 *
 * The least of signed integers is found among the values minus one, where NA is the greatest.  A
 * comparison with NaN is false, and keeps the previous value.  -0 and +0 compare equal, so where a
 * result is a zero, the values are read again, to find which of them occur.
 *
 * A level defines, before it includes this file:
 *
 *   vec                a vector of VEC_NBYTES
 *   vec_load(p)  vec_store(void *, v)  vec_set(uint64_t)  vec_or
 *   vec_dec_N          fields of N bits minus one
 *   vec_equal_N        all bits set in fields that are equal
 *   vec_min_TYPE(v, w), vec_max_TYPE(v, w)
 *                      for fields of a type; for reals: w unless v is below or above it
 */
#ifndef DVI_SIMD_MINMAX_TMPL_H
#define DVI_SIMD_MINMAX_TMPL_H

#include "simd/reduce.h"

/* Repeat a value in every field of 64 bits. */
#define DVI_SPLAT(bits, x) ((uint64_t)(uint##bits##_t)(x) * (UINT64_MAX / UINT##bits##_MAX))

static inline vec dvi_same_field(vec v)
{
    return v;
}

/* Scalar reads the values after the last vector.  first: maps a vector to the values among which
 * the least is found; back: maps the least back. */
#define DVI_DEFINE_MINMAX_WHOLE(type, level, T, bits, none_least, none_greatest, first, back)      \
    void dvi_minmax_##type##_##level(const void *src, size_t n, T ends_out[2])                     \
    {                                                                                              \
        enum { PER = VEC_NBYTES / sizeof(T) };                                                     \
        const uint8_t *p = src;                                                                    \
        const size_t whole = n / PER * PER;                                                        \
        vec least = vec_set(DVI_SPLAT(bits, none_least));                                          \
        vec greatest = vec_set(DVI_SPLAT(bits, none_greatest));                                    \
        for (size_t i = 0; i < whole; i += PER) {                                                  \
            const vec v = vec_load(p + sizeof(T) * i);                                             \
            least = vec_min_##type(first(v), least);                                               \
            greatest = vec_max_##type(v, greatest);                                                \
        }                                                                                          \
        T least_of[PER], greatest_of[PER];                                                         \
        vec_store(least_of, least);                                                                \
        vec_store(greatest_of, greatest);                                                          \
        dvi_minmax_##type##_scalar(p + sizeof(T) * whole, n - whole, ends_out);                    \
        for (size_t k = 0; k < PER; k++) {                                                         \
            const T low = back(least_of[k], none_least), high = greatest_of[k];                    \
            ends_out[0] = low < ends_out[0] ? low : ends_out[0];                                   \
            ends_out[1] = high > ends_out[1] ? high : ends_out[1];                                 \
        }                                                                                          \
    }
#define DVI_BACK_SAME(x, none) (x)
#define DVI_BACK_INC(x, none) (x == none ? x : (__typeof__(x))(x + 1))

static inline bool dvi_has_bits(vec v)
{
    uint64_t word[VEC_NBYTES / 8], all = 0;
    vec_store(word, v);
    for (size_t k = 0; k < VEC_NBYTES / 8; k++)
        all |= word[k];
    return all != 0;
}

/* A comparison waits for the one before it, so that several chains of them are as fast as memory.
 */
#define DVI_MINMAX_CHAINS 4
#define DVI_MINMAX_PART 2048 /* values: a part stays in the cache */

/* A zero result is replaced by one that occurs: -0 as the least if there is one, +0 as the greatest
 * if there is one. They are looked for in parts after which a result is zero. */
#define DVI_DEFINE_MINMAX_REAL(type, level, T, bits, infinity)                                     \
    /* Is a field of v a zero, and does a part of n values, whole vectors, have these bits? */     \
    static bool has_##type(vec v, const uint8_t *p, size_t n, uint64_t value)                      \
    {                                                                                              \
        const uint64_t sign = UINT64_C(1) << (bits - 1);                                           \
        const vec want = vec_set(DVI_SPLAT(bits, value)), zero = vec_set(0);                       \
        const vec minus = vec_set(DVI_SPLAT(bits, sign));                                          \
        vec found = zero;                                                                          \
        if (!dvi_has_bits(vec_or(vec_equal_##bits(v, zero), vec_equal_##bits(v, minus))))          \
            return false;                                                                          \
        for (size_t i = 0; i < n; i += VEC_NBYTES / sizeof(T))                                     \
            found = vec_or(found, vec_equal_##bits(vec_load(p + sizeof(T) * i), want));            \
        return dvi_has_bits(found);                                                                \
    }                                                                                              \
    void dvi_minmax_##type##_##level(const void *src, size_t n, T ends_out[2])                     \
    {                                                                                              \
        enum { PER = VEC_NBYTES / sizeof(T), CHAINS = DVI_MINMAX_CHAINS };                         \
        const uint64_t sign = UINT64_C(1) << (bits - 1);                                           \
        const uint8_t *p = src;                                                                    \
        const size_t whole = n / PER * PER;                                                        \
        vec low = vec_set(DVI_SPLAT(bits, infinity));                                              \
        vec high = vec_set(DVI_SPLAT(bits, infinity | sign));                                      \
        bool has_minus = false, has_plus = false;                                                  \
        for (size_t i = 0, end; i < whole; i = end) {                                              \
            vec least[CHAINS], greatest[CHAINS];                                                   \
            size_t k = i;                                                                          \
            end = whole - i < DVI_MINMAX_PART ? whole : i + DVI_MINMAX_PART;                       \
            for (size_t c = 0; c < CHAINS; c++) {                                                  \
                least[c] = low;                                                                    \
                greatest[c] = high;                                                                \
            }                                                                                      \
            for (; k + CHAINS * PER <= end; k += CHAINS * PER)                                     \
                for (size_t c = 0; c < CHAINS; c++) {                                              \
                    const vec v = vec_load(p + sizeof(T) * (k + c * PER));                         \
                    least[c] = vec_min_##type(v, least[c]);                                        \
                    greatest[c] = vec_max_##type(v, greatest[c]);                                  \
                }                                                                                  \
            for (; k < end; k += PER) {                                                            \
                const vec v = vec_load(p + sizeof(T) * k);                                         \
                least[0] = vec_min_##type(v, least[0]);                                            \
                greatest[0] = vec_max_##type(v, greatest[0]);                                      \
            }                                                                                      \
            for (size_t c = 0; c < CHAINS; c++) {                                                  \
                low = vec_min_##type(least[c], low);                                               \
                high = vec_max_##type(greatest[c], high);                                          \
            }                                                                                      \
            has_minus = has_minus || has_##type(low, p + sizeof(T) * i, end - i, sign);            \
            has_plus = has_plus || has_##type(high, p + sizeof(T) * i, end - i, 0);                \
        }                                                                                          \
        T least_of[PER], greatest_of[PER];                                                         \
        vec_store(least_of, low);                                                                  \
        vec_store(greatest_of, high);                                                              \
        dvi_minmax_##type##_scalar(p + sizeof(T) * whole, n - whole, ends_out);                    \
        for (size_t k = 0; k < PER; k++) {                                                         \
            const T least = least_of[k] == 0 ? has_minus ? (T)-0.0 : 0 : least_of[k];              \
            const T greatest = greatest_of[k] == 0 ? has_plus ? 0 : (T)-0.0 : greatest_of[k];      \
            ends_out[0] = dvi_is_below(least, ends_out[0]) ? least : ends_out[0];                  \
            ends_out[1] = dvi_is_below(ends_out[1], greatest) ? greatest : ends_out[1];            \
        }                                                                                          \
    }

#define DVI_DEFINE_MINMAX_SIGNED(type, level, bits)                                                \
    DVI_DEFINE_MINMAX_WHOLE(type, level, int##bits##_t, bits, INT##bits##_MAX, INT##bits##_MIN,    \
                            vec_dec_##bits, DVI_BACK_INC)
#define DVI_DEFINE_MINMAX_UNSIGNED(type, level, bits)                                              \
    DVI_DEFINE_MINMAX_WHOLE(type, level, uint##bits##_t, bits, UINT##bits##_MAX, 0,                \
                            dvi_same_field, DVI_BACK_SAME)

#define DVI_DEFINE_MINMAXES(level)                                                                 \
    DVI_DEFINE_MINMAX_SIGNED(i1, level, 8)                                                         \
    DVI_DEFINE_MINMAX_SIGNED(i2, level, 16)                                                        \
    DVI_DEFINE_MINMAX_SIGNED(i4, level, 32)                                                        \
    DVI_DEFINE_MINMAX_SIGNED(i8, level, 64)                                                        \
    DVI_DEFINE_MINMAX_UNSIGNED(u1, level, 8)                                                       \
    DVI_DEFINE_MINMAX_UNSIGNED(u2, level, 16)                                                      \
    DVI_DEFINE_MINMAX_UNSIGNED(u4, level, 32)                                                      \
    DVI_DEFINE_MINMAX_UNSIGNED(u8, level, 64)                                                      \
    DVI_DEFINE_MINMAX_REAL(r4, level, float, 32, UINT64_C(0x7F800000))                             \
    DVI_DEFINE_MINMAX_REAL(r8, level, double, 64, UINT64_C(0x7FF0000000000000))

#endif
