/* SPDX-License-Identifier: MIT */
/* test_conversion.c: checks conversions with the test vectors of semantics:4.5, and types without a
 * conversion. */
#include "support/allocator.h"
#include "support/one_value.h"
#include "support/test.h"
#include "transform/conversion.h"
#include <stdlib.h>

static const dv_allocator *const any; /* malloc */

/* One value converted, as golden files write it; free the lines. */
static dvt_lines convert(const char *from_name, const char *value, const char *to_name)
{
    const dv_type from = dvt_type_named(dv_text_of(from_name));
    const dv_type to = dvt_type_named(dv_text_of(to_name));
    dvi_arena arena;
    dvi_conversion conversion;
    dvi_converted memory = {0};
    dv_column_view dst;
    dvt_one one;
    dvi_arena_init(&arena, NULL);
    const dvt_json *json = dvt_json_parse(&arena, dv_text_of(value));
    cr_assert_not_null(json, "%s", value);
    dvt_one_make(&one, &from, json);
    cr_assert_eq(dvi_conversion_find(&conversion, &from, &to), DV_OK);
    cr_assert_not(conversion.is_identity);
    cr_assert_eq(dvi_conversion_run(&conversion, &memory, &dst, &one.column, 0, 1, any, NULL),
                 DV_OK);
    const dvt_lines lines = dvt_one_text(&dst);
    dvi_converted_free(&memory);
    dvi_arena_free(&arena);
    return lines;
}

/* Number, type and value; the type and value that it becomes. */
typedef struct vector {
    int number;
    const char *from, *value, *to, *want;
} vector;

