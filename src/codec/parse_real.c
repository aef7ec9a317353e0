/* SPDX-License-Identifier: MIT */
/* parse_real.c: which real number does a text say? */
#include "base/attrs.h"
#include "codec/decimal.h"
#include "codec/digits.h"
#include "codec/parse.h"
#include "codec/space.h"

#define EXPONENT_MAX INT64_C(100000000000000000) /* farther than any text is long */

/* Read digits behind those of *digits, which wraps where they are too many. */
static DVI_ALWAYS_INLINE const char *read_digits(uint64_t *digits, const char *p, const char *end)
{
    uint64_t value = *digits;
    for (; end - p >= 8 && dvi_is_8_digits(dvi_load_u64(p)); p += 8)
        value = value * 100000000 + dvi_8_digits(dvi_load_u64(p));
    for (; p < end && dvi_is_digit(*p); p++)
        value = value * 10 + (uint64_t)(*p - '0');
    *digits = value;
    return p;
}

/* Read e, sign and digits at p, and add them to *exponent; p when there is no such thing. */
static const char *read_exponent(int64_t *exponent, const char *p, const char *end)
{
    if (p == end || (*p | 0x20) != 'e')
        return p;
    const char *q = p + 1;
    const bool is_negative = q < end && *q == '-';
    if (q < end && (*q == '-' || *q == '+'))
        q++;
    if (q == end || !dvi_is_digit(*q))
        return p;
    int64_t size = 0;
    for (; q < end && dvi_is_digit(*q); q++)
        size = size < EXPONENT_MAX ? 10 * size + (*q - '0') : size;
    *exponent += is_negative ? -size : size;
    return q;
}

/* There are more than 19 digits from text on, which may be zeros at first: keep the first 19. */
static void cut_digits(dvi_decimal *d, const char *text, const char *end, size_t count)
{
    for (; text < end && !(*text >= '1' && *text <= '9'); text++)
        count -= *text == '0';
    if (count <= DVI_DECIMAL_DIGITS)
        return;
    d->text = text;
    d->end = end;
    d->is_cut = true;
    d->exponent += (int64_t)(count - DVI_DECIMAL_DIGITS);
    d->digits = 0;
    for (int n = 0; n < DVI_DECIMAL_DIGITS; text++)
        if (dvi_is_digit(*text)) {
            d->digits = 10 * d->digits + (uint64_t)(*text - '0');
            n++;
        }
}

/* Read a number without its sign; NULL when there is none at text. */
static DVI_ALWAYS_INLINE const char *read_decimal(dvi_decimal *d, const char *text, const char *end,
                                                  char point)
{
    *d = (dvi_decimal){0, 0, false, NULL, NULL};
    const char *p = read_digits(&d->digits, text, end);
    size_t count = (size_t)(p - text);
    if (p < end && *p == point) {
        const char *fraction = p + 1;
        p = read_digits(&d->digits, fraction, end);
        d->exponent = fraction - p;
        count += (size_t)(p - fraction);
    }
    if (count == 0)
        return NULL;
    const char *mantissa_end = p;
    p = read_exponent(&d->exponent, p, end);
    if (DVI_UNLIKELY(count > DVI_DECIMAL_DIGITS))
        cut_digits(d, text, mantissa_end, count);
    return p;
}

/* A number with nothing but white space around it. */
static DVI_ALWAYS_INLINE bool read_number(dvi_decimal *d, bool *is_negative_out, const char *src,
                                          size_t n, char point)
{
    const char *end = src + n;
    const char *text = dvi_space_skip(src, end);
    if (text == end)
        return false;
    *is_negative_out = *text == '-';
    text += *text == '-' || *text == '+';
    const char *behind = read_decimal(d, text, end, point);
    return behind && dvi_space_skip(behind, end) == end;
}

/* --- What is no number ------------------------------------------------------------------------ */

typedef enum special { BAD, BLANK, NOT_A_NUMBER, INFINITE, MINUS_INFINITE } special;

/* Words in their own case, with white space around; or the whole text a token in any case. */
static special read_special(const char *src, size_t n)
{
    static const struct {
        const char *word;
        special is;
    } words[] = {
        {"", BLANK},
        {"NaN", NOT_A_NUMBER},
        {"?", NOT_A_NUMBER},
        {"Infinity", INFINITE},
        {"\xE2\x88\x9E", INFINITE}, /* U+221E */
        {"-Infinity", MINUS_INFINITE},
        {"-\xE2\x88\x9E", MINUS_INFINITE},
    };
    const char *end = src + n;
    const char *text = dvi_space_skip(src, end);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t nbytes = strlen(words[i].word);
        if ((size_t)(end - text) >= nbytes && memcmp(text, words[i].word, nbytes) == 0 &&
            dvi_space_skip(text + nbytes, end) == end)
            return words[i].is;
    }
    return dvi_parse_is_missing(src, n) ? NOT_A_NUMBER : BAD;
}

bool dvi_parse_r4(float *value_out, const char *src, size_t n, char point)
{
    static const uint32_t specials[] = {DV_R4_NA_BITS, 0, DV_R4_NA_BITS, 0x7F800000, 0xFF800000};
    dvi_decimal d;
    bool is_negative;
    if (DVI_UNLIKELY(!read_number(&d, &is_negative, src, n, point))) {
        const special is = read_special(src, n);
        dvi_store_u32(value_out, specials[is]);
        return is != BAD;
    }
    dvi_store_u32(value_out, dvi_decimal_to_r4(&d) | (uint32_t)is_negative << 31);
    return true;
}

bool dvi_parse_r8(double *value_out, const char *src, size_t n, char point)
{
    static const uint64_t specials[] = {DV_R8_NA_BITS, 0, DV_R8_NA_BITS,
                                        UINT64_C(0x7FF0000000000000), UINT64_C(0xFFF0000000000000)};
    dvi_decimal d;
    bool is_negative;
    if (DVI_UNLIKELY(!read_number(&d, &is_negative, src, n, point))) {
        const special is = read_special(src, n);
        dvi_store_u64(value_out, specials[is]);
        return is != BAD;
    }
    dvi_store_u64(value_out, dvi_decimal_to_r8(&d) | (uint64_t)is_negative << 63);
    return true;
}
