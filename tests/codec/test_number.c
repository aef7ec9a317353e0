/* SPDX-License-Identifier: MIT */
/* test_number.c: printed numbers: digits, layout, independence of the locale. */
#include "support/test.h"

#include "codec/number.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The output of a printer, with a NUL after it, in a buffer followed by a guard. */
typedef struct printed {
    char text[DVI_NUMBER_NBYTES + 2];
} printed;

static printed finish(printed p, size_t n)
{
    cr_assert_leq(n, DVI_NUMBER_NBYTES);
    cr_expect_eq(p.text[DVI_NUMBER_NBYTES], '~', "bytes after its room were touched");
    p.text[n] = '\0';
    return p;
}

static printed blank(void)
{
    printed p;
    memset(p.text, '~', sizeof p.text);
    return p;
}

static printed print_r4(float value)
{
    printed p = blank();
    return finish(p, dvi_number_print_r4(p.text, value));
}

static printed print_r8(double value)
{
    printed p = blank();
    return finish(p, dvi_number_print_r8(p.text, value));
}

static printed print_g17(double value)
{
    printed p = blank();
    return finish(p, dvi_number_print_r8_g17(p.text, value));
}

static float r4_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double r8_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* --- Integers --------------------------------------------------------------------------------- */

static void expect_i8(int64_t value, const char *want)
{
    printed p = blank();
    p = finish(p, dvi_number_print_i8(p.text, value));
    cr_expect_str_eq(p.text, want, "%s, not %s", p.text, want);
}

static void expect_u8(uint64_t value, const char *want)
{
    printed p = blank();
    p = finish(p, dvi_number_print_u8(p.text, value));
    cr_expect_str_eq(p.text, want, "%s, not %s", p.text, want);
}

Test(number, integers)
{
    expect_i8(0, "0");
    expect_i8(-1, "-1");
    expect_i8(10, "10");
    expect_i8(INT64_MAX, "9223372036854775807");
    expect_i8(INT64_MIN, "-9223372036854775808");
    expect_u8(0, "0");
    expect_u8(9, "9");
    expect_u8(UINT64_MAX, "18446744073709551615");
    for (uint64_t power = 10; power < UINT64_MAX / 10; power *= 10) {
        char text[32];
        snprintf(text, sizeof text, "%llu", (unsigned long long)power);
        expect_u8(power, text);
        snprintf(text, sizeof text, "-%llu", (unsigned long long)power - 1);
        expect_i8(1 - (int64_t)power, text);
    }
}

/* The shortest ones have a path of their own. */
Test(number, all_short_integers)
{
    for (int value = 0; value <= 20000; value++) {
        char text[32];
        snprintf(text, sizeof text, "-%d", value);
        expect_u8((uint64_t)value, text + 1);
        if (value > 0)
            expect_i8(-value, text);
    }
}

/* --- Reals: vectors --------------------------------------------------------------------------- */

typedef struct r4_case {
    uint32_t bits;
    const char *text;
} r4_case;

