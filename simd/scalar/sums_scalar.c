/* SPDX-License-Identifier: MIT */
/* sums_scalar.c: adds numbers or their squares, without NA. */
#include "simd/reduce.h"

/* term: the term of v, a value that is not NA */
#define DEFINE_WHOLE(op, type, T, is_na, term)                                                     \
    dvi_sum dvi_##op##_##type##_scalar(const void *src, size_t n)                                  \
    {                                                                                              \
        const uint8_t *p = src;                                                                    \
        dvi_i128 sum = 0;                                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            T v;                                                                                   \
            memcpy(&v, p + sizeof v * i, sizeof v);                                                \
            if (!(is_na))                                                                          \
                sum += term;                                                                       \
        }                                                                                          \
        return dvi_sum_of((dvi_u128)sum);                                                          \
    }
DEFINE_WHOLE(sum, i1, int8_t, v == INT8_MIN, v)
DEFINE_WHOLE(sum, i2, int16_t, v == INT16_MIN, v)
DEFINE_WHOLE(sum, i4, int32_t, v == INT32_MIN, v)
DEFINE_WHOLE(sum, i8, int64_t, v == INT64_MIN, v)
DEFINE_WHOLE(sum, u1, uint8_t, false, v)
DEFINE_WHOLE(sum, u2, uint16_t, false, v)
DEFINE_WHOLE(sum, u4, uint32_t, false, v)
DEFINE_WHOLE(sum, u8, uint64_t, false, v)
DEFINE_WHOLE(squares, i1, int8_t, v == INT8_MIN, v *v)
DEFINE_WHOLE(squares, i2, int16_t, v == INT16_MIN, v *v)
DEFINE_WHOLE(squares, i4, int32_t, v == INT32_MIN, (int64_t)v *v)
DEFINE_WHOLE(squares, u1, uint8_t, false, v *v)
DEFINE_WHOLE(squares, u2, uint16_t, false, (uint32_t)v *v)
DEFINE_WHOLE(squares, u4, uint32_t, false, (uint64_t)v *v)

/* A square has up to 128 bits. */
static void add_square(dvi_sum *sum, uint64_t v)
{
    const dvi_u128 low = dvi_sum_low(*sum), next = low + (dvi_u128)v * v;
    *sum = (dvi_sum){{(uint64_t)next, (uint64_t)(next >> 64), sum->word[2] + (next < low)}};
}

dvi_sum dvi_squares_i8_scalar(const void *src, size_t n)
{
    const uint8_t *p = src;
    dvi_sum sum = {{0}};
    for (size_t i = 0; i < n; i++) {
        const int64_t v = dvi_load_i64(p + 8 * i);
        if (v != INT64_MIN)
            add_square(&sum, (uint64_t)(v < 0 ? -v : v));
    }
    return sum;
}

dvi_sum dvi_squares_u8_scalar(const void *src, size_t n)
{
    const uint8_t *p = src;
    dvi_sum sum = {{0}};
    for (size_t i = 0; i < n; i++)
        add_square(&sum, dvi_load_u64(p + 8 * i));
    return sum;
}

#define DEFINE_REAL(op, type, load, width, term)                                                   \
    double dvi_##op##_##type##_scalar(const void *src, size_t n)                                   \
    {                                                                                              \
        const uint8_t *p = src;                                                                    \
        double lane[DVI_SUM_LANES] = {0};                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            const double v = (double)load(p + width * i);                                          \
            if (!isnan(v))                                                                         \
                lane[i % DVI_SUM_LANES] += term;                                                   \
        }                                                                                          \
        return dvi_sum_lanes(lane);                                                                \
    }
DEFINE_REAL(sum, r4, dvi_load_f4, 4, v)
DEFINE_REAL(sum, r8, dvi_load_f8, 8, v)
DEFINE_REAL(squares, r4, dvi_load_f4, 4, v *v)
DEFINE_REAL(squares, r8, dvi_load_f8, 8, v *v)
