/* SPDX-License-Identifier: MIT */
/* test_dressed.c: numbers as spreadsheets show them, and the options that they need. */
#include "codec/dressed.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

/* A text, its dress, and the number; NULL: it is not such a number, or has no dress. */
static const struct {
    const char *text, *thousands, *affixes;
    bool parentheses;
    const char *number;
} dressed[] = {
    {"1,626.47", ",", "", false, "1626.47"},
    {"-12,003,000", ",", "", false, "-12003000"},
    {"+1,000", ",", "", false, "1000"},
    {"89.00", ",", "", false, NULL},
    {"1,62", ",", "", false, NULL},
    {"1,6260", ",", "", false, NULL},
    {"1234,567", ",", "", false, NULL},
    {",567", ",", "", false, NULL},
    {"1,,567", ",", "", false, NULL},
    {"1.234,5", ".", "", false, "1234,5"},
    {"1 234", " ", "", false, "1234"},
    {"1\xC2\xA0"
     "234",
     "\xC2\xA0", "", false, "1234"},
    {"$4.50", "", "$ %", false, "4.50"},
    {"-$3.25", "", "$ %", false, "-3.25"},
    {"$-3.25", "", "$ %", false, "-3.25"},
    {"-$-3.25", "", "$ %", false, NULL},
    {"12.5 %", "", "$ %", false, "12.5"},
    {"5", "", "$ %", false, NULL},
    {"$", "", "$ %", false, NULL},
    {"EUR 1,000", ",", "EUR", false, "1000"},
    {"(3.25)", "", "", true, "-3.25"},
    {"($1,000)", ",", "$", true, "-1000"},
    {"(-3)", "", "", true, NULL},
    {"()", "", "", true, NULL},
    {"", ",", "$", true, NULL},
};

Test(dressed, is_taken_off)
{
    for (size_t i = 0; i < sizeof dressed / sizeof *dressed; i++) {
        char dst[DVI_DRESSED_NBYTES];
        const dvi_dress dress = {dv_text_of(dressed[i].thousands), dv_text_of(dressed[i].affixes),
                                 dressed[i].parentheses, '.'};
        const size_t n = strlen(dressed[i].text);
        char *copy = malloc(n + 1); /* nothing is read beyond it */
        cr_assert_not_null(copy);
        memcpy(copy, dressed[i].text, n);
        const size_t used = dvi_undress(dst, (dv_text){copy, (int64_t)n}, &dress);
        const char *number = dressed[i].number ? dressed[i].number : "";
        cr_expect(used == strlen(number) && memcmp(dst, number, used) == 0, "%s: %.*s",
                  dressed[i].text, (int)used, dst);
        free(copy);
    }
}

Test(dressed, is_bounded)
{
    char dst[DVI_DRESSED_NBYTES], text[200];
    const dvi_dress dress = {dv_text_of(","), dv_text_of("$"), true, '.'};
    memset(text, '1', sizeof text);
    text[0] = '$';
    for (int64_t n = 1; n <= (int64_t)sizeof text; n++)
        cr_expect_lt(dvi_undress(dst, (dv_text){text, n}, &dress), sizeof dst);
}

static const struct {
    const char *text;
    bool is_number;
    unsigned needs;
} needs[] = {
    {"12", true, 0},
    {"-1.5", true, 0},
    {"1,626.47", true, DVI_NEEDS_COMMAS},
    {"1.626,47", true, DVI_NEEDS_DOTS},
    {"1,5", true, DVI_NEEDS_POINT},
    {"1 000", true, DVI_NEEDS_SPACES},
    {"\xE2\x82\xAC 3", true, DVI_NEEDS_AFFIX},
    {"3%", true, DVI_NEEDS_AFFIX},
    {"(3)", true, DVI_NEEDS_SIGN},
    {"x", false, 0},
    {"1/2", false, 0},
    {"", false, 0},
};

Test(dressed, shows_what_it_needs)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        unsigned found;
        dv_text affix;
        cr_expect_eq(dvi_is_dressed(dv_text_of(needs[i].text), &found, &affix), needs[i].is_number,
                     "%s", needs[i].text);
        if (needs[i].is_number)
            cr_expect_eq(found, needs[i].needs, "%s: %u", needs[i].text, found);
    }
}
