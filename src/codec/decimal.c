/* SPDX-License-Identifier: MIT */
/* decimal.c: rounds decimal numbers to the closest IEEE number. As in D. Lemire, "Number parsing at
 * a gigabyte per second" (2021), one or two multiplications by a power of ten give bounds that
 * nearly always round to the same number. If they do not, long integers decide. */
#include "codec/decimal.h"
#include "base/compiler.h"
#include "codec/bignum.h"
#include "codec/power.h"

const uint64_t dvi_powers[DVI_POWER_LAST - DVI_POWER_FIRST + 1][2] = {
#include "codec/power_tbl.h"
};

const double dvi_tens[DVI_TEN_LAST - DVI_TEN_FIRST + 1] = {
    1e-64, 1e-63, 1e-62, 1e-61, 1e-60, 1e-59, 1e-58, 1e-57, 1e-56, 1e-55, 1e-54, 1e-53, 1e-52,
    1e-51, 1e-50, 1e-49, 1e-48, 1e-47, 1e-46, 1e-45, 1e-44, 1e-43, 1e-42, 1e-41, 1e-40, 1e-39,
    1e-38, 1e-37, 1e-36, 1e-35, 1e-34, 1e-33, 1e-32, 1e-31, 1e-30, 1e-29, 1e-28, 1e-27, 1e-26,
    1e-25, 1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13,
    1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,  1e-1,  1e0,
    1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,   1e10,  1e11,  1e12,  1e13,
    1e14,  1e15,  1e16,  1e17,  1e18,  1e19,  1e20,  1e21,  1e22,  1e23,  1e24,  1e25,  1e26,
    1e27,  1e28,  1e29,  1e30,  1e31,  1e32,  1e33,  1e34,  1e35,  1e36,  1e37,  1e38};

/* An IEEE format. The value of a number is its mantissa, of at most `bits` bits, times 2^unit;
 * `unit_min` is the unit of subnormal numbers. */
typedef struct format {
    int bits, unit_min;
    int ten_min, ten_max; /* 19 digits * 10^k are 0 below, infinite above */
    uint64_t infinity;    /* its bits */
} format;

static const format r4 = {24, -149, -64, 38, UINT64_C(0x7F800000)};
static const format r8 = {53, -1074, -342, 308, UINT64_C(0x7FF0000000000000)};

/* The bits of mantissa * 2^unit. After rounding up the mantissa may be 2^bits: its carry into the
 * exponent gives the right result. */
static DVI_ALWAYS_INLINE uint64_t encode(const format f, uint64_t mantissa, int unit)
{
    const uint64_t value = ((uint64_t)(unit - f.unit_min) << (f.bits - 1)) + mantissa;
    return value < f.infinity ? value : f.infinity;
}

/* The unit of the number that is closest to one between 2^power and 2^(power + 1). */
static DVI_ALWAYS_INLINE int unit_of(const format f, int power)
{
    const int unit = power - (f.bits - 1);
    return unit > f.unit_min ? unit : f.unit_min;
}

/* --- Rounding by bounds ----------------------------------------------------------------------- */

/* Digits times a power of ten: w * g * 2^(power - 127 - shift), where w are the digits shifted up
 * by `shift` so that bit 63 is set, and 10^k = g * 2^(power - 127). */
typedef struct product {
    uint64_t w;
    int shift, power;
    const uint64_t *g;
} product;

static DVI_ALWAYS_INLINE product product_of(const dvi_decimal *d)
{
    const int shift = __builtin_clzll(d->digits), k = (int)d->exponent;
    const int power = dvi_shift_down(k * 217706, 16); /* floor(log2 10^k) */
    return (product){d->digits << shift, shift, power, dvi_power_of_ten(k)};
}

