/* SPDX-License-Identifier: MIT */
/* test_parse_integer.c: parsed integers of every width at their limits; tokens, words, row ids. */
#include "support/test.h"

#include "codec/number.h"
#include "codec/parse.h"
#include "support/page.h"
#include <stdio.h>
#include <string.h>

/* --- All parsers ------------------------------------------------------------------------------ */

/* A value widened, and whether it was good. */
typedef struct answer {
    int64_t value;
    bool is_good;
} answer;

typedef answer read_fn(const char *src, size_t n, size_t room);

#define READER(name, type)                                                                         \
    static answer read_##name(const char *src, size_t n, size_t room)                              \
    {                                                                                              \
        type value;                                                                                \
        const bool is_good = dvi_parse_##name(&value, src, n, room);                               \
        return (answer){(int64_t)value, is_good};                                                  \
    }
READER(i1, int8_t)
READER(i2, int16_t)
READER(i4, int32_t)
READER(i8, int64_t)
READER(u1, uint8_t)
READER(u2, uint16_t)
READER(u4, uint32_t)
READER(u8, uint64_t)

static answer read_bl(const char *src, size_t n, size_t room)
{
    int8_t value;
    (void)room;
    const bool is_good = dvi_parse_bl(&value, src, n);
    return (answer){value, is_good};
}

static void expect_answer(answer got, const char *text, const char *after, int64_t value,
                          bool is_good)
{
    cr_expect(got.value == value && got.is_good == is_good, "'%s' '%s': %lld %d", text, after,
              (long long)got.value, got.is_good);
}

/* The text, with what is after it, ends at a guard page; then it starts after one. */
static void expect(read_fn *read, const char *text, int64_t value, bool is_good)
{
    static const char *const after[] = {"",       "7",       ",",        "-",
                                        "123456", "1234567", "12345678", ",-7,890\xFF"};
    const size_t n = strlen(text);
    const dvt_page page = dvt_shared_page(0);
    char all[64];
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        const size_t room = (size_t)snprintf(all, sizeof all, "%s%s", text, after[i]);
        cr_assert_lt(room, sizeof all);
        const char *src = (const char *)dvt_page_copy_end(page, all, room);
        expect_answer(read(src, n, room), text, after[i], value, is_good);
        expect_answer(read(src, n, n), text, after[i], value, is_good);
    }
    const char *at_start = (const char *)dvt_page_copy_start(page, text, n);
    expect_answer(read(at_start, n, n), text, "", value, is_good);
}

/* A number plus `step`, printed. */
static void expect_number(read_fn *read, bool is_signed, int64_t number, int64_t value,
                          bool is_good)
{
    char text[DVI_NUMBER_NBYTES + 1];
    const size_t n =
        is_signed ? dvi_number_print_i8(text, number) : dvi_number_print_u8(text, (uint64_t)number);
    text[n] = '\0';
    expect(read, text, value, is_good);
}

Test(parse_integer, signed_at_their_limits)
{
    static const struct {
        read_fn *read;
        int64_t most;
    } types[] = {{read_i1, INT8_MAX}, {read_i2, INT16_MAX}, {read_i4, INT32_MAX}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        read_fn *read = types[i].read;
        const int64_t most = types[i].most, na = -most - 1;
        expect_number(read, true, most, most, true);
        expect_number(read, true, -most, -most, true);
        expect_number(read, true, na, na, true);
        expect_number(read, true, most + 1, na, false);
        expect_number(read, true, na - 1, na, false);
        expect_number(read, true, INT64_MAX, na, false);
        expect_number(read, true, INT64_MIN, na, false);
    }
    expect_number(read_i8, true, INT64_MAX, INT64_MAX, true);
    expect_number(read_i8, true, -INT64_MAX, -INT64_MAX, true);
    expect(read_i8, "-9223372036854775808", INT64_MIN, true);
    expect(read_i8, "9223372036854775808", INT64_MIN, false);
    expect(read_i8, "-9223372036854775809", INT64_MIN, false);
    expect(read_i8, "18446744073709551617", INT64_MIN, false);
    expect(read_i8, "99999999999999999999999999999999", INT64_MIN, false);
}