static const vector vectors[] = {
    {1, "I1", "null", "I2", "null"},
    {2, "I1", "null", "I8", "null"},
    {3, "I1", "-1", "I4", "-1"},
    {4, "I2", "312", "I1", "null"},
    {5, "I2", "-128", "I1", "null"},
    {6, "I2", "-127", "I1", "-127"},
    {7, "I4", "null", "I1", "null"},
    {8, "I8", "2147483648", "I4", "null"},
    {9, "I8", "2147483647", "I4", "2147483647"},
    {10, "I4", "null", "R4", "\"r4:ffc00000\""},
    {11, "I4", "16777217", "R4", "\"r4:4b800000\""},
    {12, "I8", "9007199254740993", "R8", "\"r8:4340000000000000\""},
    {13, "I8", "4611686293305294849", "R4", "\"r4:5e800001\""},
    {14, "I2", "null", "R8", "\"r8:fff8000000000000\""},
    {15, "I1", "-123", "R8", "\"r8:c05ec00000000000\""},
    {16, "U2", "312", "U1", "0"},
    {17, "U1", "255", "U8", "255"},
    {18, "U8", "4294967296", "U4", "0"},
    {19, "U4", "4294967295", "R4", "\"r4:4f800000\""},
    {20, "U4", "4294967295", "R8", "\"r8:41efffffffe00000\""},
    {21, "U8", "18446744073709551615", "R4", "\"r4:5f800000\""},
    {22, "U8", "18446744073709551615", "R8", "\"r8:43f0000000000000\""},
    {23, "U4", "7", "UG", "\"ug:00000000000000000000000000000007\""},
    {24, "UG", "\"ug:000000000000000000000000000000ff\"", "U1", "255"},
    {25, "UG", "\"ug:00000000000000000000000000000100\"", "U1", "0"},
    {26, "UG", "\"ug:00000000000000010000000000000005\"", "U8", "0"},
    {27, "R4", "\"r4:3dcccccd\"", "R8", "\"r8:3fb99999a0000000\""},
    {28, "R8", "\"r8:3fb999999999999a\"", "R4", "\"r4:3dcccccd\""},
    {29, "R8", "\"r8:7e37e43c8800759c\"", "R4", "\"r4:7f800000\""},
    {30, "R8", "\"r8:fe37e43c8800759c\"", "R4", "\"r4:ff800000\""},
    {31, "R8", "\"r8:358dee7a4ad4b81f\"", "R4", "\"r4:00000000\""},
    {32, "R8", "\"r8:37a16c262777579c\"", "R4", "\"r4:000116c2\""},
    {33, "R8", "\"r8:8000000000000000\"", "R4", "\"r4:80000000\""},
    {34, "R8", "\"r8:7ff8000000000001\"", "R4", "\"r4:ffc00000\""},
    {35, "BL", "true", "I1", "1"},
    {36, "BL", "null", "I8", "null"},
    {37, "BL", "true", "R4", "\"r4:3f800000\""},
    {38, "BL", "null", "R8", "\"r8:fff8000000000000\""},
    {39, "TS", "null", "R8", "\"r8:fff8000000000000\""},
    {40, "TS", "\"ts:37230000000\"", "R8", "\"r8:422156296f000000\""},
    {41, "DT", "\"dt:636188256000000000\"", "I8", "636188256000000000"},
    {42, "DT", "\"dt:636188256000000000\"", "R4", "\"r4:5d0d431e\""},
    {43, "DT", "\"dt:636188256000000000\"", "R8", "\"r8:43a1a863b2424f80\""},
    {44, "DZ", "\"dz:636188328000000000:120\"", "I8", "636188256000000000"},
    {45, "TX", "\"\"", "I4", "0"},
    {46, "TX", "null", "I4", "null"},
    {47, "TX", "\"?\"", "I4", "null"},
    {48, "TX", "\"na\"", "I4", "null"},
    {49, "TX", "\"N/A\"", "I2", "null"},
    {50, "TX", "\"NaN\"", "I1", "null"},
    {51, "TX", "\"17\"", "I1", "17"},
    {52, "TX", "\"-17\"", "I1", "-17"},
    {53, "TX", "\"127\"", "I1", "127"},
    {54, "TX", "\"128\"", "I1", "null"},
    {55, "TX", "\"-128\"", "I1", "null"},
    {56, "TX", "\"-0\"", "I2", "0"},
    {57, "TX", "\"+5\"", "I4", "null"},
    {58, "TX", "\" 5\"", "I4", "null"},
    {59, "TX", "\"5 \"", "I4", "null"},
    {60, "TX", "\"1.0\"", "I4", "null"},
    {61, "TX", "\"007\"", "I2", "7"},
    {62, "TX", "\"-\"", "I4", "null"},
    {63, "TX", "\"0x10\"", "I4", "null"},
    {64, "TX", "\"2147483647\"", "I4", "2147483647"},
    {65, "TX", "\"2147483648\"", "I4", "null"},
    {66, "TX", "\"9223372036854775807\"", "I8", "9223372036854775807"},
    {67, "TX", "\"1,000\"", "I4", "null"},
    {68, "TX", "\"\"", "U4", "0"},
    {69, "TX", "null", "U4", "0"},
    {70, "TX", "\"255\"", "U1", "255"},
    {71, "TX", "\"256\"", "U1", "0"},
    {72, "TX", "\"-1\"", "U1", "0"},
    {73, "TX", "\"+1\"", "U2", "0"},
    {74, "TX", "\"18446744073709551615\"", "U8", "18446744073709551615"},
    {75, "TX", "\"18446744073709551616\"", "U8", "0"},
    {76, "TX", "\"0000000000000000000000001\"", "U8", "1"},
    {77, "TX", "\"\"", "BL", "false"},
    {78, "TX", "null", "BL", "null"},
    {79, "TX", "\"TRUE\"", "BL", "true"},
    {80, "TX", "\"Yes\"", "BL", "true"},
    {81, "TX", "\"t\"", "BL", "true"},
    {82, "TX", "\"+\"", "BL", "true"},
    {83, "TX", "\"+1\"", "BL", "true"},
    {84, "TX", "\"1\"", "BL", "true"},
    {85, "TX", "\"no\"", "BL", "false"},
    {86, "TX", "\"-\"", "BL", "false"},
    {87, "TX", "\"-1\"", "BL", "false"},
    {88, "TX", "\"0\"", "BL", "false"},
    {89, "TX", "\"2\"", "BL", "null"},
    {90, "TX", "\" true\"", "BL", "null"},
    {91, "TX", "\"n/a\"", "BL", "null"},
    {92, "TX", "\"\"", "R4", "\"r4:00000000\""},
    {93, "TX", "\"   \"", "R4", "\"r4:00000000\""},
    {94, "TX", "null", "R4", "\"r4:ffc00000\""},
    {95, "TX", "\"?\"", "R4", "\"r4:ffc00000\""},
    {96, "TX", "\"nan\"", "R4", "\"r4:ffc00000\""},
    {97, "TX", "\"NA\"", "R4", "\"r4:ffc00000\""},
    {98, "TX", "\"1\"", "R4", "\"r4:3f800000\""},
    {99, "TX", "\" 1.5 \"", "R4", "\"r4:3fc00000\""},
    {100, "TX", "\"-0\"", "R4", "\"r4:80000000\""},
    {101, "TX", "\"+.5\"", "R4", "\"r4:3f000000\""},
    {102, "TX", "\"5.\"", "R4", "\"r4:40a00000\""},
    {103, "TX", "\".\"", "R4", "\"r4:ffc00000\""},
    {104, "TX", "\"1e5\"", "R4", "\"r4:47c35000\""},
    {105, "TX", "\"1E+5\"", "R4", "\"r4:47c35000\""},
    {106, "TX", "\"1e\"", "R4", "\"r4:ffc00000\""},
    {107, "TX", "\"1e-45\"", "R4", "\"r4:00000001\""},
    {108, "TX", "\"1e-46\"", "R4", "\"r4:00000000\""},
    {109, "TX", "\"3.4028235e38\"", "R4", "\"r4:7f7fffff\""},
    {110, "TX", "\"3.5e38\"", "R4", "\"r4:7f800000\""},
    {111, "TX", "\"-1e39\"", "R4", "\"r4:ff800000\""},
    {112, "TX", "\"Infinity\"", "R4", "\"r4:7f800000\""},
    {113, "TX", "\"-Infinity\"", "R4", "\"r4:ff800000\""},
    {114, "TX", "\"+Infinity\"", "R4", "\"r4:ffc00000\""},
    {115, "TX", "\"inf\"", "R4", "\"r4:ffc00000\""},
    {116, "TX", "\"∞\"", "R4", "\"r4:7f800000\""},
    {117, "TX", "\"1,000\"", "R4", "\"r4:ffc00000\""},
    {118, "TX", "\"0x10\"", "R4", "\"r4:ffc00000\""},
    {119, "TX", "\"16777217\"", "R4", "\"r4:4b800000\""},
    {120, "TX", "\"0.1\"", "R4", "\"r4:3dcccccd\""},
    {121, "TX", "\"3.14159\"", "R4", "\"r4:40490fd0\""},
    {122, "TX", "\"1 2\"", "R4", "\"r4:ffc00000\""},
    {123, "TX", "\"0.1\"", "R8", "\"r8:3fb999999999999a\""},
    {124, "TX", "\"1e308\"", "R8", "\"r8:7fe1ccf385ebc8a0\""},
    {125, "TX", "\"1e309\"", "R8", "\"r8:7ff0000000000000\""},
    {126, "TX", "\"5e-324\"", "R8", "\"r8:0000000000000001\""},
    {127, "TX", "\"9007199254740993\"", "R8", "\"r8:4340000000000000\""},
    {128, "TX", "\"1e23\"", "R8", "\"r8:44b52d02c7e14af6\""},
    {129, "TX", "\"-?\"", "R8", "\"r8:fff8000000000000\""},
    {130, "TX", "\"100\"", "U4[100-199]", "1"},
    {131, "TX", "\"199\"", "U4[100-199]", "100"},
    {132, "TX", "\"200\"", "U4[100-199]", "0"},
    {133, "TX", "\"99\"", "U4[100-199]", "0"},
    {134, "TX", "\"\"", "U4[100-199]", "0"},
    {135, "TX", "\"abc\"", "U4[100-199]", "0"},
    {136, "TX", "\"+100\"", "U4[100-199]", "0"},
    {137, "TX", "\"0\"", "U4[0-9]", "1"},
    {138, "TX", "\"9\"", "U4[0-9]", "10"},
    {139, "TX", "\"10\"", "U4[0-9]", "0"},
    {140, "TX", "\"1099\"", "U1[1000-1099]", "100"},
    {141, "TX", "\"254\"", "U1[0-*]", "255"},
    {142, "TX", "\"255\"", "U1[0-*]", "0"},
    {143, "TX", "\"255\"", "U1[1-*]", "255"},
    {144, "TX", "\"5000\"", "U4[1000-*]", "4001"},
    {145, "TX", "\"18446744073709551615\"", "U8[1-*]", "18446744073709551615"},
    {149, "U1[1-100]", "100", "U2[1-100]", "100"},
    {151, "TX", "\"0x00000000000000010000000000000002\"", "UG",
     "\"ug:00000000000000010000000000000002\""},
    {152, "TX", "\"0x1\"", "UG", "\"ug:00000000000000000000000000000000\""},
    {153, "TX", "\"1.02:03:04.5\"", "TS", "\"ts:937845000000\""},
    {154, "TX", "\"5\"", "TS", "\"ts:4320000000000\""},
    {155, "TX", "\"1:61\"", "TS", "null"},
    {156, "TX", "\"\"", "TS", "\"ts:0\""},
    {157, "TX", "\"2017-01-01\"", "DT", "\"dt:636188256000000000\""},
    {158, "TX", "\"2018-05-07T12:34:56.1234567Z\"", "DT", "\"dt:636612932961234567\""},
    {159, "TX", "\"2017-01-01T02:00:00+02:00\"", "DT", "\"dt:636188256000000000\""},
    {160, "TX", "\"2017-01-01T02:00:00+02:00\"", "DZ", "\"dz:636188328000000000:120\""},
    {161, "TX", "\"2017-13-01\"", "DT", "null"},
};

