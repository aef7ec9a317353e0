/* SPDX-License-Identifier: MIT */
/* parse_real.c: parses reals. */
#include "base/compiler.h"
#include "codec/decimal.h"
#include "codec/digits.h"
#include "codec/parse.h"
#include "codec/space.h"

#define EXPONENT_MAX INT64_C(100000000000000000) /* more than the length of any text */

static DVI_ALWAYS_INLINE bool is_sign(char c)
{
    return ((c - '+') & ~('-' - '+')) == 0;
}

/* --- Short numbers ---------------------------------------------------------------------------- */

/* Read up to 8 bytes that are digits with at most one point: digits / 10^decimals. Most numbers are
 * like this, and no branch depends on the number of digits. */
static DVI_ALWAYS_INLINE bool read_short(uint32_t *digits_out, int *decimals_out, const char *text,
                                         size_t n, size_t room, char point)
{
    if (n - 1 >= 8)
        return false;
    uint64_t values = (dvi_text_load(text, n, room) ^ DVI_ZEROS) << 8 * (8 - n);
    const size_t at = (size_t)__builtin_ctzll(dvi_find_no_digit(values) | UINT64_C(1) << 63) & 56;
    *decimals_out = 0;
    if ((char)(values >> at ^ '0') == point) {
        const uint64_t before = (UINT64_C(1) << at) - 1;
        values = (values & before) << 8 | (values & ~before << 8);
        *decimals_out = 7 - (int)(at / 8);
        n--;
    }
    *digits_out = dvi_digits_value(values);
    return n > 0 && dvi_find_no_digit(values) == 0;
}

/* --- Digits ----------------------------------------------------------------------------------- */

/* Digits with or without a point: value * 10^exponent, unless `value` wraps because there are too
 * many digits. */
typedef struct mantissa {
    uint64_t value;
    int64_t exponent;
    size_t count; /* digits */
} mantissa;

/* Append the digits at p to *value; returns their end. */
static DVI_ALWAYS_INLINE const char *read_digits(uint64_t *value, const char *p, const char *end)
{
    uint64_t number = *value;
    for (; end - p >= 8 && dvi_digits_append_8(&number, p); p += 8)
        ;
    for (unsigned digit; p < end && (digit = (unsigned)(*p - '0')) <= 9; p++)
        number = number * 10 + digit;
    *value = number;
    return p;
}

/* Read any number of digits and at most one point; returns their end. */
static DVI_ALWAYS_INLINE const char *read_mantissa(mantissa *m, const char *p, const char *end,
                                                   char point)
{
    const char *whole = p;
    *m = (mantissa){0, 0, 0};
    for (unsigned digit; p < end && (digit = (unsigned)(*p - '0')) <= 9; p++)
        m->value = m->value * 10 + digit;
    m->count = (size_t)(p - whole);
    if (p < end && *p == point) {
        const char *fraction = p + 1;
        p = read_digits(&m->value, fraction, end);
        m->exponent = fraction - p;
        m->count += (size_t)(p - fraction);
    }
    return p;
}

/* The number of any number of digits; EXPONENT_MAX or slightly more if it is too large. */
static uint64_t clamp_digits(const char *p, const char *end)
{
    uint64_t size = 0;
    for (int digit; p < end && size < EXPONENT_MAX && (digit = dvi_digit_of(p)) >= 0; p++)
        size = 10 * size + (uint64_t)digit;
    return size;
}

/* Add the exponent at p (e, sign, digits) to *exponent; returns its end, or p if there is none. */
static DVI_ALWAYS_INLINE const char *read_exponent(int64_t *exponent, const char *p,
                                                   const char *end)
{
    if (end - p < 2 || (*p | 0x20) != 'e')
        return p;
    const int64_t sign = -(int64_t)(p[1] == '-'); /* unpredictable, so no branch */
    const char *text = p + 1 + is_sign(p[1]), *q = text;
    uint64_t size = 0;
    for (unsigned digit; q < end && (digit = (unsigned)(*q - '0')) <= 9; q++)
        size = 10 * size + digit;
    if (DVI_UNLIKELY(q - text > 17))
        size = clamp_digits(text, q);
    *exponent += ((int64_t)size ^ sign) - sign;
    return q > text ? q : p;
}

/* Read a number of at most 19 digits, without sign and white space; false: it is not one. */
static DVI_ALWAYS_INLINE bool read_usual(mantissa *m, const char *text, const char *end, char point)
{
    const char *p = read_mantissa(m, text, end, point);
    if (p < end)
        p = read_exponent(&m->exponent, p, end);
    return p == end && m->count - 1 < DVI_DECIMAL_DIGITS;
}

