/* SPDX-License-Identifier: MIT */
/* test_value.c: checks single values of a column: bits, NA, default, equality and text. */
#include "support/test.h"

#include "support/columns.h"
#include "support/sink.h"
#include <dataview/value.h>
#include <locale.h>
#include <string.h>

static void expect_written(const dv_value *value, dv_style style, const char *want)
{
    dvt_sink got;
    dvt_sink_init(&got, 0);
    cr_expect(dv_value_write(value, style, &got.sink));
    cr_expect_str_eq(got.text, want, "%s, not %s", got.text, want);
}

static void expect_texts(const dv_value *value, const char *as_text, const char *exact)
{
    expect_written(value, DV_STYLE_TEXT, as_text);
    expect_written(value, DV_STYLE_EXACT, exact);
}

/* --- Scalars of fixed width ------------------------------------------------------------------- */

#define NA 'n'
#define DEFAULT 'd'
#define BOTH 'b' /* a key of 0 */
#define PLAIN ' '

typedef struct scalar_case {
    dv_kind kind;
    const char *hex, *text, *exact;
    char is;
} scalar_case;

static const scalar_case scalar_cases[] = {
    {DV_KIND_I1, "00", "0", "0", DEFAULT},
    {DV_KIND_I1, "81", "-127", "-127", PLAIN},
    {DV_KIND_I1, "80", "", "null", NA},
    {DV_KIND_U1, "00", "0", "0", DEFAULT},
    {DV_KIND_U1, "80", "128", "128", PLAIN},
    {DV_KIND_I2, "FFFF", "-1", "-1", PLAIN},
    {DV_KIND_I2, "0080", "", "null", NA},
    {DV_KIND_U2, "0080", "32768", "32768", PLAIN},
    {DV_KIND_I4, "00000000", "0", "0", DEFAULT},
    {DV_KIND_I4, "01000080", "-2147483647", "-2147483647", PLAIN},
    {DV_KIND_I4, "00000080", "", "null", NA},
    {DV_KIND_U4, "FFFFFFFF", "4294967295", "4294967295", PLAIN},
    {DV_KIND_I8, "0100000000000080", "-9223372036854775807", "-9223372036854775807", PLAIN},
    {DV_KIND_I8, "0000000000000080", "", "null", NA},
    {DV_KIND_U8, "FFFFFFFFFFFFFFFF", "18446744073709551615", "18446744073709551615", PLAIN},
    {DV_KIND_U8, "0000000000000000", "0", "0", DEFAULT},
    {DV_KIND_R4, "0000803F", "1", "\"r4:3f800000\"", PLAIN},
    {DV_KIND_R4, "CDCCCC3D", "0.1", "\"r4:3dcccccd\"", PLAIN},
    {DV_KIND_R4, "00000000", "0", "\"r4:00000000\"", DEFAULT},
    {DV_KIND_R4, "00000080", "-0", "\"r4:80000000\"", DEFAULT},
    {DV_KIND_R4, "0000C0FF", "", "\"r4:ffc00000\"", NA},
    {DV_KIND_R4, "0100A07F", "", "\"r4:7fa00001\"", NA},
    {DV_KIND_R4, "000080FF", "-Infinity", "\"r4:ff800000\"", PLAIN},
    {DV_KIND_R8, "9A9999999999B93F", "0.1", "\"r8:3fb999999999999a\"", PLAIN},
    {DV_KIND_R8, "0000000000000080", "-0", "\"r8:8000000000000000\"", DEFAULT},
    {DV_KIND_R8, "010000000000F87F", "", "\"r8:7ff8000000000001\"", NA},
    {DV_KIND_BL, "00", "0", "false", DEFAULT},
    {DV_KIND_BL, "01", "1", "true", PLAIN},
    {DV_KIND_BL, "80", "", "null", NA},
    {DV_KIND_BL, "02", "", "null", NA},
    {DV_KIND_BL, "FF", "", "null", NA},
    {DV_KIND_TS, "4007EB5BDA000000", "1.02:03:04.5000000", "\"ts:937845000000\"", PLAIN},
    {DV_KIND_TS, "FFFFFFFFFFFFFFFF", "-00:00:00.0000001", "\"ts:-1\"", PLAIN},
    {DV_KIND_TS, "0000000000000000", "00:00:00", "\"ts:0\"", DEFAULT},
    {DV_KIND_TS, "0000000000000080", "", "null", NA},
    {DV_KIND_DT, "00C02721D931D408", "2017-01-01T00:00:00.0000000", "\"dt:636188256000000000\"",
     PLAIN},
    {DV_KIND_DT, "0000000000000000", "0001-01-01T00:00:00.0000000", "\"dt:0\"", DEFAULT},
    {DV_KIND_DT, "0000000000000080", "", "null", NA},
    {DV_KIND_DT, "FFFFFFFFFFFFFFFF", "", "null", NA},
    {DV_KIND_UG, "0200000000000000 0100000000000000", "0x00000000000000010000000000000002",
     "\"ug:00000000000000010000000000000002\"", PLAIN},
    {DV_KIND_UG, "EFCDAB8967452301 1032547698BADCFE", "0xfedcba98765432100123456789abcdef",
     "\"ug:fedcba98765432100123456789abcdef\"", PLAIN},
    {DV_KIND_UG, "0000000000000000 0000000000000000", "0x00000000000000000000000000000000",
     "\"ug:00000000000000000000000000000000\"", DEFAULT},
};

