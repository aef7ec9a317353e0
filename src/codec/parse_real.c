/* SPDX-License-Identifier: MIT */
/* parse_real.c: which real number does a text say? */
#include "base/attrs.h"
#include "codec/decimal.h"
#include "codec/digits.h"
#include "codec/parse.h"
#include "codec/space.h"

#define EXPONENT_MAX INT64_C(100000000000000000) /* farther than any text is long */

static DVI_ALWAYS_INLINE bool is_sign(char c)
{
    return ((c - '+') & ~('-' - '+')) == 0;
}

/* Read e, sign and digits at p, and add them to *exponent; p when there is no such thing. */
static DVI_ALWAYS_INLINE const char *read_exponent(int64_t *exponent, const char *p,
                                                   const char *end)
{
    if (end - p < 2 || (*p | 0x20) != 'e')
        return p;
    const bool is_negative = p[1] == '-';
    const char *text = p + 1 + is_sign(p[1]), *q = text;
    int64_t size = 0;
    for (; q < end && dvi_is_digit(*q); q++)
        size = size < EXPONENT_MAX ? 10 * size + (*q - '0') : size;
    *exponent += is_negative ? -size : size;
    return q > text ? q : p;
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

/* Read digits behind those of *digits, which wraps where they are too many. */
static DVI_ALWAYS_INLINE const char *read_digits(uint64_t *digits, const char *p, const char *end)
{
    uint64_t value = *digits;
    for (; end - p >= 8 && dvi_digits_append_8(&value, p); p += 8)
        ;
    for (; p < end && dvi_is_digit(*p); p++)
        value = value * 10 + (uint64_t)(*p - '0');
    *digits = value;
    return p;
}

/* Read a number without its sign; NULL when there is none at text. */
static DVI_ALWAYS_INLINE const char *read_decimal(dvi_decimal *d, const char *text, const char *end,
                                                  char point)
{
    uint64_t digits = 0;
    int64_t exponent = 0;
    const char *p = read_digits(&digits, text, end);
    size_t count = (size_t)(p - text);
    if (p < end && *p == point) {
        const char *fraction = p + 1;
        p = read_digits(&digits, fraction, end);
        exponent = fraction - p;
        count += (size_t)(p - fraction);
    }
    if (count == 0)
        return NULL;
    const char *mantissa_end = p;
    p = read_exponent(&exponent, p, end);
    *d = (dvi_decimal){digits, exponent, false, NULL, NULL};
    if (DVI_UNLIKELY(count > DVI_DECIMAL_DIGITS))
        cut_digits(d, text, mantissa_end, count);
    return p;
}

/* At most 8 bytes, digits with or without a point among them, and nothing else.  Most numbers are
 * this, and no branch depends on how many digits there are. */
static DVI_ALWAYS_INLINE bool read_short(dvi_decimal *d, const char *text, size_t n, char point)
{
    uint64_t values = dvi_text_load(text, n) ^ DVI_ZEROS;
    const size_t at = (size_t)__builtin_ctzll(dvi_find_no_digit(values) | UINT64_C(1) << 63) & 56;
    int64_t exponent = 0;
    if ((char)(values >> at ^ '0') == point) {
        const uint64_t before = (UINT64_C(1) << at) - 1;
        values = (values & before) | (values >> 8 & ~before);
        exponent = (int64_t)(at / 8) - (int64_t)--n;
    }
    if (n == 0)
        return false;
    values <<= 8 * (8 - n);
    if (dvi_find_no_digit(values))
        return false;
    *d = (dvi_decimal){dvi_digits_value(values), exponent, false, NULL, NULL};
    return true;
}

/* A number with nothing but white space around it. */
static DVI_NOINLINE bool read_long(dvi_decimal *d, bool *is_negative_out, const char *src,
                                   const char *end, char point)
{
    const char *text = dvi_space_skip(src, end);
    if (text == end)
        return false;
    *is_negative_out = *text == '-';
    const char *behind = read_decimal(d, text + is_sign(*text), end, point);
    return behind && dvi_space_skip(behind, end) == end;
}

static DVI_ALWAYS_INLINE bool read_number(dvi_decimal *d, bool *is_negative_out, const char *src,
                                          size_t n, char point)
{
    const size_t sign = n > 0 && is_sign(*src);
    if (n - sign > 8 || !read_short(d, src + sign, n - sign, point))
        return read_long(d, is_negative_out, src, src + n, point);
    *is_negative_out = *src == '-';
    return true;
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
