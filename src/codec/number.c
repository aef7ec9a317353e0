/* SPDX-License-Identifier: MIT */
/* number.c: prints numbers. The digits of reals are found as in R. Giulietti, "The Schubfach way to
 * render doubles" (2021). */
#include "codec/number.h"
#include "base/compiler.h"
#include "base/load.h"
#include "codec/bignum.h"
#include "codec/digits.h"
#include "codec/power.h"

#define E8 100000000

/* An IEEE format. */
typedef struct format {
    int fraction_bits, exponent_bits;
    int positional; /* exponents of ten from here on are written with E, if the digits end before */
} format;

static const format r4 = {23, 8, 9};
static const format r8 = {52, 11, 17};
static const format r4_g7 = {23, 8, 7};

/* (10 * most + last) * 10^exponent, last < 10 */
typedef struct decimal {
    uint64_t most, last;
    int exponent;
} decimal;

/* All bits set, or none: compiles without a branch. */
static DVI_ALWAYS_INLINE uint64_t all_if(bool condition)
{
    return 0 - (uint64_t)condition;
}

/* --- The digits of reals ---------------------------------------------------------------------- */

/* The upper word of power * factor, with its last bit set if any bit was lost: enough to compare it
 * with any integer. */
static uint64_t multiply_to_odd(const uint64_t power[2], uint64_t factor)
{
    const dvi_u128 low = (dvi_u128)power[1] * factor;
    const dvi_u128 high = (dvi_u128)power[0] * factor + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* k is chosen so that 10^k is at most the width of the interval between the midpoints of a number
 * and its neighbours, and 10^(k + 1) is more. With the upper word of the power, 2^q is
 * power * 2^(h - 64) units of 10^k, h in 1..4. is_power: the neighbour below is half as far away as
 * the one above. */
typedef struct scale {
    int k, h;
    const uint64_t *power; /* 10^-k */
} scale;

static DVI_ALWAYS_INLINE scale scale_of(int q, bool is_power)
{
    const int k =
        dvi_shift_down(q * 1262611 - (is_power ? 524031 : 0), 22); /* log10 of the width */
    const int h = q + dvi_shift_down(-k * 1741647, 19) + 1;        /* + log2 10^-k + 1 */
    return (scale){k, h, dvi_power_of_ten(-k)};
}

/* The shortest decimal between the midpoints; of several, the one closest to c * 2^q. A midpoint
 * belongs to the even one of its two numbers. All comparisons use four times the numbers. */
static decimal shorten_exactly(uint64_t c, int q, bool is_power)
{
    const scale f = scale_of(q, is_power);
    const uint64_t odd = c & 1;
    const uint64_t low = multiply_to_odd(f.power, (4 * c - 2 + is_power) << f.h) + odd;
    const uint64_t value = multiply_to_odd(f.power, (4 * c) << f.h);
    const uint64_t high = multiply_to_odd(f.power, (4 * c + 2) << f.h) - odd;

    const uint64_t s = value / 4, ten = s / 10;
    if (low <= 40 * ten)
        return (decimal){ten, 0, f.k};
    if (40 * ten + 40 <= high)
        return (decimal){ten + 1, 0, f.k};
    const bool has_below = low <= 4 * s;
    const bool has_above = 4 * s + 4 <= high;
    const bool is_over = value % 4 + s % 2 > 2; /* above the middle, or in it with odd digits */
    const uint64_t one = s + (has_below != has_above ? has_above : is_over);
    return (decimal){one / 10, one % 10, f.k};
}

#define UNIT (UINT64_C(1) << 60)
#define DOUBT (UINT64_C(1) << 26)

static DVI_ALWAYS_INLINE bool is_close(uint64_t a, uint64_t b)
{
    return a - b + DOUBT < 2 * DOUBT;
}

/* The same, without unpredictable branches and with fewer multiplications. The distance of a number
 * from the ten units below it has 60 bits after the point, of which truncation affects at most 25.
 * If these could change the result, or if the closest decimal may lie below the interval of a power
 * of two, shorten_exactly decides. has_more: the number has more than 32 bits. */
static DVI_ALWAYS_INLINE decimal shorten(uint64_t c, int q, bool is_power, bool has_more)
{
    const scale f = scale_of(q, is_power);
    const uint64_t factor = (4 * c) << f.h;
    dvi_u128 value = (dvi_u128)f.power[0] * factor;
    if (has_more)
        value += (uint64_t)((dvi_u128)f.power[1] * factor >> 64);
    const uint64_t ten = (uint64_t)(value >> 64) / 40;
    const uint64_t rest = (uint64_t)(value >> 6) - (40 * ten << 58);
    const uint64_t up = f.power[0] >> (5 - f.h), down = up >> is_power;
    if (DVI_UNLIKELY(is_close(rest, down) | is_close(10 * UNIT - rest, up) | (down < UNIT / 2) |
                     is_close(rest % UNIT, UNIT / 2)))
        return shorten_exactly(c, q, is_power);
    const bool is_above = 10 * UNIT - rest < up, is_ten = (rest < down) | is_above;
    return (decimal){ten + is_above, ((rest + UNIT / 2) >> 60) & all_if(!is_ten), f.k};
}

static decimal shorten_r4(uint64_t c, int q, bool is_power)
{
    return shorten(c, q, is_power, false);
}

static decimal shorten_r8(uint64_t c, int q, bool is_power)
{
    return shorten(c, q, is_power, true);
}

/* Whether c * 2^q is above the midpoint of digits * 10^k and the next decimal, or equal to it and
 * `digits` is odd. */
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

/* c * 2^q rounded to units of 10^k. With the right k, or one less, it has at most 17 digits. */
static decimal round_to_unit(uint64_t c, int q, int k)
{
    const int shift = __builtin_clzll(c);
    const uint64_t w = c << shift;
    const uint64_t *power = dvi_power_of_ten(-k);
    const dvi_u128 product =
        (dvi_u128)w * power[0] + (uint64_t)((dvi_u128)w * power[1] >> 64); /* off by less than 1 */
    const int drop = 63 + shift - q - dvi_shift_down(-k * 217706, 16);
    const dvi_u128 half = (dvi_u128)1 << (drop - 1);
    const dvi_u128 rest = product & (2 * half - 1);
    uint64_t digits = (uint64_t)(product >> drop);
    digits += rest == half ? is_over_middle(c, q, digits, k) : rest > half;
    return (decimal){digits / 10, digits % 10, k};
}

/* The closest decimal of `count` digits; of two equally close ones, the even one. `limit` is the
 * smallest number of `count` digits. */
static decimal round_to(uint64_t c, int q, int count, uint64_t limit)
{
    const int top = q + 63 - __builtin_clzll(c);           /* floor(log2) */
    const int exponent = dvi_shift_down(top * 315653, 20); /* floor(log10 2^top) */
    const int k = exponent - (count - 1);
    const decimal d = round_to_unit(c, q, k);
    return d.most < limit ? d : round_to_unit(c, q, k + 1);
}

static decimal round_to_17(uint64_t c, int q, bool is_power)
{
    (void)is_power;
    return round_to(c, q, 17, UINT64_C(10000000000000000));
}

static decimal round_to_7(uint64_t c, int q, bool is_power)
{
    (void)is_power;
    return round_to(c, q, 7, 1000000);
}

/* --- Digits ----------------------------------------------------------------------------------- */

/* quotient | (number - unit * quotient) << bits, in two operations fewer. */
#define JOIN(number, quotient, unit, bits)                                                         \
    (((number) << (bits)) - (quotient) * ((UINT64_C(unit) << (bits)) - 1))

/* The values of the 8 digits of a number below 10^8, the first one in the lowest byte. The number
 * is split into halves, then all halves into pairs at once, then all pairs into digits. */
static uint64_t digits_of_8(uint32_t number)
{
    const uint64_t half = JOIN((uint64_t)number, (uint64_t)number / 10000, 10000, 32);
    const uint64_t hundreds = (half * 5243 >> 19) & UINT64_C(0x0000007F0000007F);
    const uint64_t pairs = JOIN(half, hundreds, 100, 16);
    const uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000F000F000F000F);
    return JOIN(pairs, tens, 10, 8);
}

