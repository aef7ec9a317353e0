/* SPDX-License-Identifier: MIT */
/* arrow_decimal.c: converts decimals of any width to integers and reals, where that is exact. */
#include "base/check.h"
#include "base/load.h"
#include "simd/na.h"
#include "codec/parse.h"
#include "interop/arrow_number.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIMBS 8       /* of 32 bits: the widest decimal */
#define DIGITS_MAX 81 /* of 256 bits: 78 */
#define LIMB_DIGITS 9
#define LIMB_BASE 1000000000
/* Digits that every number of the type keeps. */
#define R4_DIGITS 6
#define R8_DIGITS 15

/* digits times 10^-scale; the last digit is not 0 unless it is the only one. */
typedef struct decimal {
    bool is_negative;
    int32_t scale;
    int n;
    char digits[DIGITS_MAX];
} decimal;

/* --- Digits ----------------------------------------------------------------------------------- */

/* The magnitude of a two's complement number, least limb first. */
static void load_limbs(uint32_t limbs[LIMBS], bool *is_negative, const uint8_t *bytes, size_t width)
{
    uint64_t carry;
    *is_negative = bytes[width - 1] & 0x80;
    carry = *is_negative;
    for (size_t i = 0; i < LIMBS; i++) {
        const uint32_t limb = 4 * i < width ? dvi_load_u32(bytes + 4 * i) : 0;
        const bool is_inside = 4 * i < width;
        carry += is_inside && *is_negative ? ~limb : limb;
        limbs[i] = is_inside ? (uint32_t)carry : 0;
        carry >>= 32;
    }
}

/* Divide by 10^9; returns the remainder. */
static uint32_t divide(uint32_t limbs[LIMBS])
{
    uint64_t rest = 0;
    for (size_t i = LIMBS; i-- > 0;) {
        rest = rest << 32 | limbs[i];
        limbs[i] = (uint32_t)(rest / LIMB_BASE);
        rest %= LIMB_BASE;
    }
    return (uint32_t)rest;
}

static decimal read_decimal(const uint8_t *bytes, const dvi_arrow_format *format)
{
    uint32_t limbs[LIMBS];
    char all[DIGITS_MAX];
    int first = (int)sizeof all;
    decimal d = {.scale = format->scale};
    load_limbs(limbs, &d.is_negative, bytes, (size_t)format->width);
    while (first > 0) {
        uint32_t part = divide(limbs);
        for (int i = 0; i < LIMB_DIGITS; i++, part /= 10)
            all[--first] = (char)('0' + part % 10);
    }
    const int end = (int)sizeof all;
    while (first < end - 1 && all[first] == '0')
        first++;
    d.n = end - first;
    memcpy(d.digits, all + first, (size_t)d.n);
    for (; d.n > 1 && d.digits[d.n - 1] == '0'; d.n--)
        d.scale--;
    return d;
}

/* "-12e-1" */
static int print(char *dst, size_t cap, const decimal *d)
{
    return snprintf(dst, cap, "%s%.*se%" PRId32, d->is_negative ? "-" : "", d->n, d->digits,
                    -d->scale);
}

/* --- Integers --------------------------------------------------------------------------------- */

/* The whole part; false: it has more than 64 bits. */
static bool whole_of(uint64_t *whole_out, const decimal *d)
{
    const int64_t digits = d->n - (int64_t)d->scale; /* before the point */
    *whole_out = 0;
    for (int64_t i = 0; i < digits; i++) {
        const unsigned digit = i < d->n ? (unsigned)(d->digits[i] - '0') : 0;
        if (__builtin_mul_overflow(*whole_out, 10, whole_out) ||
            __builtin_add_overflow(*whole_out, digit, whole_out))
            return false;
        if (*whole_out == 0) /* 0 */
            break;
    }
    return true;
}

