/* SPDX-License-Identifier: MIT */
/* test_decimal.c: reals parsed from text have the bits that strtod and strtof return, for chosen
 * texts and for DV_DRAWS random ones drawn from the seed DV_SEED. */
#include "support/test.h"

#include "codec/parse.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_NBYTES = 1600 };

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/* 0..below-1 */
static int draw_int(uint64_t *state, int below)
{
    return (int)((draw(state) >> 11) % (uint64_t)below);
}

static double r8_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float r4_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Does the C library read the same value in both widths? The sign of a zero is taken from the text,
 * because musl loses it. */
static bool is_as_libc(const char *text)
{
    double r8;
    float r4;
    const size_t n = strlen(text);
    if (!dvi_parse_r8(&r8, text, n, n, '.') || !dvi_parse_r4(&r4, text, n, n, '.'))
        return false;
    const bool is_negative = *text == '-';
    double want8 = strtod(text, NULL);
    float want4 = strtof(text, NULL);
    want8 = want8 == 0 ? copysign(want8, is_negative ? -1 : 1) : want8;
    want4 = want4 == 0 ? copysignf(want4, is_negative ? -1 : 1) : want4;
    return memcmp(&r8, &want8, sizeof r8) == 0 && memcmp(&r4, &want4, sizeof r4) == 0;
}

static void expect(const char *text)
{
    cr_expect(is_as_libc(text), "%.200s", text);
}

/* --- Chosen texts ----------------------------------------------------------------------------- */

Test(decimal, known_troublemakers)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0",
        "1",
        "10",
        "0.1",
        "123456789012345678",
        "1234567890123456789",
        "12345678901234567890",
        "18446744073709551615",
        "18446744073709551616",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740994",
        "9007199254740995",
        "9007199254740993.0",
        "9007199254740993.00000000000000000000000001",
        "9007199254740992.99999999999999999999999999",
        "90071992547409930e-1",
        "16777217",
        "16777217.0",
        "16777217.0000000001",
        "16777216.9999999999",
        "16777219",
        "8388608.5",
        "8388609.5",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "8.5e22",
        "5e-324",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "7.4109846876186982e-324",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1.797693134862315807e308",
        "1.797693134862315808e308",
        "1.4e-45",
        "1.401298464324817e-45",
        "7.006492321624085e-46",
        "7.006492321624086e-46",
        "1.1754942e-38",
        "1.17549428e-38",
        "1.1754943508222875e-38",
        "3.4028235e38",
        "3.40282356e38",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "3.4028235677973367e38",
        "1.00000017881393421514957253748434",
        "1.00000017881393432617187499",
        "1.000000178813934326171875",
        "1.00000017881393432617187501",
        "6.02214076e23",
        "6.62607015e-34",
        "1e308",
        "1e309",
        "1e-323",
        "1e-324",
        "1e-342",
        "1e-343",
        "1e-344",
        "1e38",
        "1e39",
        "1e-45",
        "1e-46",
        "1e-64",
        "1e-65",
        "9999999999999999999e-342",
        "9999999999999999999e-343",
        "9999999999999999999e289",
        "9999999999999999999e-64",
        "9999999999999999999e-65",
        "9999999999999999999e19",
        "9999999999999999999e20",
        "0.000000000000000000000000000000000000000000000000000000000001",
        "100000000000000000000000000000000000000000000000000000000000000",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i]);
}

/* A mantissa, `zeros` zeros, and an exponent that cancels them. */
static void expect_padded(const char *head, int zeros, const char *tail)
{
    char text[TEXT_NBYTES];
    const size_t n = strlen(head);
    memcpy(text, head, n);
    memset(text + n, '0', (size_t)zeros);
    snprintf(text + n + (size_t)zeros, sizeof text - n - (size_t)zeros, "%s", tail);
    expect(text);
}