static void expect_is(const dv_value *value, char is, const char *story)
{
    cr_expect_eq(dv_value_is_na(value), is == NA || is == BOTH, "%s: NA", story);
    cr_expect_eq(dv_value_is_default(value), is == DEFAULT || is == BOTH, "%s: default", story);
}

static void expect_scalar_cases(void)
{
    for (size_t i = 0; i < sizeof scalar_cases / sizeof *scalar_cases; i++) {
        const scalar_case *c = &scalar_cases[i];
        dv_column_view column = dvt_column_fixed(dv_type_of(c->kind), c->hex);
        const dv_value value = dv_value_first(&column);
        expect_texts(&value, c->text, c->exact);
        expect_is(&value, c->is, c->hex);
        cr_expect(dv_value_same(&value, &value), "%s", c->hex);
        dvt_column_free(&column);
    }
}

Test(value, scalars)
{
    expect_scalar_cases();
}

Test(value, the_locale_plays_no_part)
{
    const char *const locales[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    int comma = 0;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        comma += setlocale(LC_ALL, locales[i]) && *localeconv()->decimal_point == ',';
        expect_scalar_cases();
    }
    setlocale(LC_ALL, "C");
    if (!comma)
        cr_skip_test("no locale with a decimal comma is installed");
}

/* The vectors 146..150 of semantics:4.5, and keys at their limits. */
Test(value, keys)
{
    const struct {
        dv_type type;
        const char *hex, *text, *exact;
        char is;
    } cases[] = {
        {dv_type_key(DV_KIND_U4, 100, 100), "01000000", "100", "1", PLAIN},
        {dv_type_key(DV_KIND_U4, 100, 100), "64000000", "199", "100", PLAIN},
        {dv_type_key(DV_KIND_U4, 100, 100), "65000000", "", "101", NA},
        {dv_type_key(DV_KIND_U4, 100, 100), "00000000", "", "0", BOTH},
        {dv_type_key(DV_KIND_U1, 0, 0), "FF", "254", "255", PLAIN},
        {dv_type_key(DV_KIND_U1, 0, 255), "FF", "254", "255", PLAIN},
        {dv_type_key(DV_KIND_U2, 0, 10), "0A00", "9", "10", PLAIN},
        {dv_type_key(DV_KIND_U2, 0, 10), "0B00", "", "11", NA},
        {dv_type_key(DV_KIND_U8, 1, 0), "FFFFFFFFFFFFFFFF", "18446744073709551615",
         "18446744073709551615", PLAIN},
        {dv_type_key(DV_KIND_U8, 0, UINT64_MAX), "FFFFFFFFFFFFFFFF", "18446744073709551614",
         "18446744073709551615", PLAIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dv_column_view column = dvt_column_fixed(cases[i].type, cases[i].hex);
        const dv_value value = dv_value_first(&column);
        expect_texts(&value, cases[i].text, cases[i].exact);
        expect_is(&value, cases[i].is, cases[i].hex);
        dvt_column_free(&column);
    }
}

Test(value, extensions_are_bytes)
{
    dv_column_view column = dvt_column_fixed(dv_type_extension("Picture", 3), "000000 0A0B0C");
    dv_value value = dv_value_first(&column);
    expect_texts(&value, "000000", "\"by:000000\"");
    expect_is(&value, DEFAULT, "zeros");
    const dv_value before = value;
    dv_value_next(&value);
    expect_texts(&value, "0a0b0c", "\"by:0a0b0c\"");
    expect_is(&value, PLAIN, "not zeros");
    cr_expect(dv_value_same(&value, &value) && !dv_value_same(&value, &before));
    dvt_column_free(&column);
}

/* --- Getters ---------------------------------------------------------------------------------- */

Test(value, getters_tell_the_bits_at_any_address)
{
    const char hex[] = "0102030405060708 090A0B0C0D0E0F10";
    dv_column_view column = dvt_column_fixed(dv_type_of(DV_KIND_U1), hex);
    dv_value value = dv_value_at(&column, 1);
    float r4;
    double r8;
    cr_expect_eq(dv_value_i1(&value), 2);
    cr_expect_eq(dv_value_u1(&value), 2);
    cr_expect_eq(dv_value_i2(&value), 0x0403);
    cr_expect_eq(dv_value_u2(&value), 0x0403);
    cr_expect_eq(dv_value_i4(&value), 0x08070605);
    cr_expect_eq(dv_value_u4(&value), 0x08070605u);
    cr_expect_eq(dv_value_i8(&value), INT64_C(0x100F0E0D0C0B0A09));
    cr_expect_eq(dv_value_u8(&value), UINT64_C(0x100F0E0D0C0B0A09));
    memcpy(&r4, (const char *)column.as.fixed.values.data + 4, 4);
    memcpy(&r8, (const char *)column.as.fixed.values.data + 8, 8);
    cr_expect(dv_value_r4(&value) == r4);
    cr_expect(dv_value_r8(&value) == r8);
    value.row = 0;
    cr_expect_eq(dv_value_ug(&value).lo, UINT64_C(0x0807060504030201));
    cr_expect_eq(dv_value_ug(&value).hi, UINT64_C(0x100F0E0D0C0B0A09));
    dvt_column_free(&column);
}

Test(value, keys_of_every_width)
{
    const dv_kind kinds[] = {DV_KIND_U1, DV_KIND_U2, DV_KIND_U4, DV_KIND_U8};
    const uint64_t want[] = {0xF1, 0xF2F1, 0xF4F3F2F1, UINT64_C(0xF8F7F6F5F4F3F2F1)};
    for (size_t i = 0; i < 4; i++) {
        dv_column_view column = dvt_column_fixed(dv_type_key(kinds[i], 0, 0), "F1F2F3F4F5F6F7F8");
        const dv_value value = dv_value_first(&column);
        cr_expect_eq(dv_value_key(&value), want[i]);
        dvt_column_free(&column);
    }
}

Test(value, zoned_dates)
{
    /* 2017-01-01T02:00+02:00, the default, NA, 14:01 ahead, before the calendar in UTC. */
    dv_column_view column = dvt_column_zoned("0090B0E4E931D408 0000000000000000 0000000000000080"
                                             "0090B0E4E931D408 0100000000000000",
                                             "7800 0000 0500 4903 0100");
    const char *const texts[][2] = {
        {"2017-01-01T02:00:00.0000000+02:00", "\"dz:636188328000000000:120\""},
        {"0001-01-01T00:00:00.0000000+00:00", "\"dz:0:0\""},
        {"", "null"},
        {"", "null"},
        {"", "null"},
    };
    const char is[] = {PLAIN, DEFAULT, NA, NA, NA};
    dv_value value = dv_value_first(&column);
    cr_expect(dv_value_dz(&value).ticks == INT64_C(636188328000000000));
    cr_expect(dv_value_dz(&value).minutes == 120);
    for (int i = 0; i < 5; i++, dv_value_next(&value)) {
        expect_texts(&value, texts[i][0], texts[i][1]);
        expect_is(&value, is[i], texts[i][1]);
    }
    dvt_column_free(&column);
}

Test(value, texts)
{
    /* "b", "", NA, "\u00e9": row 0 starts after the a. */
    dv_column_view column =
        dvt_column_text(DV_KIND_TX, "ab\xC3\xA9", 1, "02000000 02000000 02000080 04000000");
    const char *const want[][2] = {
        {"b", "\"b\""}, {"", "\"\""}, {"", "null"}, {"\xC3\xA9", "\"\xC3\xA9\""}};
    const char is[] = {PLAIN, DEFAULT, NA, PLAIN};
    for (int64_t row = 0; row < 4; row++) {
        const dv_value value = dv_value_at(&column, row);
        expect_texts(&value, want[row][0], want[row][1]);
        expect_is(&value, is[row], want[row][1]);
    }
    const dv_value na = dv_value_at(&column, 2), empty = dv_value_at(&column, 1);
    cr_expect_eq(dv_value_tx(&na).nbytes, -1);
    cr_expect_eq(dv_value_tx(&empty).nbytes, 0);
    cr_expect_not_null(dv_value_tx(&empty).data);
    dvt_column_free(&column);
}

Test(value, texts_without_a_byte)
{
    dv_column_view column = dvt_column_text(DV_KIND_TX, "", 0, "00000000 00000080");
    column.as.text.utf8 = (dv_buffer){0};
    dv_value value = dv_value_first(&column);
    expect_texts(&value, "", "\"\"");
    dv_value_next(&value);
    expect_texts(&value, "", "null");
    dv_value_next(&value);
    cr_expect_eq(value.row, 2);
    dvt_column_free(&column);
}

Test(value, raw_bytes)
{
    dv_column_view column = dvt_column_text(DV_KIND_BY, "\xFF\xD8\x01", 0, "03000000 03000000");
    dv_value value = dv_value_first(&column);
    expect_texts(&value, "ffd801", "\"by:ffd801\"");
    expect_is(&value, PLAIN, "ffd801");
    dv_value_next(&value);
    expect_texts(&value, "", "\"by:\"");
    expect_is(&value, DEFAULT, "no bytes");
    dvt_column_free(&column);
}

/* --- Vectors ---------------------------------------------------------------------------------- */

/* Rows: [1 2 3], {3: 2:9}, {3:}, [4 5 6]; an index and an item of another row come first. */
static dv_column_view four_rows(const dv_column_view *items)
{
    dv_column_view column =
        dvt_column_vector(items, 3, "FFFFFFFF 01000000 00000000 FFFFFFFF", "63000000 02000000");
    column.as.vector.index_base = 1;
    column.as.vector.item_base = 1;
    return column;
}

#define FOUR_ROWS_ITEMS "00 01 02 03 09 04 05 06"

Test(value, vectors_in_order_and_directly)
{
    dv_column_view items = dvt_column_fixed(dv_type_of(DV_KIND_I1), FOUR_ROWS_ITEMS);
    dv_column_view column = four_rows(&items);
    const int32_t stored[] = {3, 1, 0, 3};
    const int8_t last_item[] = {3, 9, 0, 6};
    dv_value value = dv_value_first(&column);
    for (int64_t row = 0; row < 4; row++, dv_value_next(&value)) {
        const dv_value reached = dv_value_at(&column, row);
        cr_expect(reached.row == value.row && reached.length == value.length &&
                      reached.count == value.count && reached.index == value.index &&
                      reached.item == value.item,
                  "row %d", (int)row);
        cr_expect_eq(value.row, row);
        cr_expect_eq(dv_value_items(&value), stored[row]);
        if (stored[row] > 0) {
            const dv_value item = dv_value_item(&value, stored[row] - 1);
            cr_expect_eq(dv_value_i1(&item), last_item[row]);
            cr_expect_eq(dv_value_slot(&value, stored[row] - 1), 2);
        }
    }
    cr_expect_eq(value.row, 4, "one step after the last row reads nothing");
    dvt_column_free(&column);
    dvt_column_free(&items);
}

Test(value, vectors_as_text)
{
    dv_column_view items = dvt_column_fixed(dv_type_of(DV_KIND_I1), FOUR_ROWS_ITEMS);
    dv_column_view column = four_rows(&items);
    const char *const want[][2] = {
        {"[1 2 3]", "{\"len\":3,\"dense\":[1,2,3]}"},
        {"{3: 2:9}", "{\"len\":3,\"idx\":[2],\"val\":[9]}"},
        {"{3:}", "{\"len\":3,\"idx\":[],\"val\":[]}"},
        {"[4 5 6]", "{\"len\":3,\"dense\":[4,5,6]}"},
    };
    dv_value value = dv_value_first(&column);
    for (int i = 0; i < 4; i++, dv_value_next(&value))
        expect_texts(&value, want[i][0], want[i][1]);
    dvt_column_free(&column);
    dvt_column_free(&items);
}

/* Rows of different length: [], [NA 1], {5: 0:1 3:NA}. */
Test(value, vectors_of_varying_length)
{
    dv_column_view items =
        dvt_column_fixed(dv_type_of(DV_KIND_R4), "0000C0FF 0000803F 0000803F 0000C0FF");
    dv_column_view column =
        dvt_column_vector(&items, 0, "FFFFFFFF FFFFFFFF 02000000", "00000000 03000000");
    column.as.vector.lengths = dvt_column_bytes("00000000 02000000 05000000");
    const char *const want[][2] = {
        {"[]", "{\"len\":0,\"dense\":[]}"},
        {"[ 1]", "{\"len\":2,\"dense\":[\"r4:ffc00000\",\"r4:3f800000\"]}"},
        {"{5: 0:1 3:}", "{\"len\":5,\"idx\":[0,3],\"val\":[\"r4:3f800000\",\"r4:ffc00000\"]}"},
    };
    const char is[] = {DEFAULT, NA, NA};
    dv_value value = dv_value_first(&column);
    for (int i = 0; i < 3; i++, dv_value_next(&value)) {
        expect_texts(&value, want[i][0], want[i][1]);
        expect_is(&value, is[i], want[i][1]);
    }
    dvt_column_free(&column);
    dvt_column_free(&items);
}

Test(value, vectors_of_text)
{
    dv_column_view items = dvt_column_text(DV_KIND_TX, "ab", 0, "01000000 01000080 02000000");
    dv_column_view column = dvt_column_vector(&items, 4, "03000000", "00000000 01000000 03000000");
    const dv_value value = dv_value_first(&column);
    expect_texts(&value, "{4: 0:a 1: 3:b}",
                 "{\"len\":4,\"idx\":[0,1,3],\"val\":[\"a\",null,\"b\"]}");
    expect_is(&value, NA, "one item is NA");
    dvt_column_free(&column);
    dvt_column_free(&items);
}

/* A hole of a key vector is NA; a stored 0 or -0 is the default. */
Test(value, na_and_default_of_vectors)
{
    const struct {
        dv_type item;
        const char *items, *counts, *indices;
        char is;
    } cases[] = {
        {dv_type_key(DV_KIND_U1, 0, 9), "0102", "FFFFFFFF", "", PLAIN},
        {dv_type_key(DV_KIND_U1, 0, 9), "0100", "FFFFFFFF", "", NA},
        {dv_type_key(DV_KIND_U1, 0, 9), "010A", "FFFFFFFF", "", NA},
        {dv_type_key(DV_KIND_U1, 0, 9), "01", "01000000", "00000000", NA},
        {dv_type_key(DV_KIND_U1, 0, 9), "", "00000000", "", BOTH},
        {dv_type_of(DV_KIND_R4), "0000008000000000", "FFFFFFFF", "", DEFAULT},
        {dv_type_of(DV_KIND_R4), "", "00000000", "", DEFAULT},
        {dv_type_of(DV_KIND_R4), "0000803F", "01000000", "01000000", PLAIN},
        {dv_type_of(DV_KIND_R4), "0000C07F", "01000000", "01000000", NA},
        {dv_type_of(DV_KIND_U1), "8000", "FFFFFFFF", "", PLAIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dv_column_view items = dvt_column_fixed(cases[i].item, cases[i].items);
        dv_column_view column = dvt_column_vector(&items, 2, cases[i].counts, cases[i].indices);
        const dv_value value = dv_value_first(&column);
        expect_is(&value, cases[i].is, cases[i].items);
        dvt_column_free(&column);
        dvt_column_free(&items);
    }
}

/* --- Sameness --------------------------------------------------------------------------------- */

static void expect_same(dv_column_view a, dv_column_view b, bool want, const char *story)
{
    const dv_value x = dv_value_first(&a), y = dv_value_first(&b);
    cr_expect_eq(dv_value_same(&x, &y), want, "%s", story);
    cr_expect_eq(dv_value_same(&y, &x), want, "%s, the other way round", story);
    dvt_column_free(&a);
    dvt_column_free(&b);
}

static dv_column_view scalar(dv_kind kind, const char *hex)
{
    return dvt_column_fixed(dv_type_of(kind), hex);
}

Test(value, scalars_are_the_same_by_their_bits)
{
    expect_same(scalar(DV_KIND_R4, "0000803F"), scalar(DV_KIND_R4, "0000803F"), true, "1");
    expect_same(scalar(DV_KIND_R4, "0000C0FF"), scalar(DV_KIND_R4, "0000C0FF"), true, "NaN");
    expect_same(scalar(DV_KIND_R4, "0000C0FF"), scalar(DV_KIND_R4, "0000C07F"), false, "NaNs");
    expect_same(scalar(DV_KIND_R8, "0000000000000080"), scalar(DV_KIND_R8, "0000000000000000"),
                false, "-0");
    expect_same(scalar(DV_KIND_I1, "01"), scalar(DV_KIND_U1, "01"), false, "another type");
    expect_same(scalar(DV_KIND_I4, "00000080"), scalar(DV_KIND_I4, "00000080"), true, "NA");
    expect_same(scalar(DV_KIND_BL, "80"), scalar(DV_KIND_BL, "02"), true, "NA, other bits");
    expect_same(scalar(DV_KIND_BL, "80"), scalar(DV_KIND_BL, "00"), false, "NA and false");
    expect_same(scalar(DV_KIND_DT, "0000000000000080"), scalar(DV_KIND_DT, "FFFFFFFFFFFFFFFF"),
                true, "NA, other bits");
    expect_same(scalar(DV_KIND_UG, "01000000000000000000000000000000"),
                scalar(DV_KIND_UG, "00000000000000000100000000000000"), false, "Lo and Hi");
    const dv_type key = dv_type_key(DV_KIND_U1, 0, 5);
    expect_same(dvt_column_fixed(key, "05"), dvt_column_fixed(key, "05"), true, "key");
    expect_same(dvt_column_fixed(key, "00"), dvt_column_fixed(key, "06"), false,
                "missing and over the count");
    expect_same(dvt_column_fixed(key, "01"), dvt_column_fixed(dv_type_key(DV_KIND_U1, 1, 5), "01"),
                false, "Min");
}

Test(value, texts_and_zoned_dates_are_the_same_as_a_whole)
{
    expect_same(dvt_column_text(DV_KIND_TX, "xab", 1, "03000000"),
                dvt_column_text(DV_KIND_TX, "ab", 0, "02000000"), true, "elsewhere");
    expect_same(dvt_column_text(DV_KIND_TX, "ab", 0, "02000000"),
                dvt_column_text(DV_KIND_TX, "ab", 0, "01000000"), false, "shorter");
    expect_same(dvt_column_text(DV_KIND_TX, "", 0, "00000080"),
                dvt_column_text(DV_KIND_TX, "ab", 1, "01000080"), true, "NA");
    expect_same(dvt_column_text(DV_KIND_TX, "", 0, "00000080"),
                dvt_column_text(DV_KIND_TX, "", 0, "00000000"), false, "NA and empty");
    expect_same(dvt_column_text(DV_KIND_BY, "ab", 0, "02000000"),
                dvt_column_text(DV_KIND_BY, "ab", 0, "02000000"), true, "bytes");
    expect_same(dvt_column_text(DV_KIND_BY, "ab", 0, "02000000"),
                dvt_column_text(DV_KIND_TX, "ab", 0, "02000000"), false, "bytes and text");
    expect_same(dvt_column_zoned("0090B0E4E931D408", "7800"),
                dvt_column_zoned("0090B0E4E931D408", "7800"), true, "DZ");
    expect_same(dvt_column_zoned("0090B0E4E931D408", "7800"),
                dvt_column_zoned("0090B0E4E931D408", "7900"), false, "another offset");
    expect_same(dvt_column_zoned("0090B0E4E931D408", "7800"),
                dvt_column_zoned("0190B0E4E931D408", "7800"), false, "other ticks");
    expect_same(dvt_column_zoned("0000000000000080", "7800"),
                dvt_column_zoned("0000000000000080", "0000"), true, "NA");
}

static void expect_same_vectors(dv_type item, int32_t size, const char *const a[3],
                                const char *const b[3], bool want, const char *story)
{
    dv_column_view a_items = dvt_column_fixed(item, a[0]), b_items = dvt_column_fixed(item, b[0]);
    expect_same(dvt_column_vector(&a_items, size, a[1], a[2]),
                dvt_column_vector(&b_items, size, b[1], b[2]), want, story);
    dvt_column_free(&a_items);
    dvt_column_free(&b_items);
}

#define DENSE(items) ((const char *const[]){items, "FFFFFFFF", ""})
#define SPARSE(items, count, indices) ((const char *const[]){items, count "000000", indices})

Test(value, vectors_are_the_same_slot_by_slot)
{
    const dv_type u1 = dv_type_of(DV_KIND_U1), r4 = dv_type_of(DV_KIND_R4);
    expect_same_vectors(u1, 3, DENSE("010203"), DENSE("010203"), true, "dense");
    expect_same_vectors(u1, 3, DENSE("010203"), DENSE("010204"), false, "dense");
    expect_same_vectors(u1, 3, DENSE("000500"), SPARSE("05", "01", "01000000"), true,
                        "dense and sparse");
    expect_same_vectors(u1, 3, DENSE("000500"), SPARSE("05", "01", "02000000"), false,
                        "another slot");
    expect_same_vectors(u1, 3, DENSE("000501"), SPARSE("05", "01", "01000000"), false,
                        "a slot more");
    expect_same_vectors(u1, 3, SPARSE("0500", "02", "0000000002000000"),
                        SPARSE("05", "01", "00000000"), true, "a stored default");
    expect_same_vectors(u1, 3, SPARSE("", "00", ""), DENSE("000000"), true, "nothing stored");
    expect_same_vectors(r4, 2, DENSE("0000000000000080"), SPARSE("", "00", ""), false,
                        "-0 and a hole");
    expect_same_vectors(r4, 2, DENSE("0000C0FF00000000"), SPARSE("0000C0FF", "01", "00000000"),
                        true, "NaN");

    dv_column_view items = dvt_column_fixed(u1, "0000");
    dv_column_view two = dvt_column_vector(&items, 0, "FFFFFFFF", ""),
                   one = dvt_column_vector(&items, 0, "FFFFFFFF", "");
    two.as.vector.length = 2;
    one.as.vector.length = 1;
    expect_same(two, one, false, "another length");
    dvt_column_free(&items);
}

Test(value, holes_are_empty_text_not_na)
{
    dv_column_view empty = dvt_column_text(DV_KIND_TX, "", 0, "00000000"),
                   na = dvt_column_text(DV_KIND_TX, "", 0, "00000080");
    dv_column_view none = dvt_column_text(DV_KIND_TX, "", 0, "");
    expect_same(dvt_column_vector(&empty, 3, "01000000", "01000000"),
                dvt_column_vector(&none, 3, "00000000", ""), true, "empty");
    expect_same(dvt_column_vector(&na, 3, "01000000", "01000000"),
                dvt_column_vector(&none, 3, "00000000", ""), false, "NA");
    dvt_column_free(&empty);
    dvt_column_free(&na);
    dvt_column_free(&none);
}