static dvi_arrow_fit integer_of(uint64_t *bits_out, const dv_type *type, const decimal *d)
{
    dvi_arrow_wide wide;
    uint64_t whole;
    dvi_arrow_class class = DVI_ARROW_UNSIGNED;
    if (!whole_of(&whole, d))
        return DVI_ARROW_OUTSIDE;
    wide.u[0] = whole;
    if (d->is_negative) {
        if (whole > (uint64_t)INT64_MAX + 1)
            return DVI_ARROW_OUTSIDE;
        class = DVI_ARROW_SIGNED;
        wide.i[0] = (int64_t)(0 - whole);
    }
    const dvi_arrow_fit found = dvi_arrow_bits_of(bits_out, type, &wide, class, 0);
    const bool is_whole = d->scale <= 0 || (d->n == 1 && d->digits[0] == '0');
    return found == DVI_ARROW_FITS && !is_whole ? DVI_ARROW_ROUNDS : found;
}

/* --- Reals ------------------------------------------------------------------------------------ */

/* Whether the real has the digits of the decimal when it is written with as many. */
static bool has_digits(double real, const decimal *d)
{
    char text[DIGITS_MAX + 16];
    int at = 0;
    snprintf(text, sizeof text, "%.*e", d->n - 1, fabs(real));
    for (int i = 0; at < d->n && text[i] && text[i] != 'e'; i++)
        if (text[i] >= '0' && text[i] <= '9' && text[i] != d->digits[at++])
            return false;
    return at == d->n;
}

static dvi_arrow_fit real_of(uint64_t *bits_out, const dv_type *type, const decimal *d)
{
    char text[DIGITS_MAX + 16];
    float narrow = 0;
    double real = 0;
    const bool is_narrow = type->kind == DV_KIND_R4;
    const size_t n = (size_t)print(text, sizeof text, d);
    const bool is_read =
        is_narrow ? dvi_parse_r4(&narrow, text, n, n, '.') : dvi_parse_r8(&real, text, n, n, '.');
    if (is_narrow)
        real = (double)narrow;
    if (!is_read || !isfinite(real))
        return DVI_ARROW_OUTSIDE;
    *bits_out = 0;
    if (is_narrow)
        memcpy(bits_out, &narrow, sizeof narrow);
    else
        memcpy(bits_out, &real, sizeof real);
    const bool is_short = d->n <= (is_narrow ? R4_DIGITS : R8_DIGITS) && isnormal(real);
    return is_short || has_digits(real, d) ? DVI_ARROW_FITS : DVI_ARROW_ROUNDS;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static dv_status store(uint8_t *dst, const dvi_arrow_reading *r, const uint8_t *bytes, int64_t at,
                       dv_error *err)
{
    char number[DIGITS_MAX + 16];
    const dv_type *type = &r->scalar->type;
    uint64_t bits = dvi_na_bits(type);
    if (!r->valid || r->valid[at]) {
        const decimal d = read_decimal(bytes, &r->scalar->shape->format);
        const dvi_arrow_fit found = type->kind == DV_KIND_R4 || type->kind == DV_KIND_R8
                                        ? real_of(&bits, type, &d)
                                        : integer_of(&bits, type, &d);
        if (!dvi_arrow_is_allowed(r, found)) {
            print(number, sizeof number, &d);
            return dvi_arrow_fail_fit(r, found, number, at, err);
        }
    }
    memcpy(dst, &bits, dvi_width_of(type));
    return DV_OK;
}

dv_status dvi_arrow_read_decimals(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err)
{
    const size_t width = dvi_width_of(&r->scalar->type);
    const size_t wide = (size_t)r->scalar->shape->format.width;
    void *made;
    int64_t at = 0;
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_VALUES, r->n, width, &made, err));
    for (int64_t k = 0; k < r->runs_count; k++) {
        const uint8_t *from =
            (const uint8_t *)r->array->buffers[1] + (size_t)r->runs[k].first * wide;
        for (int64_t i = 0; i < r->runs[k].n; i++, at++)
            DVI_TRY(
                store((uint8_t *)made + (size_t)at * width, r, from + (size_t)i * wide, at, err));
    }
    view->as.fixed.values = dvi_arrow_made(r, DVI_ARROW_VALUES, r->n, width);
    return DV_OK;
}