/* Written by ML.NET's text saver, and the vectors of semantics:4.5. */
static const r4_case r4_cases[] = {
    {0x3F800000, "1"},
    {0xBF800000, "-1"},
    {0x7F800000, "Infinity"},
    {0x00000001, "1E-45"},
    {0x80000001, "-1E-45"},
    {0x007FFFFF, "1.1754942E-38"},
    {0x00800000, "1.1754944E-38"},
    {0x7F7FFFFF, "3.4028235E+38"},
    {0xFF7FFFFF, "-3.4028235E+38"},
    {0x3DCCCCCD, "0.1"},
    {0x3EAAAAAB, "0.33333334"},
    {0x4B800001, "16777218"},
    {0x4B7FFFFF, "16777215"},
    {0x3F7FFFFF, "0.99999994"},
    {0x40490FDB, "3.1415927"},
    {0x358637BD, "1E-06"},
    {0x4B189680, "10000000"},
    {0x4CBEBC20, "100000000"},
    {0x2EDBE6FF, "1E-10"},
    {0x5F000000, "9.223372E+18"},
    {0x5F800000, "1.8446744E+19"},
    {0x33000000, "2.9802322E-08"},
    {0x4E6E6B28, "1E+09"},
    {0x4E932C06, "1.234568E+09"},
    {0x4D6B79A3, "246913580"},
    {0x4E6B79A3, "987654340"},
    {0xE7DFA076, "-2.1120954E+24"},
    {0xFE1BE7B3, "-5.180835E+37"},
    {0x8F8D7C0F, "-1.3951459E-29"},
    {0x98E0C57A, "-5.8102043E-24"},
    {0x6C8E980E, "1.3790842E+27"},
    {0x9D22FB9C, "-2.15706E-21"},
    {0xFDD218B9, "-3.490828E+37"},
    {0xF38905C2, "-2.171208E+31"},
    {0x03F1E157, "1.4216442E-36"},
    {0x98B3B1B0, "-4.6449834E-24"},
    {0x1CCD71B3, "1.3595153E-21"},
    {0x58458A8D, "8.6879545E+14"},
    {0x32B860C6, "2.1464427E-08"},
    {0x60434765, "5.6285306E+19"},
    {0xAE501A6B, "-4.731719E-11"},
    {0x2AC6B820, "3.5299628E-13"},
    {0x10D22CF3, "8.289965E-29"},
    {0xC0ED6A63, "-7.4192367"},
    {0x241108AF, "3.1449218E-17"},
    {0xFE6D77DF, "-7.891236E+37"},
    {0xF4291520, "-5.358439E+31"},
    {0xBA61420A, "-0.00085929094"},
    {0xD89A9932, "-1.3598621E+15"},
    {0xA3FF90A8, "-2.770842E-17"},
    {0xA111E931, "-4.9436537E-19"},
    {0xA89862D5, "-1.6918252E-14"},
    {0x43F0ECCD, "481.85"},
    {0x4476F99A, "987.9"},
    {0x4421F3F8, "647.812"},
    {0x440D525E, "565.287"},
    {0xC0E90625, "-7.282"},
    {0x443EDD2F, "763.456"},
    {0x42C3E873, "97.954"},
    {0x0F800000, "1.2621775E-29"},
    {0x00000000, "0"},
    {0x80000000, "-0"},
    {0xFF800000, "-Infinity"},
    {0x7FC00000, "NaN"},
    {0xFFC00000, "NaN"},
    {0x3727C5AC, "1E-05"},
    {0x38D1B717, "0.0001"},
    {0x4B800000, "16777216"},
    {0x4CEB79A3, "123456790"},
    {0x4C000136, "33555670"},  /* a midpoint has fewer digits, below */
    {0x4C00022A, "33556650"},  /* and above */
    {0x3F808000, "1.0039062"}, /* in the middle of two decimals */
};

typedef struct r8_case {
    uint64_t bits;
    const char *text;
} r8_case;

/* Digits by CPython's repr, in the layout of semantics:4.4. */
static const r8_case r8_cases[] = {
    {0x0000000000000000, "0"},
    {0x8000000000000000, "-0"},
    {0x3FF0000000000000, "1"},
    {0xBFF0000000000000, "-1"},
    {0x3FB999999999999A, "0.1"},
    {0x3FD5555555555555, "0.3333333333333333"},
    {0x4341C37937E08000, "10000000000000000"},
    {0x4376345785D8A000, "1E+17"},
    {0x3EE4F8B588E368F1, "1E-05"},
    {0x3F1A36E2EB1C432D, "0.0001"},
    {0x0000000000000001, "5E-324"},
    {0x0010000000000000, "2.2250738585072014E-308"},
    {0x000FFFFFFFFFFFFF, "2.225073858507201E-308"},
    {0x7FEFFFFFFFFFFFFF, "1.7976931348623157E+308"},
    {0x44B52D02C7E14AF6, "1E+23"},
    {0x4340000000000000, "9007199254740992"},
    {0x437B69B4BA630F35, "1.2345678901234568E+17"},
    {0x4480F0CF064DD592, "1E+22"},
    {0x444B1AE4D6E2EF50, "1E+21"},
    {0x4376345785D89FFF, "99999999999999980"},
    {0x40C81CD6C8B43958, "12345.678"},
    {0x40821EBC6A7EF9DB, "579.842"},
    {0xC08971A9FBE76C8B, "-814.208"},
    {0x47EFFFFFE0000000, "3.4028234663852886E+38"},
    {0x986D6787D39E92C3, "-5.1559099638822504E-191"},
    {0x3FEA1C462026086D, "0.8159514072324449"},
    {0x3E19C511DC3A41DF, "1.5E-09"},
    {0x4330000000000000, "4503599627370496"},
    {0x36DC8B8218854567, "2E-44"},
    {0x7E37E43C8800759C, "1E+300"},
    {0x81A56E1FC2F8F359, "-1E-300"},
    {0x7FF0000000000000, "Infinity"},
    {0xFFF0000000000000, "-Infinity"},
    {0x7FF8000000000000, "NaN"},
    {0x0020000000000000, "4.450147717014403E-308"},
    {0x3D30000000000000, "5.684341886080802E-14"},
    {0x3E70000000000000, "5.960464477539063E-08"},
    {0x44C0000000000000, "1.5111572745182865E+23"},
    {0x4580000000000000, "6.189700196426902E+26"},
    {0x4630000000000000, "1.2676506002282294E+30"},
    {0x5F30000000000000, "3.273390607896142E+150"},
    {0x7FE0000000000000, "8.98846567431158E+307"},
    {0x4365B5ECD818C1FC, "48888026826674140"},      /* a midpoint has fewer digits, below */
    {0x43505F23F659A27C, "18432830755736050"},      /* and above */
    {0x42D9AD63A5D059A8, "112929967391078.62"},     /* in the middle of two decimals */
    {0x1480000000000000, "6.083493012144512E-210"}, /* the closest is too far below */
    {0xD120000000000000, "-6.070840288205404E+82"},
};

