/* SPDX-License-Identifier: MIT */
/* test_reduce.c: sums and extremes of known values are right, and scalar keeps the contract. */
#include "simd/kernel.h"
#include "support/test.h"
#include <math.h>
#include <string.h>

static const dvi_kernel_table *scalar(void)
{
    return dvi_kernels_at(DV_LEVEL_SCALAR);
}

static void expect_sum(dvi_sum sum, uint64_t low, uint64_t middle, uint64_t high)
{
    cr_expect_eq(sum.word[0], low, "%llx", (unsigned long long)sum.word[0]);
    cr_expect_eq(sum.word[1], middle, "%llx", (unsigned long long)sum.word[1]);
    cr_expect_eq(sum.word[2], high, "%llx", (unsigned long long)sum.word[2]);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

#define EXPECT_SUM(type, T, sum, squares, ...)                                                     \
    do {                                                                                           \
        const T v[] = {__VA_ARGS__};                                                               \
        const size_t n = sizeof v / sizeof *v;                                                     \
        const dvi_sum a = scalar()->sum_##type(v, n), b = scalar()->squares_##type(v, n);          \
        cr_expect_eq(dvi_sum_r8(&a), sum, "%g", dvi_sum_r8(&a));                                   \
        cr_expect_eq(dvi_sum_r8(&b), squares, "%g", dvi_sum_r8(&b));                               \
    } while (0)

/* --- Integers --------------------------------------------------------------------------------- */

Test(reduce, sums_of_integers_are_without_na)
{
    EXPECT_SUM(i1, int8_t, -123, 127 * 127 + 16, INT8_MIN, -127, 4);
    EXPECT_SUM(i2, int16_t, -32763, 32767.0 * 32767 + 16, INT16_MIN, -32767, 4);
    EXPECT_SUM(i4, int32_t, -2147483643, 2147483647.0 * 2147483647, INT32_MIN, 4, -INT32_MAX);
    EXPECT_SUM(i8, int64_t, -3, 5, INT64_MIN, -1, -2);
    EXPECT_SUM(u1, uint8_t, 259, 255 * 255 + 16, 255, 4);
    EXPECT_SUM(u2, uint16_t, 65539, 65535.0 * 65535 + 16, 65535, 4);
    EXPECT_SUM(u4, uint32_t, 4294967299.0, 4294967295.0 * 4294967295, UINT32_MAX, 4);
    EXPECT_SUM(u8, uint64_t, 18446744073709551616.0, 0x1p128, UINT64_MAX, 1);
}

Test(reduce, sums_of_nothing_are_zero)
{
    const int64_t na[] = {INT64_MIN, INT64_MIN};
    expect_sum(scalar()->sum_i8(na, 2), 0, 0, 0);
    expect_sum(scalar()->squares_i8(na, 2), 0, 0, 0);
    expect_sum(scalar()->sum_u1(NULL, 0), 0, 0, 0);
    cr_expect_eq(bits_of(scalar()->sum_r8(NULL, 0)), 0);
}

Test(reduce, sums_are_wide_enough)
{
    const uint64_t most[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const int64_t least[] = {-INT64_MAX, -INT64_MAX, -INT64_MAX};
    expect_sum(scalar()->sum_u8(most, 3), UINT64_MAX - 2, 2, 0);
    /* 3 (2^128 - 2^65 + 1) */
    expect_sum(scalar()->squares_u8(most, 3), 3, UINT64_MAX - 5, 2);
    /* -3 (2^63 - 1) */
    expect_sum(scalar()->sum_i8(least, 3), (UINT64_C(1) << 63) + 3, UINT64_MAX - 1, UINT64_MAX);
    /* 3 (2^126 - 2^64 + 1) */
    expect_sum(scalar()->squares_i8(least, 3), 3, (UINT64_C(3) << 62) - 3, 0);
}

static void expect_nearest(uint64_t high, uint64_t middle, uint64_t low, double want)
{
    dvi_sum sum = {{low, middle, high}};
    cr_expect_eq(bits_of(dvi_sum_r8(&sum)), bits_of(want), "%a, not %a", dvi_sum_r8(&sum), want);
    uint64_t carry = 1; /* for the negative sum */
    for (int i = 0; i < 3; i++) {
        sum.word[i] = ~sum.word[i] + carry;
        carry = carry && sum.word[i] == 0;
    }
    want = want == 0 ? 0 : -want;
    cr_expect_eq(bits_of(dvi_sum_r8(&sum)), bits_of(want), "%a, not %a", dvi_sum_r8(&sum), want);
}

Test(reduce, a_sum_becomes_the_nearest_double)
{
    expect_nearest(0, 0, 0, 0);
    expect_nearest(0, 0, 1, 1);
    expect_nearest(0, 0, UINT64_C(1) << 63, 0x1p63);
    expect_nearest(0, 1, 0, 0x1p64);
    expect_nearest(1, 0, 0, 0x1p128);
    expect_nearest(1, UINT64_C(1) << 63, 0, 0x1.8p128);
    /* 2^53 + 1 and 2^53 + 3 are halfway: ties to even */
    expect_nearest(0, 0, (UINT64_C(1) << 53) + 1, 0x1p53);
    expect_nearest(0, 0, (UINT64_C(1) << 53) + 3, 0x1.0000000000002p53);
    /* Any bit below the half breaks the tie. */
    expect_nearest(0, UINT64_C(1) << 53 | 1, 0, 0x1p117);
    expect_nearest(0, UINT64_C(1) << 53 | 1, 1, 0x1.0000000000001p117);
    expect_nearest(UINT64_C(1) << 53 | 1, 0, 0, 0x1p181);
    expect_nearest(UINT64_C(1) << 53 | 1, 0, 1, 0x1.0000000000001p181);
    expect_nearest(UINT64_C(1) << 53 | 1, 1, 0, 0x1.0000000000001p181);
    expect_nearest(1, UINT64_C(1) << 11, 0, 0x1p128);
    expect_nearest(1, UINT64_C(1) << 11, 1, 0x1.0000000000001p128);
    expect_nearest(0, UINT64_MAX, UINT64_MAX, 0x1p128);
}

/* --- Reals ------------------------------------------------------------------------------------ */

Test(reduce, reals_are_added_in_16_lanes_and_then_in_pairs)
{
    double v[40], lane[16] = {0};
    for (int i = 0; i < 40; i++) {
        v[i] = i % 7 == 3 ? NAN : ldexp(1 + i, i % 5 * 9 - 20) + 0.1;
        lane[i % 16] += i % 7 == 3 ? 0 : v[i];
    }
    const double a =
        ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    const double b = ((lane[8] + lane[9]) + (lane[10] + lane[11])) +
                     ((lane[12] + lane[13]) + (lane[14] + lane[15]));
    cr_expect_eq(bits_of(scalar()->sum_r8(v, 40)), bits_of(a + b));
}

Test(reduce, squares_of_floats_are_those_of_doubles)
{
    const float v[] = {1e30f, NAN, -3, 0x1.fffffep127f};
    const double most = 0x1.fffffep127;
    cr_expect_eq(scalar()->squares_r4(v, 3), (double)1e30f * (double)1e30f + 9);
    cr_expect_eq(scalar()->squares_r4(v + 3, 1), most * most);
    cr_expect_eq(scalar()->sum_r4(v, 3), (double)1e30f - 3);
}

Test(reduce, sums_of_infinities)
{
    const float both[] = {INFINITY, 1, -INFINITY, NAN};
    const double up[] = {INFINITY, 1, NAN};
    cr_expect_eq(bits_of(scalar()->sum_r4(both, 4)), DV_R8_NA_BITS);
    cr_expect_eq(scalar()->squares_r4(both, 4), INFINITY);
    cr_expect_eq(scalar()->sum_r8(up, 3), INFINITY);
}

Test(reduce, no_sum_is_minus_zero)
{
    const double zeros[] = {-0.0, NAN, -0.0};
    cr_expect_eq(bits_of(scalar()->sum_r8(zeros, 3)), 0);
}

/* --- The least and the greatest --------------------------------------------------------------- */

#define EXPECT_ENDS(type, T, low, high, ...)                                                       \
    do {                                                                                           \
        const T v[] = {__VA_ARGS__};                                                               \
        const T want[2] = {low, high};                                                             \
        T ends[2];                                                                                 \
        scalar()->minmax_##type(v, sizeof v / sizeof *v, ends);                                    \
        cr_expect_arr_eq(ends, want, sizeof want);                                                 \
    } while (0)

Test(reduce, ends_are_without_na)
{
    EXPECT_ENDS(i1, int8_t, -127, 127, 0, INT8_MIN, 127, -127);
    EXPECT_ENDS(i2, int16_t, -32767, 4, INT16_MIN, -32767, 4);
    EXPECT_ENDS(i4, int32_t, -5, -5, -5, INT32_MIN);
    EXPECT_ENDS(i8, int64_t, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MIN);
    EXPECT_ENDS(u1, uint8_t, 0x7F, 0x80, 0x80, 0x7F);
    EXPECT_ENDS(u2, uint16_t, 0, 0x8000, 0, 0x8000);
    EXPECT_ENDS(u4, uint32_t, 0, UINT32_MAX, 7, 0, UINT32_MAX);
    EXPECT_ENDS(u8, uint64_t, 7, UINT64_C(1) << 63, UINT64_C(1) << 63, 7);
    EXPECT_ENDS(r4, float, -INFINITY, 3, 3, NAN, -INFINITY, -NAN);
    EXPECT_ENDS(r8, double, -1e300, INFINITY, NAN, -1e300, INFINITY);
}

Test(reduce, ends_tell_zeros_apart)
{
    EXPECT_ENDS(r4, float, -0.0f, 0.0f, 0.0f, -0.0f);
    EXPECT_ENDS(r4, float, -0.0f, 0.0f, -0.0f, 0.0f);
    EXPECT_ENDS(r8, double, -0.0, -0.0, -0.0, NAN, -0.0);
    EXPECT_ENDS(r8, double, 0.0, 1.0, 0.0, 1.0);
    EXPECT_ENDS(r8, double, -1.0, -0.0, -0.0, -1.0);
}

#define EXPECT_SAME_ENDS(type, T, v, n)                                                            \
    for (int level = 0; level < DV_LEVELS; level++) {                                              \
        const dvi_kernel_table *k = dvi_kernels_at((dv_level)level);                               \
        T got[2], want[2];                                                                         \
        if (!k)                                                                                    \
            continue;                                                                              \
        k->minmax_##type(v, n, got);                                                               \
        scalar()->minmax_##type(v, n, want);                                                       \
        cr_expect_arr_eq(got, want, sizeof want, "%s", dv_level_name((dv_level)level));            \
    }

/* One zero of each sign among many values of one sign, which a kernel may read in parts. */
Test(reduce, ends_find_zeros_anywhere)
{
    enum { N = 5003 };
    static const size_t places[] = {0, 63, 2047, 2048, 4100, N - 5, N - 1};
    static float r4[N];
    static double r8[N];
    const size_t n = sizeof places / sizeof *places;
    for (size_t i = 0; i < n * n * 2; i++) {
        const double other = i % 2 ? 3 : -3;
        for (size_t k = 0; k < N; k++)
            r8[k] = other;
        r8[places[i / 2 % n]] = 0;
        r8[places[i / 2 / n]] = -0.0;
        for (size_t k = 0; k < N; k++)
            r4[k] = (float)r8[k];
        EXPECT_SAME_ENDS(r4, float, r4, N)
        EXPECT_SAME_ENDS(r8, double, r8, N)
    }
}

Test(reduce, ends_of_nothing_leave_those_of_others)
{
    EXPECT_ENDS(i1, int8_t, INT8_MAX, INT8_MIN, INT8_MIN, INT8_MIN);
    EXPECT_ENDS(i4, int32_t, INT32_MAX, INT32_MIN, INT32_MIN);
    EXPECT_ENDS(r4, float, INFINITY, -INFINITY, NAN, NAN);
    uint8_t u1[2];
    uint64_t u8[2];
    scalar()->minmax_u1(NULL, 0, u1);
    scalar()->minmax_u8(NULL, 0, u8);
    cr_expect(u1[0] == UINT8_MAX && u1[1] == 0);
    cr_expect(u8[0] == UINT64_MAX && u8[1] == 0);
}