Test(decimal, zeros_and_exponents_of_any_length)
{
    expect_padded("0.", 400, "1e400");
    expect_padded("0.", 1000, "123456789012345678901234567890e1000");
    expect_padded("1", 400, "e-400");
    expect_padded("1", 1000, "e-1300");
    expect_padded("1", 1000, "");
    expect_padded("0", 1000, "");
    expect_padded("0.", 1000, "");
    expect_padded("0", 1000, ".5");
    expect_padded("1.", 1000, "1");
    expect_padded("1e", 1000, "5");
    expect_padded("1e-", 1000, "5");
    expect_padded("9007199254740993.", 900, "1");
    expect_padded("9007199254740993.", 900, "");
    expect("1e99999999999999999999999999");
    expect("1e-99999999999999999999999999");
    expect("0e99999999999999999999999999");
    expect("1e9223372036854775807");
    expect("1e-9223372036854775808");
    expect("1e18446744073709551616");
    expect("1e100000000000000000");
    expect("1e999999999999999999");
}

/* Whether both parsers accept the text and return the same number, or both refuse it. */
static void expect_or_bad(const char *text)
{
    double r8;
    float r4;
    char *end;
    const size_t n = strlen(text);
    strtod(text, &end);
    const bool is_good = end > text && end[strspn(end, " ")] == '\0';
    cr_expect(dvi_parse_r8(&r8, text, n, n, '.') == is_good, "'%s'", text);
    cr_expect(dvi_parse_r4(&r4, text, n, n, '.') == is_good, "'%s'", text);
    cr_expect(!is_good || is_as_libc(text), "'%s'", text);
}

/* Any byte at any offset of the text. White space alone is the default; strtod refuses it. */
static void expect_with_any_byte(const char *text)
{
    static const char bytes[] = "/:.-+eE \x01\x7F\xB1";
    expect_or_bad(text);
    for (size_t at = 0; at < strlen(text); at++)
        for (const char *byte = bytes; *byte; byte++) {
            char spoiled[32];
            snprintf(spoiled, sizeof spoiled, "%s", text);
            spoiled[at] = *byte;
            if (strspn(spoiled, " ") < strlen(spoiled))
                expect_or_bad(spoiled);
        }
}