Test(convert, vectors)
{
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const vector *v = &vectors[i];
        dvt_lines got = convert(v->from, v->value, v->to);
        cr_expect_str_eq(got.data, v->want, "%d: %s %s to %s: %s", v->number, v->from, v->value,
                         v->to, got.data);
        dvt_lines_free(&got);
    }
}

/* Beyond the vectors: what makes no sense as a DT or BL, and DZ that is outside in UTC only. */
Test(convert, other_values)
{
    static const vector others[] = {
        {1, "BL", "null", "I1", "null"},
        {2, "BL", "null", "TX", "null"},
        {3, "BL", "false", "TX", "\"False\""},
        {4, "DT", "\"dt:-1\"", "I8", "null"},
        {5, "DT", "\"dt:3155378976000000000\"", "R8", "\"r8:fff8000000000000\""},
        {6, "DT", "\"dt:3155378976000000000\"", "TX", "null"},
        {7, "DZ", "\"dz:0:60\"", "I8", "null"},
        {8, "DZ", "\"dz:0:60\"", "TX", "null"},
        {9, "DZ", "\"dz:0:841\"", "R4", "\"r4:ffc00000\""},
        {10, "DZ", "\"dz:600000000:1\"", "I8", "0"},
        {11, "TS", "null", "TX", "null"},
        {12, "I8", "null", "TX", "null"},
        {13, "I2", "null", "BL", "null"},
        {14, "I8", "-4", "BL", "true"},
        {15, "R4", "\"r4:80000000\"", "BL", "false"},
        {16, "R8", "\"r8:fff8000000000000\"", "BL", "true"},
        {17, "R4", "\"r4:ffc00000\"", "TX", "\"NaN\""},
        {18, "R4", "\"r4:80000000\"", "TX", "\"-0\""},
        {19, "R4", "\"r4:7f7fffff\"", "TX", "\"3.402823E+38\""},
        {20, "R4", "\"r4:00000001\"", "TX", "\"1.401298E-45\""},
        {21, "R8", "\"r8:3fb999999999999a\"", "TX", "\"0.10000000000000001\""},
        {22, "R8", "\"r8:7e37e43c8800759c\"", "R4", "\"r4:7f800000\""},
        {23, "UG", "\"ug:0123456789abcdeffedcba9876543210\"", "TX",
         "\"0x0123456789abcdeffedcba9876543210\""},
        {24, "U4[0-9]", "11", "U1[0-9]", "11"},
        {25, "U2[0-9]", "256", "U1[0-9]", "0"},
        {26, "U2[0-9]", "7", "U8", "7"},
        {27, "U8[0-254]", "300", "U1", "0"},
        {28, "TX", "\"0001-01-01T00:00:00+01:00\"", "DT", "null"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const vector *v = &others[i];
        dvt_lines got = convert(v->from, v->value, v->to);
        cr_expect_str_eq(got.data, v->want, "%d: %s %s to %s: %s", v->number, v->from, v->value,
                         v->to, got.data);
        dvt_lines_free(&got);
    }
}

static bool is_there(const char *from_name, const char *to_name, bool *is_identity_out)
{
    const dv_type from = dvt_type_named(dv_text_of(from_name));
    const dv_type to = dvt_type_named(dv_text_of(to_name));
    dvi_conversion conversion;
    const dv_status status = dvi_conversion_find(&conversion, &from, &to);
    cr_expect(status == DV_OK || (status == DV_NOT_FOUND && !conversion.run));
    *is_identity_out = conversion.is_identity;
    return status == DV_OK;
}

/* Names of kinds and back: for the bits, there is nothing to do. */
Test(convert, same_bits)
{
    static const char *const pairs[][2] = {
        {"R4", "R4"},      {"TX", "TX"}, {"DZ", "DZ"},      {"UG", "UG"},
        {"BY", "BY"},      {"TS", "I8"}, {"U4[0-9]", "U4"}, {"U4[5-14]", "U4[5-14]"},
        {"U1[0-*]", "U1"}, {"DT", "DT"}, {"U8[5]", "U8[5]"}};
    bool is_identity;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        cr_expect(is_there(pairs[i][0], pairs[i][1], &is_identity) && is_identity, "%s %s",
                  pairs[i][0], pairs[i][1]);
    cr_expect(is_there("DT", "I8", &is_identity) && !is_identity);
    cr_expect(is_there("U4[0-9]", "U8[0-9]", &is_identity) && !is_identity);
}

Test(convert, no_way)
{
    static const char *const pairs[][2] = {{"R4", "I4"},
                                           {"I4", "U4"},
                                           {"U4", "I4"},
                                           {"I4", "UG"},
                                           {"BL", "U1"},
                                           {"BL", "TS"},
                                           {"TS", "DT"},
                                           {"DT", "I4"},
                                           {"I8", "DT"},
                                           {"TX", "BY"},
                                           {"BY", "TX"},
                                           {"UG", "R8"},
                                           {"UG", "I8"},
                                           {"UG", "BL"},
                                           {"I4", "U4[0-9]"},
                                           {"U4", "U4[0-9]"},
                                           {"U4[0-9]", "I4"},
                                           {"U4[0-9]", "R4"},
                                           {"U4[0-9]", "TX"},
                                           {"U4[0-9]", "BL"},
                                           {"U4[0-9]", "UG"},
                                           {"U4[0-9]", "U4[0-8]"},
                                           {"U4[0-9]", "U4[1-10]"},
                                           {"U2[1-*]", "U1[1-*]"},
                                           {"U2[1-*]", "U1"},
                                           {"U2[0-255]", "U1"},
                                           {"U4[0-*]", "U4[0]"},
                                           {"U4[0-9]", "U4[0-*]"},
                                           {"V<R4,3>", "R4"},
                                           {"R4", "V<R4,3>"}};
    bool is_identity;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        cr_expect_not(is_there(pairs[i][0], pairs[i][1], &is_identity), "%s %s", pairs[i][0],
                      pairs[i][1]);
    const dv_type picture = dv_type_extension("Picture", 8), r4 = dv_type_of(DV_KIND_R4);
    const dv_type other = dv_type_extension("Sound", 8);
    dvi_conversion conversion;
    cr_expect_eq(dvi_conversion_find(&conversion, &picture, &r4), DV_NOT_FOUND);
    cr_expect_eq(dvi_conversion_find(&conversion, &r4, &picture), DV_NOT_FOUND);
    cr_expect_eq(dvi_conversion_find(&conversion, &picture, &other), DV_NOT_FOUND);
    cr_expect_eq(dvi_conversion_find(&conversion, &picture, &picture), DV_OK);
    cr_expect(conversion.is_identity);
}

/* Rows in the middle, none, and more than a chunk of ticks. */
Test(convert, some_rows)
{
    enum { N = 1500 };
    static int64_t ticks[N];
    const dv_type from = dv_type_of(DV_KIND_DT), to = dv_type_of(DV_KIND_R8);
    dvi_conversion conversion;
    dvi_converted memory = {0};
    dv_column_view src = {.type = from, .layout = DV_LAYOUT_FIXED, .rows = N}, dst;
    src.as.fixed.values = (dv_buffer){ticks, sizeof ticks, NULL, false, true};
    for (int64_t i = 0; i < N; i++)
        ticks[i] = i;
    cr_assert_eq(dvi_conversion_find(&conversion, &from, &to), DV_OK);
    for (int64_t first = 0; first <= N; first += 100) {
        cr_assert_eq(
            dvi_conversion_run(&conversion, &memory, &dst, &src, first, N - first, any, NULL),
            DV_OK);
        cr_expect_eq(dst.rows, N - first);
        cr_expect_eq(dst.as.fixed.values.nbytes, (size_t)(N - first) * 8);
        for (int64_t i = 0; i < dst.rows; i++)
            cr_expect_eq(dv_value_r8(&(dv_value){.column = &dst, .row = i}), (double)(first + i));
    }
    dvi_converted_free(&memory);
}

/* Memory is reused unless it is held elsewhere. After DV_ERR_MEMORY the call may be repeated. */
Test(convert, memory)
{
    enum { N = 1000 };
    static double values[N];
    static const dv_kind kinds[] = {DV_KIND_TX, DV_KIND_R4};
    const dv_type from = dv_type_of(DV_KIND_R8);
    dv_column_view src = {.type = from, .layout = DV_LAYOUT_FIXED, .rows = N}, dst;
    src.as.fixed.values = (dv_buffer){values, sizeof values, NULL, false, true};
    for (int i = 0; i < N; i++)
        values[i] = i / 7.0;
    for (size_t k = 0; k < 2; k++) {
        const dv_type to = dv_type_of(kinds[k]);
        dvi_conversion conversion;
        dvt_allocator counted;
        dvi_converted memory = {0};
        cr_assert_eq(dvi_conversion_find(&conversion, &from, &to), DV_OK);
        dvt_allocator_init(&counted, 0);
        const dv_allocator *allocator = &counted.allocator;
        int failures = 0;
        dv_status status;
        do {
            counted.fail_at = counted.asked % 2 ? 0 : counted.asked + 1;
            status = dvi_conversion_run(&conversion, &memory, &dst, &src, 0, N, allocator, NULL);
            failures += status == DV_ERR_MEMORY;
        } while (status == DV_ERR_MEMORY && failures < 100);
        cr_assert_eq(status, DV_OK);
        cr_expect_geq(failures, 1);
        counted.fail_at = 0;
        const int64_t asked = counted.asked;
        const uint8_t *before = memory.first->data;
        cr_expect_eq(dvi_conversion_run(&conversion, &memory, &dst, &src, 0, N, allocator, NULL),
                     DV_OK);
        cr_expect_eq(counted.asked, asked);
        dv_buffer held = k ? dst.as.fixed.values : dst.as.text.utf8;
        dv_buffer_retain(&held);
        cr_expect_eq(held.data, before);
        cr_expect_eq(dvi_conversion_run(&conversion, &memory, &dst, &src, 0, N, allocator, NULL),
                     DV_OK);
        cr_expect_neq(memory.first->data, before);
        dv_buffer_release(&held);
        dvi_converted_free(&memory);
        cr_expect_eq(counted.live, 0);
    }
}