Test(parse_integer, unsigned_at_their_limits)
{
    expect(read_u1, "255", 255, true);
    expect(read_u1, "256", 0, false);
    expect(read_u2, "65535", 65535, true);
    expect(read_u2, "65536", 0, false);
    expect(read_u4, "4294967295", UINT32_MAX, true);
    expect(read_u4, "4294967296", 0, false);
    expect(read_u8, "18446744073709551615", -1, true);
    expect(read_u8, "18446744073709551616", 0, false);
    expect(read_u8, "18446744073709551619", 0, false);
    expect(read_u8, "18446744073709551620", 0, false);
    expect(read_u8, "20000000000000000000", 0, false);
    expect(read_u8, "100000000000000000000", 0, false);
    expect(read_u8, "00000000000000000000018446744073709551615", -1, true);
}

/* Lengths 1..20 cover every path of reading eight digits at a time. */
Test(parse_integer, any_number_of_digits)
{
    char text[21] = "";
    uint64_t value = 0;
    for (size_t n = 1; n < 20; n++) {
        text[n - 1] = (char)('0' + n % 10);
        text[n] = '\0';
        value = 10 * value + n % 10;
        expect(read_u8, text, (int64_t)value, true);
        expect(read_i8, text, (int64_t)value, true);
        for (size_t i = 0; i < n; i++) {
            const char digit = text[i];
            for (const char *other = "/:- +.\x80\xB0\xFF"; *other; other++) {
                text[i] = *other;
                if (i > 0 || *other != '-')
                    expect(read_i8, text, INT64_MIN, false);
                expect(read_u8, text, 0, false);
            }
            text[i] = digit;
        }
    }
}

/* A minus in any place of up to 8 characters: only the first one is a sign, and digits follow. */
Test(parse_integer, a_sign_in_any_place)
{
    char text[10];
    for (size_t n = 1; n <= 9; n++) {
        int64_t value = 0;
        memset(text, 0, sizeof text);
        for (size_t i = 0; i < n; i++) {
            text[i] = (char)('1' + i % 9);
            value = i > 0 ? 10 * value + (int64_t)(1 + i % 9) : 0;
        }
        for (size_t i = 0; i < n; i++) {
            const char digit = text[i];
            const bool is_good = i == 0 && n > 1;
            text[i] = '-';
            expect(read_i8, text, is_good ? -value : INT64_MIN, is_good);
            expect(read_i1, text, is_good && value <= 128 ? -value : INT8_MIN,
                   is_good && value <= 128);
            expect(read_u8, text, 0, false);
            text[i] = digit;
        }
    }
}

Test(parse_integer, zeros_and_signs)
{
    expect(read_i4, "", 0, true);
    expect(read_u4, "", 0, true);
    expect(read_i4, "0", 0, true);
    expect(read_i4, "-0", 0, true);
    expect(read_i4, "-000000000000000000000000000000012", -12, true);
    expect(read_u4, "000000000000000000000000000000000", 0, true);
    static const char *const bad[] = {"-",  "--1", "+1",  "-+1", " 1",
                                      "1 ", "1.",  "1e3", "0x1", "1_0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        expect(read_i4, bad[i], INT32_MIN, false);
        expect(read_u4, bad[i], 0, false);
    }
}

Test(parse_integer, a_nul_does_not_end_a_text)
{
    int32_t value;
    cr_expect_not(dvi_parse_i4(&value, "1\0", 2, 2));
    int8_t truth;
    cr_expect_not(dvi_parse_bl(&truth, "t\0", 2));
    cr_expect_not(dvi_parse_bl(&truth, "\0", 1));
    cr_expect_not(dvi_parse_is_missing("NA\0", 3));
}

/* --- Tokens ----------------------------------------------------------------------------------- */

Test(parse_integer, tokens_of_missing_values)
{
    static const char *const tokens[] = {"?",   "NA",  "na",  "Na",  "nA", "N/A",
                                         "n/a", "NaN", "nan", "NAN", "nAn"};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        cr_expect(dvi_parse_is_missing(tokens[i], strlen(tokens[i])), "%s", tokens[i]);
        expect(read_i2, tokens[i], INT16_MIN, true);
        expect(read_bl, tokens[i], DV_BL_NA, true);
        expect(read_u2, tokens[i], 0, false);
    }
    static const char *const others[] = {"",   "??",  "N",    "A",    " NA", "NA ",
                                         "N/", "N-A", "n/an", "nana", "-?",  "\x0E/A"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect_not(dvi_parse_is_missing(others[i], strlen(others[i])), "%s", others[i]);
}

