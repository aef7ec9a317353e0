/* SPDX-License-Identifier: MIT */
/* test_parse_real.c: texts that are reals and texts that are not; test_decimal.c checks rounding.
 */
#include "support/test.h"

#include "codec/parse.h"
#include "support/page.h"
#include <locale.h>
#include <stdio.h>
#include <string.h>

static uint32_t r4_bits(const char *src, size_t n, size_t room, char point, bool *is_good_out)
{
    float value;
    uint32_t bits;
    *is_good_out = dvi_parse_r4(&value, src, n, room, point);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t r8_bits(const char *src, size_t n, size_t room, char point, bool *is_good_out)
{
    double value;
    uint64_t bits;
    *is_good_out = dvi_parse_r8(&value, src, n, room, point);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Both widths; the text and the bytes after it are right before a guard page. */
static void expect_bits_before(const char *text, const char *after, char point, uint32_t want4,
                               uint64_t want8, bool is_good)
{
    char all[512];
    const size_t n = strlen(text);
    const size_t room = (size_t)snprintf(all, sizeof all, "%s%s", text, after);
    const char *src = (const char *)dvt_page_copy_end(dvt_shared_page(0), all, room);
    bool is_good4, is_good8;
    const uint32_t got4 = r4_bits(src, n, room, point, &is_good4);
    const uint64_t got8 = r8_bits(src, n, room, point, &is_good8);
    cr_expect(room < sizeof all && got4 == want4 && got8 == want8, "'%s' '%s': %08lx %016llx", text,
              after, (unsigned long)got4, (unsigned long long)got8);
    cr_expect(is_good4 == is_good && is_good8 == is_good, "'%s' '%s'", text, after);
}

static void expect_bits(const char *text, char point, uint32_t want4, uint64_t want8, bool is_good)
{
    static const char *const after[] = {"",     "7",       ".",        ",",
                                        ".5,e", "1234567", "e5.1,2 7", "........"};
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        expect_bits_before(text, after[i], point, want4, want8, is_good);
}

static void expect_number(const char *text, float want)
{
    const double want8 = (double)want;
    uint32_t bits4;
    uint64_t bits8;
    memcpy(&bits4, &want, sizeof bits4);
    memcpy(&bits8, &want8, sizeof bits8);
    expect_bits(text, '.', bits4, bits8, true);
}

static void expect_bad(const char *text)
{
    expect_bits(text, '.', DV_R4_NA_BITS, DV_R8_NA_BITS, false);
}

static void expect_nan(const char *text)
{
    expect_bits(text, '.', DV_R4_NA_BITS, DV_R8_NA_BITS, true);
}

static void expect_infinite(const char *text, bool is_negative)
{
    expect_bits(text, '.', is_negative ? 0xFF800000 : 0x7F800000,
                is_negative ? UINT64_C(0xFFF0000000000000) : UINT64_C(0x7FF0000000000000), true);
}

Test(parse_real, shapes)
{
    expect_number("5.", 5);
    expect_number(".5", 0.5F);
    expect_number("+.5", 0.5F);
    expect_number("-.5", -0.5F);
    expect_number("007.250", 7.25F);
    expect_number("1e3", 1000);
    expect_number("1E+3", 1000);
}

Test(parse_real, trailing_characters_are_bad)
{
    static const char *const texts[] = {
        ".",     "-",    "+",    "-.",    "e5",   ".e5",   "1e",        "1e+",
        "1e-",   "1ee5", "1e5.", "1.2.3", "1..2", "--1",   "+-1",       "1 2",
        "1,000", "1_0",  "0x10", "1f",    "$1",   "1e5e",  "- 1",       "1 e5",
        "1. 5",  "1e 5", "\x01", "1\x01", "\xC2", "1\xC2", "1\xE2\x80", "\xE3\x80"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_bad(texts[i]);
    bool is_good;
    r8_bits("1\0", 2, 2, '.', &is_good);
    cr_expect_not(is_good, "a NUL is no end");
    r8_bits("\0", 1, 1, '.', &is_good);
    cr_expect_not(is_good);
}

/* All 25 white-space characters, before, after, and alone; and their neighbours, which are not. */
Test(parse_real, white_space)
{
    static const char *const spaces[] = {"\t",           "\n",           "\v",
                                         "\f",           "\r",           " ",
                                         "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80",
                                         "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82",
                                         "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85",
                                         "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88",
                                         "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
                                         "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F",
                                         "\xE3\x80\x80"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        char text[32];
        snprintf(text, sizeof text, "%s%s1.5%s", spaces[i], spaces[i], spaces[i]);
        expect_number(text, 1.5F);
        snprintf(text, sizeof text, "%sNaN%s", spaces[i], spaces[i]);
        expect_nan(text);
        expect_number(spaces[i], 0);
    }
    static const char *const others[] = {
        "\b",           "\x0E",         "\x1F",         "!",
        "\xC2\x84",     "\xC2\x86",     "\xC2\xA1",     "\xE1\x9A\x81",
        "\xE1\xA0\x8E", "\xE2\x80\x8B", "\xE2\x80\xA7", "\xE2\x80\xAA",
        "\xE2\x80\xAE", "\xE2\x80\xB0", "\xE2\x81\x9E", "\xE2\x81\xA0",
        "\xE3\x80\x81", "\xEF\xBB\xBF", "\x85",         "\xA0"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char text[32];
        snprintf(text, sizeof text, "%s1.5", others[i]);
        expect_bad(text);
        snprintf(text, sizeof text, "1.5%s", others[i]);
        expect_bad(text);
    }
}

Test(parse_real, words)
{
    static const char *const nans[] = {"NaN", "?",   "NaN ", " ? ", "\tNaN\n",
                                       "nan", "NAN", "na",   "N/A"};
    for (size_t i = 0; i < sizeof nans / sizeof *nans; i++)
        expect_nan(nans[i]);
    expect_infinite("Infinity", false);
    expect_infinite(" Infinity ", false);
    expect_infinite("-Infinity", true);
    expect_infinite("\xE2\x88\x9E", false);
    expect_infinite("-\xE2\x88\x9E ", true);
    expect_infinite("1e999", false);
    expect_infinite("-1e999", true);
    static const char *const bad[] = {
        "+Infinity",  "infinity",         "INFINITY", "inf",  "-inf", "-?",
        "-NaN",       "+\xE2\x88\x9E",    "1.#INF",   "NaNs", " nan", "NA ",
        "- Infinity", "InfinityInfinity", "\xE2\x88", "-"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_bad(bad[i]);
}

Test(parse_real, blank_is_zero)
{
    expect_number("", 0);
    expect_number("   ", 0);
    expect_bits("-0", '.', 0x80000000, UINT64_C(0x8000000000000000), true);
    expect_bits("-1e-999", '.', 0x80000000, UINT64_C(0x8000000000000000), true);
    expect_number("+0", 0);
}

Test(parse_real, a_comma_as_point)
{
    expect_bits("1,5", ',', 0x3FC00000, UINT64_C(0x3FF8000000000000), true);
    expect_bits(",5", ',', 0x3F000000, UINT64_C(0x3FE0000000000000), true);
    expect_bits("1.5", ',', DV_R4_NA_BITS, DV_R8_NA_BITS, false);
    expect_bits("1,5", '.', DV_R4_NA_BITS, DV_R8_NA_BITS, false);
    const char text[] = "1,00000000000000000000000000000000000005";
    expect_bits(text, ',', 0x3F800000, UINT64_C(0x3FF0000000000000), true);
}

Test(parse_real, the_locale_has_no_effect)
{
    const char *locale = setlocale(LC_ALL, "de_DE.UTF-8");
    expect_number("1.5", 1.5F);
    expect_bad("1,5");
    setlocale(LC_ALL, "C");
    if (!locale)
        cr_skip_test("there is no locale with a decimal comma");
}

/* Groups of eight digits at every offset, before and after the point. */
Test(parse_real, any_number_of_digits)
{
    char text[64];
    for (int whole = 0; whole < 22; whole++)
        for (int fraction = whole == 0; fraction < 22; fraction++) {
            memset(text, '1', sizeof text);
            text[whole] = '.';
            text[whole + 1 + fraction] = '\0';
            bool is_good;
            const uint64_t got = r8_bits(text, strlen(text), strlen(text), '.', &is_good);
            double want = 0;
            sscanf(text, "%lf", &want);
            cr_expect(is_good && memcmp(&got, &want, sizeof got) == 0, "%s", text);
        }
}