static void expect_vectors(void)
{
    for (size_t i = 0; i < sizeof r4_cases / sizeof *r4_cases; i++) {
        const printed p = print_r4(r4_of(r4_cases[i].bits));
        cr_expect_str_eq(p.text, r4_cases[i].text, "%s, not %s", p.text, r4_cases[i].text);
    }
    for (size_t i = 0; i < sizeof r8_cases / sizeof *r8_cases; i++) {
        const printed p = print_r8(r8_of(r8_cases[i].bits));
        cr_expect_str_eq(p.text, r8_cases[i].text, "%s, not %s", p.text, r8_cases[i].text);
    }
}

Test(number, vectors)
{
    expect_vectors();
}

Test(number, the_locale_has_no_effect)
{
    const char *const locales[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    int comma = 0;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        comma += setlocale(LC_ALL, locales[i]) && *localeconv()->decimal_point == ',';
        expect_vectors();
    }
    setlocale(LC_ALL, "C");
    if (!comma)
        cr_skip_test("no locale with a decimal comma is installed");
}

/* --- Reals: properties of every text ---------------------------------------------------------- */

/* The digits of a text without leading and trailing zeros, and the exponent of the first. */
typedef struct split_number {
    char digits[DVI_NUMBER_NBYTES];
    int count, exponent;
} split_number;

static split_number split_text(const char *text)
{
    split_number s = {.exponent = -1};
    bool is_fraction = false;
    for (text += *text == '-'; *text && *text != 'E'; text++) {
        if (*text == '.') {
            is_fraction = true;
            continue;
        }
        s.exponent += !is_fraction && (s.count > 0 || *text != '0');
        s.exponent -= is_fraction && s.count == 0 && *text == '0';
        if (s.count > 0 || *text != '0')
            s.digits[s.count++] = *text;
    }
    while (s.count > 0 && s.digits[s.count - 1] == '0')
        s.count--;
    s.digits[s.count] = '\0';
    if (*text == 'E')
        s.exponent += atoi(text + 1);
    return s;
}

static void expect_layout(const char *text, const split_number *s, int limit)
{
    const int most = s->count > limit ? s->count : limit;
    const bool is_scientific = s->exponent <= -5 || s->exponent >= most;
    cr_expect_eq(strchr(text, 'E') != NULL, is_scientific, "%s", text);
    cr_expect(strspn(text, "-0123456789.E+") == strlen(text), "%s", text);
}

/* Print `digits`, plus `change` in the last one, with the exponent of the first digit. */
static void shift_digits(char *dst, size_t cap, const char *digits, int change, int exponent)
{
    const long long number = atoll(digits) + change;
    snprintf(dst, cap, "%lldE%d", number, exponent - (int)strlen(digits) + 1);
}