/* --- Booleans --------------------------------------------------------------------------------- */

Test(parse_integer, booleans)
{
    static const char *const words[2][10] = {
        {"0", "-", "-1", "f", "N", "no", "FALSE", "false", "False", "fALSE"},
        {"1", "+", "+1", "T", "y", "YES", "true", "TRUE", "True", "yEs"}};
    for (int value = 0; value < 2; value++)
        for (size_t i = 0; i < 10; i++)
            expect(read_bl, words[value][i], value, true);
    expect(read_bl, "", 0, true);
    static const char *const bad[] = {"2",  "00",  "01",    "+0", "-0",
                                      "on", "tru", "truee", " t", "t "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect(read_bl, bad[i], DV_BL_NA, false);
}

/* --- Row ids ---------------------------------------------------------------------------------- */

Test(parse_integer, row_ids)
{
    static const char good[] = "0xFEDCba9876543210fEdC0123456789aB";
    dv_u128 id;
    cr_expect(dvi_parse_ug(&id, good, 34));
    cr_expect_eq(id.hi, UINT64_C(0xFEDCBA9876543210));
    cr_expect_eq(id.lo, UINT64_C(0xFEDC0123456789AB));
    cr_expect(dvi_parse_ug(&id, "", 0) && id.hi == 0 && id.lo == 0);

    char text[34];
    for (size_t i = 0; i < sizeof text; i++) {
        memcpy(text, good, sizeof text);
        for (const char *other = "g/:@`G"; *other; other++) {
            text[i] = *other;
            cr_expect_not(dvi_parse_ug(&id, text, sizeof text), "%zu", i);
            cr_expect(id.hi == 0 && id.lo == 0);
        }
    }
    cr_expect_not(dvi_parse_ug(&id, good, 33));
    cr_expect_not(dvi_parse_ug(&id, "0X00000000000000000000000000000000 ", 35));
    cr_expect(dvi_parse_ug(&id, "0X00000000000000000000000000000001", 34) && id.lo == 1);
}

/* --- Keys ------------------------------------------------------------------------------------- */

static void expect_key(const dv_type *key, const char *text, uint64_t representation, bool is_good)
{
    uint64_t got = 77;
    cr_expect_eq(dvi_parse_key(&got, text, strlen(text), key), is_good, "%s", text);
    cr_expect_eq(got, representation, "%s: %llu", text, (unsigned long long)got);
}

Test(parse_integer, keys_without_a_count)
{
    const dv_type from_0 = dv_type_key(DV_KIND_U8, 0, 0), from_1 = dv_type_key(DV_KIND_U8, 1, 0);
    const dv_type late = dv_type_key(DV_KIND_U1, UINT64_MAX - 10, 0);
    const dv_type fits = dv_type_key(DV_KIND_U1, UINT64_MAX - 254, 0);
    const dv_type one_less = dv_type_key(DV_KIND_U1, UINT64_MAX - 255, 0);
    expect_key(&from_0, "18446744073709551614", UINT64_MAX, true);
    expect_key(&from_0, "18446744073709551615", 0, false);
    expect_key(&from_1, "18446744073709551615", UINT64_MAX, true);
    expect_key(&from_1, "0", 0, false);
    expect_key(&late, "18446744073709551615", 11, true);
    expect_key(&fits, "18446744073709551615", 255, true);
    expect_key(&one_less, "18446744073709551614", 255, true);
    expect_key(&one_less, "18446744073709551615", 0, false);
}

Test(parse_integer, keys_with_a_count)
{
    const dv_type last = dv_type_key(DV_KIND_U8, 0, UINT64_MAX);
    const dv_type one = dv_type_key(DV_KIND_U4, 7, 1);
    expect_key(&last, "18446744073709551614", UINT64_MAX, true);
    expect_key(&last, "18446744073709551615", 0, false);
    expect_key(&one, "7", 1, true);
    expect_key(&one, "6", 0, false);
    expect_key(&one, "8", 0, false);
    expect_key(&one, "007", 1, true);
    expect_key(&one, "", 0, true);
    expect_key(&one, "N/A", 0, true);
    expect_key(&one, "-7", 0, false);
    expect_key(&one, "7 ", 0, false);
}
