/* SPDX-License-Identifier: MIT */
/* number.c: how does a number read as text?  The digits of reals are found as in R. Giulietti, "The
 * Schubfach way to render doubles" (2021). */
#include "codec/number.h"
#include "base/load.h"
#include "codec/bignum.h"
#include "codec/digits.h"
#include "codec/power.h"

#define E8 100000000

/* What is known of an IEEE format. */
typedef struct format {
    int fraction_bits, exponent_bits;
    int positional; /* exponents of ten from here on are written with E, if the digits end before */
} format;

static const format r4 = {23, 8, 9};
static const format r8 = {52, 11, 17};
static const format r4_g7 = {23, 8, 7};

/* digits * 10^exponent */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* --- Which digits? ---------------------------------------------------------------------------- */

/* The upper part of power * factor, with its last bit set if anything was lost: enough to compare
 * with any integer. */
static uint64_t multiply_to_odd(const uint64_t power[2], uint64_t factor)
{
    const dvi_u128 low = (dvi_u128)power[1] * factor;
    const dvi_u128 high = (dvi_u128)power[0] * factor + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* The shortest decimal between the midpoints to both neighbours of c * 2^q, and the closest to it
 * of those.  A midpoint belongs to the even of its two numbers.  is_power: the neighbour below is
 * half as far as the one above.  All comparisons are made with four times the numbers, scaled by
 * 10^-k, where one unit is at most the width of the interval and ten units are more than that. */
static decimal shorten(uint64_t c, int q, bool is_power)
{
    const int k =
        dvi_shift_down(q * 1262611 - (is_power ? 524031 : 0), 22); /* log10 of the width */
    const int h = q + dvi_shift_down(-k * 1741647, 19) + 1;        /* + log2 10^-k + 1 */
    const uint64_t *power = dvi_power_of_ten(-k);
    const uint64_t odd = c & 1;
    const uint64_t low = multiply_to_odd(power, (4 * c - 2 + is_power) << h) + odd;
    const uint64_t value = multiply_to_odd(power, (4 * c) << h);
    const uint64_t high = multiply_to_odd(power, (4 * c + 2) << h) - odd;

    const uint64_t s = value / 4;
    if (s >= 10) {
        const uint64_t ten = s / 10;
        const bool has_below = low <= 40 * ten;
        const bool has_above = 40 * ten + 40 <= high;
        if (has_below != has_above)
            return (decimal){ten + has_above, k + 1};
    }
    const bool has_below = low <= 4 * s;
    const bool has_above = 4 * s + 4 <= high;
    if (has_below != has_above)
        return (decimal){s + has_above, k};
    const uint64_t middle = 4 * s + 2;
    return (decimal){s + (value > middle || (value == middle && (s & 1))), k};
}

/* Is c * 2^q over the middle of digits * 10^k and the next, or in it with odd digits? */
static bool is_over_middle(uint64_t c, int q, uint64_t digits, int k)
{
    dvi_bignum number, middle;
    dvi_bignum_set(&number, c);
    dvi_bignum_set(&middle, 2 * digits + 1);
    dvi_bignum_multiply_by_5(k < 0 ? &number : &middle, k < 0 ? -k : k);
    const int two = q + 1 - k; /* number * 2^two against middle */
    dvi_bignum_shift_up(two < 0 ? &middle : &number, two < 0 ? -two : two);
    const int order = dvi_bignum_compare(&number, &middle);
    return order > 0 || (order == 0 && (digits & 1));
}

/* c * 2^q in units of 10^k, rounded; of 17 digits at most wherever k is the right one, or one
 * less. */
static decimal round_to_unit(uint64_t c, int q, int k)
{
    const int shift = __builtin_clzll(c);
    const uint64_t w = c << shift;
    const uint64_t *power = dvi_power_of_ten(-k);
    const dvi_u128 product = (dvi_u128)w * power[0] +
                             (uint64_t)((dvi_u128)w * power[1] >> 64); /* within 1 of the truth */
    const int drop = 63 + shift - q - dvi_shift_down(-k * 217706, 16);
    const dvi_u128 half = (dvi_u128)1 << (drop - 1);
    const dvi_u128 rest = product & (2 * half - 1);
    const uint64_t digits = (uint64_t)(product >> drop);
    return (decimal){digits + (rest == half ? is_over_middle(c, q, digits, k) : rest > half), k};
}

/* The closest decimal of so many digits, of which `most` is the first number that has one more; of
 * two as close, the one with even digits. */
static decimal round_to(uint64_t c, int q, int count, uint64_t most)
{
    const int top = q + 63 - __builtin_clzll(c);           /* floor(log2) */
    const int exponent = dvi_shift_down(top * 315653, 20); /* floor(log10 2^top) */
    const int k = exponent - (count - 1);
    const decimal d = round_to_unit(c, q, k);
    return d.digits <= most ? d : round_to_unit(c, q, k + 1);
}

static decimal round_to_17(uint64_t c, int q, bool is_power)
{
    (void)is_power;
    return round_to(c, q, 17, UINT64_C(100000000000000000));
}

static decimal round_to_7(uint64_t c, int q, bool is_power)
{
    (void)is_power;
    return round_to(c, q, 7, 10000000);
}

/* --- Digits ----------------------------------------------------------------------------------- */

/* The values of the 8 digits of a number below 10^8, the first one lowest: halves, then pairs, then
 * single ones, each split from all that are alike at once. */
static uint64_t digits_of_8(uint32_t number)
{
    const uint64_t half = number / 10000 | (uint64_t)(number % 10000) << 32;
    const uint64_t hundreds = (half * 5243 >> 19) & UINT64_C(0x0000007F0000007F);
    const uint64_t pairs = hundreds | (half - 100 * hundreds) << 16;
    const uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000F000F000F000F);
    return tens | (pairs - 10 * tens) << 8;
}

