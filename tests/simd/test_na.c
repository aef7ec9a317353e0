/* SPDX-License-Identifier: MIT */
/* test_na.c: the rule of each type matches its NA and nothing else, as applied by the kernels. */
#include "simd/na.h"
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Types, without the room that makes them: these tests also run emulated, with the kernels alone.
 */
static dv_type of(dv_kind kind)
{
    return (dv_type){.kind = kind};
}

static dv_type key(dv_kind kind, uint64_t min, uint64_t count)
{
    return (dv_type){.kind = kind, .is_key = true, .key_min = min, .key_count = count};
}

static dv_type vector(dv_type item, int32_t size)
{
    item.rank = 1;
    item.size = size;
    return item;
}

/* Return a bit for each of n items at src that is NA by the rule of the type, the lowest first. */
static unsigned found(dv_type type, size_t width, const void *src, size_t n)
{
    const dvi_kernel_table *k = dvi_kernels();
    const dvi_na na = dvi_na_of(&type);
    uint8_t bits[2] = {0};
    size_t count = 0;
    switch (width) {
    case 1:
        count = k->na_mask_1(bits, src, n, &na, 1);
        break;
    case 2:
        count = k->na_mask_2(bits, src, n, &na, 1);
        break;
    case 4:
        count = k->na_mask_4(bits, src, n, &na, 1);
        break;
    default:
        count = k->na_mask_8(bits, src, n, &na, 1);
        break;
    }
    const unsigned word = (unsigned)bits[0] | (unsigned)bits[1] << 8;
    cr_expect_eq(count, (size_t)__builtin_popcount(word));
    return word;
}

#define EXPECT_FOUND(type, ctype, want, ...)                                                       \
    do {                                                                                           \
        const ctype items[] = {__VA_ARGS__};                                                       \
        cr_expect_eq(found(type, sizeof *items, items, sizeof items / sizeof *items),              \
                     (unsigned)(want));                                                            \
    } while (0)

Test(na, of_integers_is_the_least)
{
    EXPECT_FOUND(of(DV_KIND_I1), int8_t, 1, INT8_MIN, INT8_MIN + 1, -1, 0, 1, INT8_MAX);
    EXPECT_FOUND(of(DV_KIND_I2), int16_t, 1, INT16_MIN, INT16_MIN + 1, -1, 0, INT16_MAX);
    EXPECT_FOUND(of(DV_KIND_I4), int32_t, 1, INT32_MIN, INT32_MIN + 1, -1, 0, INT32_MAX);
    EXPECT_FOUND(of(DV_KIND_I8), int64_t, 1, INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX);
    EXPECT_FOUND(of(DV_KIND_TS), int64_t, 2, 0, DV_TICKS_NA, DV_TICKS_MAX + 1, -1);
}

Test(na, of_others_there_is_none)
{
    EXPECT_FOUND(of(DV_KIND_U1), uint8_t, 0, 0, 1, 0x80, UINT8_MAX);
    EXPECT_FOUND(of(DV_KIND_U2), uint16_t, 0, 0, 1, 0x8000, UINT16_MAX);
    EXPECT_FOUND(of(DV_KIND_U4), uint32_t, 0, 0, 1, 0x80000000, UINT32_MAX);
    EXPECT_FOUND(of(DV_KIND_U8), uint64_t, 0, 0, 1, UINT64_C(1) << 63, UINT64_MAX);
    EXPECT_FOUND(of(DV_KIND_UG), uint64_t, 0, 0, UINT64_C(1) << 63, UINT64_MAX);
    EXPECT_FOUND(of(DV_KIND_DZ), uint64_t, 0, 0, UINT64_C(1) << 63, UINT64_MAX);
    EXPECT_FOUND(of(DV_KIND_NONE), uint64_t, 0, 0, UINT64_C(1) << 63, UINT64_MAX);
}