/* Whether the decimal below or above, with one digit less, reads back as the value. */
static bool has_shorter(const split_number *s, double value, bool is_r4)
{
    char fewer[DVI_NUMBER_NBYTES], text[64];
    snprintf(fewer, sizeof fewer, "%.*s", s->count - 1, s->digits);
    for (int change = 0; change < 2; change++) {
        shift_digits(text, sizeof text, fewer, change, s->exponent);
        if (is_r4 ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
            return true;
    }
    return false;
}

static void expect_shortest(const char *text, double value, bool is_r4)
{
    const double size = fabs(value);
    const double back = is_r4 ? (double)strtof(text, NULL) : strtod(text, NULL);
    cr_expect_eq(memcmp(&back, &value, sizeof value), 0, "%s reads as %a, not %a", text, back,
                 value);
    const split_number s = split_text(text);
    expect_layout(text, &s, is_r4 ? 9 : 17);
    if (s.count > 1)
        cr_expect_not(has_shorter(&s, size, is_r4), "%s is not the shortest", text);

    char nearest[64];
    snprintf(nearest, sizeof nearest, "%.*e", s.count - 1, size);
    if (is_r4 ? strtof(nearest, NULL) == (float)size : strtod(nearest, NULL) == size) {
        *strchr(nearest, 'e') = 'E';
        const split_number n = split_text(nearest);
        cr_expect_str_eq(s.digits, n.digits, "%s is not nearest", text);
    }
}

static void expect_r4(uint32_t bits)
{
    const float value = r4_of(bits);
    if (!isfinite(value) || value == 0)
        return;
    const printed p = print_r4(value);
    expect_shortest(p.text, (double)value, true);
}

/* 17 digits, compared with %.17G. */
static void expect_g17(double value)
{
    char want[64];
    snprintf(want, sizeof want, "%.17G", value);
    const printed p = print_g17(value);
    cr_expect_str_eq(p.text, want, "%s, not %s", p.text, want);
}

static void expect_r8(uint64_t bits)
{
    const double value = r8_of(bits);
    if (!isfinite(value) || value == 0)
        return;
    expect_g17(value);
    const printed p = print_r8(value);
    expect_shortest(p.text, value, false);
}

Test(number, powers_of_two_and_their_neighbours)
{
    for (uint32_t exponent = 0; exponent < 255; exponent++)
        for (uint32_t k = 0; k < 3; k++)
            expect_r4((exponent << 23) + k - 1);
    for (uint64_t exponent = 0; exponent < 2047; exponent++)
        for (uint64_t k = 0; k < 3; k++)
            expect_r8((exponent << 52) + k - 1);
    for (int bit = 0; bit < 23; bit++)
        expect_r4(UINT32_C(1) << bit);
    for (int bit = 0; bit < 52; bit++)
        expect_r8(UINT64_C(1) << bit);
}

Test(number, draws_of_every_size)
{
    uint64_t state = 20170101;
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = draw(&state);
        expect_r4((uint32_t)bits);
        expect_r8(bits);
    }
}

Test(number, draws_with_few_digits)
{
    uint64_t state = 42;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        snprintf(text, sizeof text, "%lluE%d", (unsigned long long)(draw(&state) % 1000000),
                 (int)(draw(&state) % 60) - 35);
        const double wide = strtod(text, NULL);
        const float narrow = strtof(text, NULL);
        uint64_t wide_bits;
        uint32_t narrow_bits;
        memcpy(&wide_bits, &wide, sizeof wide);
        memcpy(&narrow_bits, &narrow, sizeof narrow);
        expect_r8(wide_bits);
        expect_r4(narrow_bits);
    }
}

/* --- Reals with 17 digits --------------------------------------------------------------------- */

Test(number, seventeen_digits)
{
    static const r8_case cases[] = {
        {0x3FB999999999999A, "0.10000000000000001"}, /* semantics:4.5, vectors 172 to 177 */
        {0x3FD5555555555555, "0.33333333333333331"},
        {0x4376345785D8A000, "1E+17"},
        {0x4341C37937E08000, "10000000000000000"},
        {0x0000000000000001, "4.9406564584124654E-324"},
        {0x3EE4F8B588E368F1, "1.0000000000000001E-05"},
        {0x0000000000000000, "0"},
        {0x8000000000000000, "-0"},
        {0xFFF0000000000000, "-Infinity"},
        {0xFFF8000000000000, "NaN"},
        {0x7FEFFFFFFFFFFFFF, "1.7976931348623157E+308"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const printed p = print_g17(r8_of(cases[i].bits));
        cr_expect_str_eq(p.text, cases[i].text, "%s, not %s", p.text, cases[i].text);
    }
}

/* The midpoint of two texts is rounded to the even one: a quarter after 16 digits. */
Test(number, seventeen_digits_of_a_middle)
{
    for (double whole = 1000000000000000; whole < 1000000000000064; whole++) {
        expect_g17(whole + 0.25);
        expect_g17(whole + 0.75);
    }
    expect_g17(562949953421312.125 + 1);
    expect_g17(140737488355328.0625);
}

/* Numbers that round up to a power of ten, and numbers just below one. */
Test(number, seventeen_digits_beside_powers_of_ten)
{
    for (int power = -323; power <= 308; power++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", power);
        const double value = strtod(text, NULL);
        expect_g17(value);
        expect_g17(nextafter(value, 0));
        expect_g17(nextafter(value, INFINITY));
    }
}