static void put_8_digits(char *dst, uint32_t number)
{
    dvi_store_u64(dst, digits_of_8(number) | DVI_ZEROS);
}

/* A number below 10^8.  8 bytes are written, whatever the length is. */
static size_t put_short(char *dst, uint32_t number)
{
    const uint64_t digits = digits_of_8(number);
    const int leading = __builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
    dvi_store_u64(dst, (digits | DVI_ZEROS) >> 8 * leading);
    return (size_t)(8 - leading);
}

size_t dvi_number_print_u8(char *dst, uint64_t value)
{
    const uint64_t above = value / E8;
    if (above == 0)
        return put_short(dst, (uint32_t)value);
    size_t n = 0;
    if (above < E8) {
        n = put_short(dst, (uint32_t)above);
    } else {
        n = put_short(dst, (uint32_t)(above / E8));
        put_8_digits(dst + n, (uint32_t)(above % E8));
        n += 8;
    }
    put_8_digits(dst + n, (uint32_t)(value % E8));
    return n + 8;
}

size_t dvi_number_print_i8(char *dst, int64_t value)
{
    if (value >= 0)
        return dvi_number_print_u8(dst, (uint64_t)value);
    *dst = '-';
    return 1 + dvi_number_print_u8(dst + 1, -(uint64_t)value);
}

/* --- Reals as text ---------------------------------------------------------------------------- */

/* What is copied has a fixed size, for speed: digits have 24 bytes, and dst has room for more than
 * the text (DVI_NUMBER_NBYTES). */

static size_t put_text(char *dst, const char *text)
{
    const size_t n = strlen(text);
    memcpy(dst, text, n);
    return n;
}

/* How many are left without the zeros at the end?  There are 8 bytes before them, none a zero. */
static size_t trim_zeros(const char *digits, size_t count)
{
    for (;;) {
        const uint64_t last = dvi_load_u64(digits + count - 8) ^ DVI_ZEROS;
        if (last)
            return count - (size_t)__builtin_clzll(last) / 8;
        count -= 8;
    }
}

/* D.DDDE+XX, two digits of exponent at least. */
static size_t put_scientific(char *dst, const char *digits, size_t count, int exponent)
{
    dst[0] = digits[0];
    dst[1] = '.';
    memcpy(dst + 2, digits + 1, 16);
    size_t n = count > 1 ? count + 1 : 1;
    const uint32_t size = (uint32_t)(exponent < 0 ? -exponent : exponent);
    dst[n++] = 'E';
    dst[n++] = exponent < 0 ? '-' : '+';
    dst[n] = '0';
    n += size < 10;
    return n + put_short(dst + n, size);
}

/* exponent is that of the first digit. */
static size_t put_positional(char *dst, const char *digits, size_t count, int exponent)
{
    if (exponent < 0) {
        const size_t zeros = (size_t)-exponent;
        memcpy(dst, "0.000000", 8);
        memcpy(dst + 1 + zeros, digits, 24);
        return 1 + zeros + count;
    }
    const size_t whole = (size_t)exponent + 1;
    memcpy(dst, digits, 24);
    if (whole >= count) {
        memset(dst + count, '0', 16);
        return whole;
    }
    dst[whole] = '.';
    memcpy(dst + whole + 1, digits + whole, 16);
    return count + 1;
}

static size_t put_decimal(char *dst, decimal d, const format *f)
{
    char text[8 + DVI_NUMBER_NBYTES] = "xxxxxxxx", *digits = text + 8;
    const size_t all = dvi_number_print_u8(digits, d.digits);
    const size_t count = trim_zeros(digits, all);
    const int exponent = d.exponent + (int)all - 1;
    if (exponent <= -5 || (exponent >= f->positional && exponent >= (int)count))
        return put_scientific(dst, digits, count, exponent);
    return put_positional(dst, digits, count, exponent);
}

typedef decimal find_digits(uint64_t c, int q, bool is_power);

static size_t print_real(char *dst, uint64_t bits, const format *f, find_digits *find)
{
    const uint64_t exponent_max = (UINT64_C(1) << f->exponent_bits) - 1;
    const uint64_t hidden = UINT64_C(1) << f->fraction_bits;
    const uint64_t fraction = bits & (hidden - 1);
    const uint64_t exponent = bits >> f->fraction_bits & exponent_max;
    if (exponent == exponent_max && fraction)
        return put_text(dst, "NaN");

    size_t n = 0;
    if (bits >> (f->fraction_bits + f->exponent_bits))
        dst[n++] = '-';
    if (exponent == exponent_max)
        return n + put_text(dst + n, "Infinity");
    if (exponent == 0 && fraction == 0)
        return n + put_text(dst + n, "0");

    const int bias = (int)(exponent_max >> 1) + f->fraction_bits;
    const uint64_t c = exponent ? fraction | hidden : fraction;
    const int q = (exponent ? (int)exponent : 1) - bias;
    return n + put_decimal(dst + n, find(c, q, fraction == 0 && exponent > 1), f);
}

size_t dvi_number_print_r4(char *dst, float value)
{
    return print_real(dst, dvi_load_u32(&value), &r4, shorten);
}

size_t dvi_number_print_r8(char *dst, double value)
{
    return print_real(dst, dvi_load_u64(&value), &r8, shorten);
}

size_t dvi_number_print_r4_g7(char *dst, float value)
{
    return print_real(dst, dvi_load_u32(&value), &r4_g7, round_to_7);
}

size_t dvi_number_print_r8_g17(char *dst, double value)
{
    return print_real(dst, dvi_load_u64(&value), &r8, round_to_17);
}