Test(na, of_reals_is_any_nan)
{
    EXPECT_FOUND(of(DV_KIND_R4), uint32_t, 0x1F, 0x7F800001, 0x7FFFFFFF, DV_R4_NA_BITS, 0xFF800001,
                 0xFFFFFFFF, 0x7F800000, 0xFF800000, 0, 0x80000000, 1, 0x7F7FFFFF);
    EXPECT_FOUND(of(DV_KIND_R8), double, 0x3, NAN, -NAN, INFINITY, -INFINITY, 0.0, -0.0);
    EXPECT_FOUND(of(DV_KIND_R8), uint64_t, 0x7, UINT64_C(0x7FF0000000000001),
                 UINT64_C(0xFFF0000000000001), UINT64_MAX, UINT64_C(0x7FF0000000000000));
}

Test(na, of_bl_is_all_but_0_and_1)
{
    EXPECT_FOUND(of(DV_KIND_BL), int8_t, 0x3C, 0, 1, 2, -1, DV_BL_NA, 127);
}

Test(na, of_dt_is_what_the_calendar_lacks)
{
    EXPECT_FOUND(of(DV_KIND_DT), int64_t, 0x3C, 0, DV_TICKS_MAX, DV_TICKS_MAX + 1, -1, DV_TICKS_NA,
                 INT64_MAX);
}

Test(na, of_keys_is_0_and_above_the_count)
{
    EXPECT_FOUND(key(DV_KIND_U1, 0, 3), uint8_t, 0x31, 0, 1, 2, 3, 4, 255);
    EXPECT_FOUND(key(DV_KIND_U2, 9, 3), uint16_t, 0x31, 0, 1, 2, 3, 4, UINT16_MAX);
    EXPECT_FOUND(key(DV_KIND_U4, 0, 1), uint32_t, 0x0D, 0, 1, 2, UINT32_MAX);
    EXPECT_FOUND(key(DV_KIND_U8, 0, 1), uint64_t, 0x0D, 0, 1, 2, UINT64_MAX);
}

Test(na, of_keys_without_a_count_or_with_the_largest_is_0)
{
    EXPECT_FOUND(key(DV_KIND_U1, 0, 0), uint8_t, 1, 0, 1, 254, 255);
    EXPECT_FOUND(key(DV_KIND_U1, 0, 255), uint8_t, 1, 0, 1, 254, 255);
    EXPECT_FOUND(key(DV_KIND_U2, 0, 0), uint16_t, 1, 0, 1, UINT16_MAX);
    EXPECT_FOUND(key(DV_KIND_U4, 0, UINT32_MAX), uint32_t, 1, 0, 1, UINT32_MAX);
    EXPECT_FOUND(key(DV_KIND_U8, 0, 0), uint64_t, 1, 0, 1, UINT64_MAX);
    EXPECT_FOUND(key(DV_KIND_U8, 0, UINT64_MAX), uint64_t, 1, 0, 1, UINT64_MAX);
}

Test(na, of_text_is_bit_31_of_its_end)
{
    EXPECT_FOUND(of(DV_KIND_TX), uint32_t, 0xC, 0, INT32_MAX, 0x80000000, UINT32_MAX);
    EXPECT_FOUND(of(DV_KIND_BY), uint32_t, 0, 0, INT32_MAX, 0x80000000, UINT32_MAX);
}

Test(na, of_a_vector_is_that_of_its_items)
{
    EXPECT_FOUND(vector(of(DV_KIND_I1), 3), int8_t, 1, INT8_MIN, 0, 1);
    EXPECT_FOUND(vector(key(DV_KIND_U1, 0, 2), 0), uint8_t, 9, 0, 1, 2, 3);
}

/* Validity has the inverse bits, and unused bits are 0. */
Test(na, bits_may_say_what_is_there)
{
    const dv_type type = of(DV_KIND_I1);
    const dvi_na na = dvi_na_of(&type);
    const int8_t items[] = {1, INT8_MIN, 3, 4, 5, 6, 7, 8, INT8_MIN, 10};
    uint8_t bits[2];
    cr_expect_eq(dvi_kernels()->na_mask_1(bits, items, 10, &na, 0), 2);
    cr_expect_eq(bits[0], 0xFD);
    cr_expect_eq(bits[1], 0x02);
}