/* --- All numbers ------------------------------------------------------------------------------ */

/* Keep the first 19 of more digits, not counting leading zeros. */
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
    int n = 0; /* fewer than counted if a mapped file has changed */
    for (int digit; n < DVI_DECIMAL_DIGITS && text < end; text++)
        if ((digit = dvi_digit_of(text)) >= 0) {
            d->digits = 10 * d->digits + (uint64_t)digit;
            n++;
        }
}

/* Read any number, with white space around it; false: it is not one. */
static bool read_any(dvi_decimal *d, bool *is_negative_out, const char *src, size_t n, char point)
{
    const char *end = src + n;
    const char *text = dvi_space_skip(src, end);
    if (text == end)
        return false;
    *is_negative_out = *text == '-';
    text += is_sign(*text);
    mantissa m;
    const char *mantissa_end = read_mantissa(&m, text, end, point);
    const char *after = read_exponent(&m.exponent, mantissa_end, end);
    *d = (dvi_decimal){m.value, m.exponent, false, NULL, NULL};
    if (m.count > DVI_DECIMAL_DIGITS)
        cut_digits(d, text, mantissa_end, m.count);
    return m.count > 0 && dvi_space_skip(after, end) == end;
}

/* --- Texts that are not numbers --------------------------------------------------------------- */

typedef enum special { BAD, BLANK, NOT_A_NUMBER, INFINITE, MINUS_INFINITE } special;

/* A word in exactly this case, with white space around it; or a token for a missing value. */
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

/* --- Both widths ------------------------------------------------------------------------------ */

static DVI_NOINLINE bool parse_any_r4(float *value_out, const char *src, size_t n, char point)
{
    static const uint32_t specials[] = {DV_R4_NA_BITS, 0, DV_R4_NA_BITS, 0x7F800000, 0xFF800000};
    dvi_decimal d;
    bool is_negative;
    if (!read_any(&d, &is_negative, src, n, point)) {
        const special is = read_special(src, n);
        dvi_store_u32(value_out, specials[is]);
        return is != BAD;
    }
    dvi_store_u32(value_out, dvi_decimal_to_r4(&d) | (uint32_t)is_negative << 31);
    return true;
}

bool dvi_parse_r4(float *value_out, const char *src, size_t n, size_t room, char point)
{
    uint32_t digits;
    int decimals;
    mantissa m;
    uint64_t bits;
    const size_t skip = n > 0 && is_sign(*src);
    const char *text = src + skip;
    if (!(read_short(&digits, &decimals, text, n - skip, room - skip, point) &&
          dvi_decimal_divide_r4(&bits, digits, decimals)) &&
        !(read_usual(&m, text, src + n, point) && dvi_decimal_round_r4(&bits, m.value, m.exponent)))
        return parse_any_r4(value_out, src, n, point);
    dvi_store_u32(value_out, (uint32_t)bits | (uint32_t)(*src == '-') << 31);
    return true;
}

static DVI_NOINLINE bool parse_any_r8(double *value_out, const char *src, size_t n, char point)
{
    static const uint64_t specials[] = {DV_R8_NA_BITS, 0, DV_R8_NA_BITS,
                                        UINT64_C(0x7FF0000000000000), UINT64_C(0xFFF0000000000000)};
    dvi_decimal d;
    bool is_negative;
    if (!read_any(&d, &is_negative, src, n, point)) {
        const special is = read_special(src, n);
        dvi_store_u64(value_out, specials[is]);
        return is != BAD;
    }
    dvi_store_u64(value_out, dvi_decimal_to_r8(&d) | (uint64_t)is_negative << 63);
    return true;
}

bool dvi_parse_r8(double *value_out, const char *src, size_t n, size_t room, char point)
{
    uint32_t digits;
    int decimals;
    mantissa m;
    uint64_t bits;
    const size_t skip = n > 0 && is_sign(*src);
    const char *text = src + skip;
    if (!(read_short(&digits, &decimals, text, n - skip, room - skip, point) &&
          dvi_decimal_divide_r8(&bits, digits, decimals)) &&
        !(read_usual(&m, text, src + n, point) && dvi_decimal_round_r8(&bits, m.value, m.exponent)))
        return parse_any_r8(value_out, src, n, point);
    dvi_store_u64(value_out, bits | (uint64_t)(*src == '-') << 63);
    return true;
}