static void put_8_digits(char *dst, uint32_t number)
{
    dvi_store_u64(dst, digits_of_8(number) | DVI_ZEROS);
}

/* Print a number below 10^8. Always writes 8 bytes; returns the length. */
static size_t put_short(char *dst, uint32_t number)
{
    const uint64_t digits = digits_of_8(number);
    const int leading = __builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
    dvi_store_u64(dst, (digits | DVI_ZEROS) >> 8 * leading);
    return (size_t)(8 - leading);
}

/* The same for a number below 10^4, in 4 bytes. */
static DVI_ALWAYS_INLINE size_t put_shortest(char *dst, uint64_t number)
{
    const uint64_t pairs = JOIN(number, number * 5243 >> 19, 100, 16);
    const uint64_t digits = JOIN(pairs, (pairs * 103 >> 10) & 0x000F000F, 10, 8);
    const int leading = __builtin_ctzll(digits | UINT64_C(1) << 24) / 8;
    dvi_store_u32(dst, (uint32_t)((digits | DVI_ZEROS) >> 8 * leading));
    return (size_t)(4 - leading);
}

static DVI_NOINLINE size_t print_longer(char *dst, uint64_t value)
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

/* Most columns of integers have short ones: these take half the time. */
size_t dvi_number_print_u8(char *dst, uint64_t value)
{
    return value < 10000 ? put_shortest(dst, value) : print_longer(dst, value);
}

