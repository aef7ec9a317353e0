/* SPDX-License-Identifier: MIT */
/* minmax_scalar.c: finds the least and the greatest value, without NA. */
#include "simd/reduce.h"

#define DEFINE(type, T, none_least, none_greatest, is_na, is_below)                                \
    void dvi_minmax_##type##_scalar(const void *src, size_t n, T ends_out[2])                      \
    {                                                                                              \
        const uint8_t *p = src;                                                                    \
        T least = none_least, greatest = none_greatest;                                            \
        for (size_t i = 0; i < n; i++) {                                                           \
            T v;                                                                                   \
            memcpy(&v, p + sizeof v * i, sizeof v);                                                \
            if (is_na)                                                                             \
                continue;                                                                          \
            least = is_below(v, least) ? v : least;                                                \
            greatest = is_below(greatest, v) ? v : greatest;                                       \
        }                                                                                          \
        ends_out[0] = least;                                                                       \
        ends_out[1] = greatest;                                                                    \
    }
#define IS_BELOW(a, b) ((a) < (b))
DEFINE(i1, int8_t, INT8_MAX, INT8_MIN, v == INT8_MIN, IS_BELOW)
DEFINE(i2, int16_t, INT16_MAX, INT16_MIN, v == INT16_MIN, IS_BELOW)
DEFINE(i4, int32_t, INT32_MAX, INT32_MIN, v == INT32_MIN, IS_BELOW)
DEFINE(i8, int64_t, INT64_MAX, INT64_MIN, v == INT64_MIN, IS_BELOW)
DEFINE(u1, uint8_t, UINT8_MAX, 0, false, IS_BELOW)
DEFINE(u2, uint16_t, UINT16_MAX, 0, false, IS_BELOW)
DEFINE(u4, uint32_t, UINT32_MAX, 0, false, IS_BELOW)
DEFINE(u8, uint64_t, UINT64_MAX, 0, false, IS_BELOW)
DEFINE(r4, float, INFINITY, -INFINITY, isnan(v), dvi_is_below)
DEFINE(r8, double, INFINITY, -INFINITY, isnan(v), dvi_is_below)