/* Short texts are parsed by other code than long ones. */
Test(decimal, short_texts_with_the_point_anywhere)
{
    static const char *const signs[] = {"", "-", "+"};
    static const char *const digits[] = {"9876543210", "0000000000", "0010020030"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            for (int n = 1; n <= 10; n++)
                for (int whole = 0; whole <= n; whole++) {
                    char text[32];
                    snprintf(text, sizeof text, "%s%.*s.%.*s", signs[i], whole, digits[k],
                             n - whole, digits[k] + whole);
                    expect_with_any_byte(text);
                    snprintf(text, sizeof text, "%s%.*s", signs[i], n, digits[k]);
                    expect_with_any_byte(text);
                }
}

#ifdef __GLIBC__
static const bool libc_rounds = true;
#else /* musl rounds negative numbers as if they were positive: to 0 where the smallest is next */
static const bool libc_rounds = false;
#endif

/* For each power of two, in each width: the number, both midpoints, and numbers close to them. */
static void expect_around(long double number, long double step)
{
    for (int i = -3; i <= 3; i++) {
        const long double near = number + step * i / 2;
        if (near < 0 && !libc_rounds)
            continue;
        char text[TEXT_NBYTES];
        const int n = snprintf(text, sizeof text, "%.1100Le", near);
        expect(text);
        char *last = strchr(text, 'e') - 1;
        *last = '1';
        expect(text);
        if (n > 1000) { /* truncated */
            text[800] = 'e';
            memmove(text + 800, last + 1, strlen(last + 1) + 1);
            expect(text);
        }
    }
}

Test(decimal, midpoints_beside_powers_of_two)
{
    for (int power = -1074; power <= 1023; power++)
        expect_around(ldexpl(1, power), ldexpl(1, power - 53 < -1074 ? -1074 : power - 53));
    for (int power = -149; power <= 127; power++)
        expect_around(ldexpl(1, power), ldexpl(1, power - 24 < -149 ? -149 : power - 24));
}

Test(decimal, powers_of_ten)
{
    for (int power = -400; power <= 400; power++)
        for (int digits = 1; digits < 100; digits += 7) {
            char text[64];
            snprintf(text, sizeof text, "%de%d", digits, power);
            expect(text);
            snprintf(text, sizeof text, "%d.%de%d", digits, digits, power);
            expect(text);
        }
}

/* --- Drawn texts ------------------------------------------------------------------------------ */

static void draw_digits(char *dst, int n, uint64_t *state)
{
    for (int i = 0; i < n; i++)
        dst[i] = (char)('0' + draw_int(state, 10));
    dst[n] = '\0';
}

/* Digits, a point somewhere, an exponent. */
static void draw_shape(char *dst, size_t cap, uint64_t *state)
{
    char whole[1024], fraction[1024];
    const int most = draw_int(state, 50) == 0 ? 700 : draw_int(state, 3) == 0 ? 40 : 12;
    draw_digits(whole, draw_int(state, most), state);
    draw_digits(fraction, 1 + draw_int(state, most), state);
    const char *sign = draw_int(state, 3) == 0 ? "-" : "";
    if (draw_int(state, 2))
        snprintf(dst, cap, "%s%s.%s", sign, whole, fraction);
    else
        snprintf(dst, cap, "%s%s.%se%d", sign, whole, fraction, draw_int(state, 700) - 360);
}

/* The midpoint of two neighbours, with all its digits or fewer. */
static void draw_midpoint(char *dst, size_t cap, uint64_t *state)
{
    const uint64_t bits = draw(state);
    long double middle;
    if (bits & 1)
        middle = ((long double)r4_of((uint32_t)(bits >> 32)) +
                  (long double)r4_of((uint32_t)(bits >> 32) + 1)) /
                 2;
    else
        middle = ((long double)r8_of(bits) + (long double)r8_of(bits + 1)) / 2;
    const int digits = draw_int(state, 8) ? draw_int(state, 60) : draw_int(state, 1100);
    snprintf(dst, cap, "%.*Le", digits, middle);
}

/* About as many digits as fit in a double, or in 64 bits, after zeros or not. */
static void draw_long(char *dst, size_t cap, uint64_t *state)
{
    char digits[32];
    draw_digits(digits, 15 + draw_int(state, 8), state);
    const int whole = draw_int(state, 20), zeros = draw_int(state, 3) ? 0 : draw_int(state, 8);
    snprintf(dst, cap, "%.*s%.*s.%se%d", zeros, "00000000", whole, digits,
             digits + (whole < (int)strlen(digits) ? whole : 0), draw_int(state, 60) - 40);
}

static void draw_text(char *dst, size_t cap, uint64_t *state)
{
    const uint64_t bits = draw(state);
    switch (draw_int(state, 8)) {
    case 0:
        snprintf(dst, cap, "%.*e", draw_int(state, 24), r8_of(bits));
        return;
    case 1:
        snprintf(dst, cap, "%.*e", draw_int(state, 14), (double)r4_of((uint32_t)bits));
        return;
    case 2: /* subnormal */
        snprintf(dst, cap, "%.*e", draw_int(state, 24), r8_of(bits >> (12 + bits % 40)));
        return;
    case 3:
        snprintf(dst, cap, "%.*f", draw_int(state, 9), (double)(bits >> (bits % 60)) / 1000);
        return;
    case 4:
        draw_midpoint(dst, cap, state);
        return;
    case 5:
        draw_long(dst, cap, state);
        return;
    case 6: /* of 8 bytes at most */
        snprintf(dst, cap, "%.*f", draw_int(state, 6),
                 (double)((int32_t)bits >> (8 + draw_int(state, 24))) / 1000);
        return;
    default:
        draw_shape(dst, cap, state);
    }
}

Test(decimal, drawn_texts)
{
    const char *asked = getenv("DV_DRAWS");
    const char *seed = getenv("DV_SEED");
    const long draws = asked ? atol(asked) : 200000;
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15) + (seed ? strtoull(seed, NULL, 10) : 0);
    long wrong = 0;
    for (long i = 0; i < draws; i++) {
        char text[2 * TEXT_NBYTES];
        draw_text(text, sizeof text, &state);
        if (strpbrk(text, "in") || is_as_libc(text)) /* inf and nan: see parse_real */
            continue;
        cr_expect(++wrong > 10, "draw %ld: %s", i, text);
    }
    cr_expect_eq(wrong, 0);
    cr_log_info("%ld texts drawn", draws);
}