size_t dvi_number_print_i8(char *dst, int64_t value)
{
    if (value >= 0)
        return dvi_number_print_u8(dst, (uint64_t)value);
    *dst = '-';
    return 1 + dvi_number_print_u8(dst + 1, -(uint64_t)value);
}

/* --- Reals as text ---------------------------------------------------------------------------- */

/* Text is written in whole words, which later ones overwrite, without branches on its length. dst
 * has room for more than the text (DVI_NUMBER_NBYTES). */

static size_t put_text(char *dst, const char *text)
{
    const size_t n = strlen(text);
    memcpy(dst, text, n);
    return n;
}

/* The first digits of a number, with zeros after them, as text. */
typedef struct digits {
    uint64_t first, second, third;
    int count;    /* of the digits, without zeros at the end */
    int exponent; /* power of ten of the first digit */
} digits;

/* Append a digit, unless `most` has as many digits as `least`. */
static DVI_ALWAYS_INLINE decimal fill(decimal d, uint64_t least)
{
    const bool is_short = d.most < least;
    return (decimal){d.most + ((9 * d.most + d.last) & all_if(is_short)),
                     d.last & all_if(!is_short), d.exponent - is_short};
}

/* The number of zeros at the end of 8 digits, of which one is not zero. */
static DVI_ALWAYS_INLINE int count_zeros(uint64_t values)
{
    return (int)((unsigned)__builtin_clzll(values) / 8);
}

/* The digits before the last one may start with zeros. */
static DVI_ALWAYS_INLINE digits spread_9(decimal d)
{
    if (DVI_UNLIKELY(d.most == 0))
        d = fill(d, 1);
    const uint64_t values = digits_of_8((uint32_t)d.most);
    const int leading = __builtin_ctzll(values) / 8;
    const uint64_t first = values >> 8 * leading | d.last << 8 << (56 - 8 * leading);
    const uint64_t second = d.last >> 4 * leading; /* 0 if the last digit moved to `first` */
    const int is_full = second > 0;
    const int zeros = count_zeros(first) & (is_full - 1);
    return (digits){first | DVI_ZEROS, second | DVI_ZEROS, DVI_ZEROS, 8 + is_full - zeros,
                    d.exponent + 8 - leading};
}

static DVI_ALWAYS_INLINE digits spread_17(decimal d)
{
    const uint64_t least = UINT64_C(10000000) * E8;
    while (DVI_UNLIKELY(d.most < least / 10))
        d = fill(d, least);
    d = fill(d, least);
    const uint64_t first = digits_of_8((uint32_t)(d.most / E8));
    const uint64_t second = digits_of_8((uint32_t)(d.most % E8));
    const int has_second = (second | d.last) > 0, is_full = d.last > 0;
    const int zeros = count_zeros(second + (first & all_if(second == 0))) & (is_full - 1);
    return (digits){first | DVI_ZEROS, second | DVI_ZEROS, d.last | DVI_ZEROS,
                    8 + 8 * has_second + is_full - zeros, d.exponent + 16};
}

static DVI_ALWAYS_INLINE void put_words(char *dst, digits d)
{
    dvi_store_u64(dst, d.first);
    dvi_store_u64(dst + 8, d.second);
    dvi_store_u64(dst + 16, d.third);
}