/* The number closest to value * 2^power, value >= 2^64. */
static uint64_t round_wide(const format f, dvi_u128 value, int power)
{
    const int width = 128 - __builtin_clzll((uint64_t)(value >> 64));
    const int unit = unit_of(f, power + width - 1);
    const int drop = unit - power;
    if (drop > 128)
        return 0;
    uint64_t mantissa = drop < 128 ? (uint64_t)(value >> drop) : 0;
    const dvi_u128 half = (dvi_u128)1 << (drop - 1);
    const dvi_u128 rest = value & (2 * half - 1);
    mantissa += rest > half || (rest == half && (mantissa & 1));
    return encode(f, mantissa, unit);
}

static uint64_t decide(const format f, const dvi_decimal *d, uint64_t low);

/* Bounds from all 128 bits of the power. Rounding is monotonic: if both bounds round to the same
 * number, so does every value between them. */
static uint64_t round_between(const format f, const dvi_decimal *d)
{
    const product p = product_of(d);
    const dvi_u128 high = (dvi_u128)p.w * p.g[0];
    const dvi_u128 sum = high + (uint64_t)((dvi_u128)p.w * p.g[1] >> 64);
    const dvi_u128 half = sum >> 1; /* w * g lies within 1 of it, in units of 2^65 */
    const dvi_u128 cut = d->is_cut ? ((dvi_u128)(p.g[0] >> 1) + 1) << p.shift : 0;
    const int power = p.power - p.shift - 62;
    const uint64_t low = round_wide(f, half - 1, power);
    return low == round_wide(f, half + 1 + cut, power) ? low : decide(f, d, low);
}

static uint64_t round_decimal(const format f, const dvi_decimal *d)
{
    if (d->digits == 0 || d->exponent < f.ten_min)
        return 0;
    return d->exponent > f.ten_max ? f.infinity : round_between(f, d);
}

uint32_t dvi_decimal_to_r4(const dvi_decimal *d)
{
    return (uint32_t)round_decimal(r4, d);
}

uint64_t dvi_decimal_to_r8(const dvi_decimal *d)
{
    return round_decimal(r8, d);
}

/* --- Rounding by long integers ---------------------------------------------------------------- */

/* No midpoint of two doubles has more digits. Of further digits it only matters whether one is not
 * zero. */
enum { DIGITS_MAX = 770 };

/* Set *digits to all digits as an integer; returns the power of ten by which to multiply it. */
static int digits_of(dvi_bignum *digits, const dvi_decimal *d)
{
    dvi_bignum_set(digits, d->is_cut ? 0 : d->digits);
    if (!d->is_cut)
        return (int)d->exponent;
    int n = 0;
    bool has_more = false;
    for (const char *p = d->text; p < d->end && !has_more; p++) {
        if (*p < '0' || *p > '9')
            continue;
        has_more = n >= DIGITS_MAX && *p != '0';
        if (n < DIGITS_MAX) {
            dvi_bignum_multiply_add(digits, 10, (uint64_t)(*p - '0'));
            n++;
        }
    }
    if (has_more) {
        dvi_bignum_multiply_add(digits, 10, 1);
        n++;
    }
    return (int)d->exponent + DVI_DECIMAL_DIGITS - n;
}

/* Decide between `low` and the next number above, by comparing the number with their midpoint. Both
 * are made integers with 10^k = 5^k * 2^k. */
static uint64_t decide(const format f, const dvi_decimal *d, uint64_t low)
{
    const uint64_t hidden = UINT64_C(1) << (f.bits - 1);
    const uint64_t exponent = low / hidden;
    const uint64_t mantissa = exponent ? low % hidden + hidden : low;
    const int unit = f.unit_min + (exponent ? (int)exponent - 1 : 0);

    dvi_bignum number, middle;
    const int ten = digits_of(&number, d);
    dvi_bignum_set(&middle, 2 * mantissa + 1);
    const int two = unit - 1 - ten; /* number * 5^ten against middle * 2^two */
    dvi_bignum_multiply_by_5(ten > 0 ? &number : &middle, ten > 0 ? ten : -ten);
    dvi_bignum_shift_up(two > 0 ? &middle : &number, two > 0 ? two : -two);

    const int order = dvi_bignum_compare(&number, &middle);
    return low + (order > 0 || (order == 0 && (low & 1)));
}
