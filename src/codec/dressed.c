/* SPDX-License-Identifier: MIT */
/* dressed.c: numbers as spreadsheets show them. */
#include "codec/dressed.h"
#include "codec/option_string.h"
#include "codec/space.h"
#include <string.h>

static bool starts(dv_text text, dv_text word)
{
    return word.nbytes > 0 && text.nbytes >= word.nbytes &&
           memcmp(text.data, word.data, (size_t)word.nbytes) == 0;
}

static bool ends(dv_text text, dv_text word)
{
    return word.nbytes > 0 && text.nbytes >= word.nbytes &&
           memcmp(text.data + text.nbytes - word.nbytes, word.data, (size_t)word.nbytes) == 0;
}

static dv_text cut(dv_text text, int64_t first, int64_t last)
{
    return dvi_text_trim((dv_text){text.data + first, text.nbytes - first - last});
}

/* Take a minus or plus away; returns the minus or 0. */
static char take_sign(dv_text *text)
{
    const char c = text->nbytes > 0 ? *text->data : '\0';
    if (c != '-' && c != '+')
        return '\0';
    *text = cut(*text, 1, 0);
    return c == '-' ? '-' : '\0';
}

/* Take one of the words away, at either end.  Returns it; empty: there is none. */
static dv_text take_affix(dv_text *text, dv_text words)
{
    const char *p = words.data, *const end = words.data + words.nbytes;
    while (p < end) {
        const char *word = p;
        while (p < end && dvi_space_step(p, end) == 0)
            p++;
        const dv_text affix = {word, p - word};
        if (starts(*text, affix)) {
            *text = cut(*text, affix.nbytes, 0);
            return affix;
        }
        if (ends(*text, affix)) {
            *text = cut(*text, 0, affix.nbytes);
            return affix;
        }
        p = dvi_space_skip(p, end);
    }
    return (dv_text){"", 0};
}

static int64_t count_digits(dv_text text)
{
    int64_t n = 0;
    while (n < text.nbytes && text.data[n] >= '0' && text.data[n] <= '9')
        n++;
    return n;
}

/* Copy the number without the separators of its groups; *groups_out: how many there are.  Returns
 * its bytes; 0: a group has not three digits, or the text is too long. */
static size_t copy_groups(char *dst, dv_text text, dv_text separator, int *groups_out)
{
    size_t n = 0;
    int64_t digits = count_digits(text);
    *groups_out = 0;
    if (text.nbytes >= DVI_DRESSED_NBYTES - 1 || digits == 0)
        return 0;
    while (true) {
        memcpy(dst + n, text.data, (size_t)digits);
        n += (size_t)digits;
        text = (dv_text){text.data + digits, text.nbytes - digits};
        if (!starts(text, separator))
            break;
        text = (dv_text){text.data + separator.nbytes, text.nbytes - separator.nbytes};
        if ((*groups_out == 0 && digits > 3) || count_digits(text) != 3)
            return 0;
        digits = 3;
        ++*groups_out;
    }
    memcpy(dst + n, text.data, (size_t)text.nbytes);
    return n + (size_t)text.nbytes;
}

size_t dvi_undress(char dst[DVI_DRESSED_NBYTES], dv_text text, const dvi_dress *dress)
{
    int groups;
    const dv_text whole = dvi_text_trim(text);
    text = whole;
    bool is_negative = false, has_dress = false;
    if (dress->parentheses && text.nbytes > 2 && text.data[0] == '(' &&
        ends(text, dv_text_of(")"))) {
        text = cut(text, 1, 1);
        is_negative = has_dress = true;
    }
    char sign = take_sign(&text);
    has_dress |= take_affix(&text, dress->affixes).nbytes > 0;
    if (sign == '\0')
        sign = take_sign(&text);
    if (is_negative && sign)
        return 0;
    *dst = '-';
    const size_t n = is_negative || sign ? 1 : 0;
    const size_t more = copy_groups(dst + n, text, dress->thousands, &groups);
    return more > 0 && (has_dress || groups > 0) ? n + more : 0;
}

/* --- What a number needs --- */

/* Digits, then perhaps a point and digits. */
static bool is_plain(dv_text text, char point)
{
    const int64_t n = count_digits(text);
    if (n == 0 || n == text.nbytes)
        return n > 0;
    const dv_text rest = {text.data + n + 1, text.nbytes - n - 1};
    return text.data[n] == point && rest.nbytes > 0 && count_digits(rest) == rest.nbytes;
}

bool dvi_is_dressed(dv_text text, unsigned *needs_out, dv_text *affix_out)
{
    static const dv_text affixes = {"$ \xE2\x82\xAC \xC2\xA3 \xC2\xA5 % USD EUR GBP CHF", 30};
    static const struct {
        const char *separator;
        char point;
        unsigned needs;
    } forms[] = {
        {",", '.', DVI_NEEDS_COMMAS}, {".", ',', DVI_NEEDS_DOTS}, {" ", '.', DVI_NEEDS_SPACES}};
    char plain[DVI_DRESSED_NBYTES];
    int groups;
    *needs_out = 0;
    text = dvi_text_trim(text);
    if (text.nbytes > 2 && text.data[0] == '(' && ends(text, dv_text_of(")"))) {
        text = cut(text, 1, 1);
        *needs_out |= DVI_NEEDS_SIGN;
    }
    take_sign(&text);
    const dv_text affix = take_affix(&text, affixes);
    if (affix.nbytes > 0)
        *affix_out = affix;
    *needs_out |= affix.nbytes > 0 ? DVI_NEEDS_AFFIX : 0U;
    take_sign(&text);
    if (is_plain(text, '.'))
        return true;
    if (is_plain(text, ',') && !(text.nbytes > 4 && text.data[text.nbytes - 4] == ',')) {
        *needs_out |= DVI_NEEDS_POINT;
        return true;
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const size_t n = copy_groups(plain, text, dv_text_of(forms[i].separator), &groups);
        if (n > 0 && groups > 0 && is_plain((dv_text){plain, (int64_t)n}, forms[i].point)) {
            *needs_out |= forms[i].needs;
            return true;
        }
    }
    return false;
}