/* D.DDDE+XX, with at least two digits of exponent. */
static size_t put_scientific(char *dst, digits d)
{
    put_words(dst + 1, d);
    dst[0] = dst[1];
    dst[1] = '.';
    size_t n = d.count > 1 ? (size_t)d.count + 1 : 1;
    const uint32_t size = (uint32_t)(d.exponent < 0 ? -d.exponent : d.exponent);
    dst[n++] = 'E';
    dst[n++] = d.exponent < 0 ? '-' : '+';
    dst[n] = '0';
    n += size < 10;
    return n + put_short(dst + n, size);
}

/* Insertion of a point into 8 digits: some stay, `between` follows, the others move up. */
typedef struct point {
    uint64_t stay, between;
    int up; /* bytes */
} point;

#define LOW_BYTES(n) ((UINT64_C(1) << 8 * (n)) - 1)
#define WHOLE(n)                                                                                   \
    {                                                                                              \
        LOW_BYTES(n), (uint64_t)'.' << 8 * (n), 1                                                  \
    }
#define FRACTION(zeros)                                                                            \
    {                                                                                              \
        0, UINT64_C(0x303030302E30) & LOW_BYTES((zeros) + 2), (zeros) + 2                          \
    }

static const point points[] = {FRACTION(3), FRACTION(2), FRACTION(1), FRACTION(0),
                               WHOLE(0),    WHOLE(1),    WHOLE(2),    WHOLE(3),
                               WHOLE(4),    WHOLE(5),    WHOLE(6),    WHOLE(7)};
enum { WHOLE_0 = 4, WHOLE_8 = WHOLE_0 + 8 };

static DVI_ALWAYS_INLINE size_t put_positional(char *dst, digits d)
{
    const int whole = d.exponent + 1;
    int which = WHOLE_0 + whole - (whole <= 0);
    for (; DVI_UNLIKELY(which >= WHOLE_8); which -= 8, dst += 8) {
        dvi_store_u64(dst, d.first);
        d.first = d.second;
        d.second = d.third;
        d.third = DVI_ZEROS;
    }
    const point *p = &points[which];
    const uint64_t stays = d.first & p->stay;
    put_words(dst + p->up, d);
    dvi_store_u64(dst, stays | p->between | (d.first ^ stays) << 8 * p->up);
    return (size_t)(d.count > whole ? d.count + p->up : whole);
}

static DVI_ALWAYS_INLINE size_t put_digits(char *dst, digits d, const format *f)
{
    const int most = d.count > f->positional ? d.count : f->positional;
    return (unsigned)(d.exponent + 4) < (unsigned)(most + 4) ? put_positional(dst, d)
                                                             : put_scientific(dst, d);
}

typedef decimal find_digits(uint64_t c, int q, bool is_power);
typedef digits spread_digits(decimal d);

static DVI_ALWAYS_INLINE size_t print_real(char *dst, uint64_t bits, const format *f,
                                           find_digits *find, spread_digits *spread)
{
    const uint64_t exponent_max = (UINT64_C(1) << f->exponent_bits) - 1;
    const uint64_t hidden = UINT64_C(1) << f->fraction_bits;
    const uint64_t fraction = bits & (hidden - 1);
    const uint64_t exponent = bits >> f->fraction_bits & exponent_max;
    dst[0] = '-';
    const size_t n = bits >> (f->fraction_bits + f->exponent_bits);
    if (DVI_UNLIKELY(exponent == exponent_max))
        return fraction ? put_text(dst, "NaN") : n + put_text(dst + n, "Infinity");
    if (exponent == 0 && fraction == 0)
        return n + put_text(dst + n, "0");

    const int bias = (int)(exponent_max >> 1) + f->fraction_bits;
    const uint64_t c = exponent ? fraction | hidden : fraction;
    const int q = (exponent ? (int)exponent : 1) - bias;
    const bool is_power = (fraction == 0) & (exponent > 1);
    return n + put_digits(dst + n, spread(find(c, q, is_power)), f);
}

size_t dvi_number_print_r4(char *dst, float value)
{
    return print_real(dst, dvi_load_u32(&value), &r4, shorten_r4, spread_9);
}

size_t dvi_number_print_r8(char *dst, double value)
{
    return print_real(dst, dvi_load_u64(&value), &r8, shorten_r8, spread_17);
}

size_t dvi_number_print_r4_g7(char *dst, float value)
{
    return print_real(dst, dvi_load_u32(&value), &r4_g7, round_to_7, spread_9);
}

size_t dvi_number_print_r8_g17(char *dst, double value)
{
    return print_real(dst, dvi_load_u64(&value), &r8, round_to_17, spread_17);
}
