/* SPDX-License-Identifier: MIT */
/* arrow_number.c: converts numbers of any storage to numbers and keys, and says what does not fit.
 */
#include "interop/arrow_number.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/na.h"
#include "interop/arrow_read.h"
#include <dataview/save.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- Loading ---------------------------------------------------------------------------------- */

dvi_arrow_class dvi_arrow_class_of(dvi_arrow_storage storage)
{
    return storage >= DVI_ARROW_HALF                              ? DVI_ARROW_REAL
           : storage == DVI_ARROW_BOOL || storage >= DVI_ARROW_U1 ? DVI_ARROW_UNSIGNED
                                                                  : DVI_ARROW_SIGNED;
}

/* IEEE binary16. */
static double half_to_real(uint16_t half)
{
    const int exponent = half >> 10 & 31;
    const double fraction = half & 1023;
    const double sign = half & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction > 0 ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent > 0 ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

#define LOAD(member, type)                                                                         \
    for (size_t i = 0; i < n; i++) {                                                               \
        type value;                                                                                \
        memcpy(&value, bytes + ((size_t)first + i) * sizeof value, sizeof value);                  \
        wide->member[i] = value;                                                                   \
    }                                                                                              \
    return;

void dvi_arrow_load(dvi_arrow_wide *wide, dvi_arrow_storage storage, const void *buffer,
                    int64_t first, size_t n)
{
    const uint8_t *bytes = buffer;
    switch (storage) {
    case DVI_ARROW_BOOL:
        for (size_t i = 0; i < n; i++)
            wide->u[i] = bytes[((size_t)first + i) / 8] >> ((size_t)first + i) % 8 & 1;
        return;
    case DVI_ARROW_I1:
        LOAD(i, int8_t)
    case DVI_ARROW_I2:
        LOAD(i, int16_t)
    case DVI_ARROW_I4:
        LOAD(i, int32_t)
    case DVI_ARROW_I8:
        LOAD(i, int64_t)
    case DVI_ARROW_U1:
        LOAD(u, uint8_t)
    case DVI_ARROW_U2:
        LOAD(u, uint16_t)
    case DVI_ARROW_U4:
        LOAD(u, uint32_t)
    case DVI_ARROW_U8:
        LOAD(u, uint64_t)
    case DVI_ARROW_HALF:
        for (size_t i = 0; i < n; i++)
            wide->r[i] = half_to_real(dvi_load_u16(bytes + 2 * ((size_t)first + i)));
        return;
    case DVI_ARROW_R4:
        LOAD(r, float)
    default:
        LOAD(r, double)
    }
}

/* --- Storing ---------------------------------------------------------------------------------- */

/* The bits that an integer type of `width` bytes has for it. */
static dvi_arrow_fit integer_of(uint64_t *bits_out, const dvi_arrow_wide *wide,
                                dvi_arrow_class class, size_t i, size_t width, bool is_signed)
{
    const uint64_t most = UINT64_MAX >> (64 - 8 * width) >> is_signed;
    const int64_t least = is_signed ? -(int64_t)(most)-1 : 0;
    if (class == DVI_ARROW_UNSIGNED) {
        *bits_out = wide->u[i];
        return wide->u[i] <= most ? DVI_ARROW_FITS : DVI_ARROW_OUTSIDE;
    }
    if (class == DVI_ARROW_SIGNED) {
        const int64_t value = wide->i[i];
        *bits_out = (uint64_t)value;
        if (value < least || (value > 0 && (uint64_t)value > most))
            return DVI_ARROW_OUTSIDE;
        return is_signed && value == least ? DVI_ARROW_IS_NA : DVI_ARROW_FITS;
    }
    const double value = trunc(wide->r[i]);
    /* 2^63 and 2^64 are doubles; the greatest integers are not */
    if (!(value >= (double)least && value < ldexp(1, 8 * (int)width - is_signed)))
        return DVI_ARROW_OUTSIDE;
    *bits_out = is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
    return is_signed && value == (double)least ? DVI_ARROW_IS_NA
           : value == wide->r[i]               ? DVI_ARROW_FITS
                                               : DVI_ARROW_ROUNDS;
}

static dvi_arrow_fit real_of(uint64_t *bits_out, const dvi_arrow_wide *wide, dvi_arrow_class class,
                             size_t i, size_t width)
{
    const double nearest = class == DVI_ARROW_SIGNED     ? (double)wide->i[i]
                           : class == DVI_ARROW_UNSIGNED ? (double)wide->u[i]
                                                         : wide->r[i];
    const float narrow = (float)nearest;
    const double value = width == 4 ? (double)narrow : nearest;
    *bits_out = 0;
    if (width == 4)
        memcpy(bits_out, &narrow, sizeof narrow);
    else
        memcpy(bits_out, &nearest, sizeof nearest);
    if (class == DVI_ARROW_REAL)
        return value == nearest || isnan(nearest) ? DVI_ARROW_FITS : DVI_ARROW_ROUNDS;
    /* The integer again, unless it was rounded to one outside. */
    const bool is_same = class == DVI_ARROW_SIGNED
                             ? value < 0x1p63 && (int64_t)value == wide->i[i]
                             : value < 0x1p64 && (uint64_t)value == wide->u[i];
    return is_same ? DVI_ARROW_FITS : DVI_ARROW_ROUNDS;
}

dvi_arrow_fit dvi_arrow_bits_of(uint64_t *bits_out, const dv_type *type, const dvi_arrow_wide *wide,
                                dvi_arrow_class class, size_t i)
{
    const size_t width = dvi_width_of(type);
    if (type->kind == DV_KIND_R4 || type->kind == DV_KIND_R8)
        return real_of(bits_out, wide, class, i, width);
    const bool is_signed = type->kind == DV_KIND_I1 || type->kind == DV_KIND_I2 ||
                           type->kind == DV_KIND_I4 || type->kind == DV_KIND_I8;
    const dvi_arrow_fit found = integer_of(bits_out, wide, class, i, width, is_signed);
    return type->kind == DV_KIND_BL && found == DVI_ARROW_FITS && *bits_out > 1 ? DVI_ARROW_OUTSIDE
                                                                                : found;
}

/* NaN in an integer column is what a null became. */
static bool is_missing(const dvi_arrow_wide *wide, dvi_arrow_class class, size_t i)
{
    return class == DVI_ARROW_REAL && isnan(wide->r[i]);
}

dv_status dvi_arrow_fail_fit(const dvi_arrow_reading *r, dvi_arrow_fit found, const char *number,
                             int64_t at, dv_error *err)
{
    char expected[128];
    const dv_kind kind = r->scalar->type.kind;
    if (found == DVI_ARROW_IS_NA)
        return dvi_arrow_fail_null(r, at, "the value that stands for NA", err);
    const bool is_wide = kind == DV_KIND_I8 && r->scalar->make == DVI_ARROW_FROM_DECIMALS;
    if (found == DVI_ARROW_ROUNDS)
        snprintf(expected, sizeof expected, "a number of %s, or the loss `precision`",
                 dv_kind_name(kind));
    else if (is_wide)
        snprintf(expected, sizeof expected, "a number of I8, or types=\"%.32s:R8\"",
                 dvi_show(r->column->name).text);
    else
        snprintf(expected, sizeof expected, "a number of %s", dv_kind_name(kind));
    return dvi_arrow_fail_at(r, DV_ERR_LOSS, at, expected, number, err);
}

static dv_status fail_number(const dvi_arrow_reading *r, dvi_arrow_fit found,
                             const dvi_arrow_wide *wide, size_t i, int64_t at, dv_error *err)
{
    char number[32];
    const dvi_arrow_class class = dvi_arrow_class_of(r->scalar->shape->format.storage);
    if (class == DVI_ARROW_REAL)
        snprintf(number, sizeof number, "%.17g", wide->r[i]);
    else if (class == DVI_ARROW_SIGNED)
        snprintf(number, sizeof number, "%" PRId64, wide->i[i]);
    else
        snprintf(number, sizeof number, "%" PRIu64, wide->u[i]);
    return dvi_arrow_fail_fit(r, found, number, at, err);
}

bool dvi_arrow_is_allowed(const dvi_arrow_reading *r, dvi_arrow_fit found)
{
    return found == DVI_ARROW_FITS || (found == DVI_ARROW_IS_NA && (r->allow_loss & DV_LOSS_NA)) ||
           (found == DVI_ARROW_ROUNDS && (r->allow_loss & DV_LOSS_PRECISION));
}

static dv_status store_number(uint8_t *dst, const dvi_arrow_reading *r, const dvi_arrow_wide *wide,
                              size_t i, int64_t at, dv_error *err)
{
    const dv_type *type = &r->scalar->type;
    const dvi_arrow_class class = dvi_arrow_class_of(r->scalar->shape->format.storage);
    const bool is_integer = type->kind != DV_KIND_R4 && type->kind != DV_KIND_R8;
    uint64_t bits = dvi_na_bits(type);
    if (r->valid && !r->valid[at]) {
        memcpy(dst, &bits, dvi_width_of(type));
        return DV_OK;
    }
    if (is_integer && is_missing(wide, class, i)) {
        DVI_REQUIRE(dv_type_has_na(type) || (r->allow_loss & DV_LOSS_NA),
                    dvi_arrow_fail_null(r, at, "NaN", err));
        DVI_TRY(dvi_arrow_saw_nan(r, at, err));
    } else {
        const dvi_arrow_fit found = dvi_arrow_bits_of(&bits, type, wide, class, i);
        DVI_REQUIRE(dvi_arrow_is_allowed(r, found), fail_number(r, found, wide, i, at, err));
    }
    memcpy(dst, &bits, dvi_width_of(type));
    return DV_OK;
}

/* --- Keys ------------------------------------------------------------------------------------- */

/* The stored key: 1 to the count. */
static dv_status store_key(uint8_t *dst, const dvi_arrow_reading *r, const dvi_arrow_wide *wide,
                           size_t i, int64_t at, dv_error *err)
{
    const dv_type *type = &r->scalar->type;
    const size_t width = dvi_width_of(type);
    const uint64_t most = type->key_count > 0 ? type->key_count : UINT64_MAX >> (64 - 8 * width);
    const uint64_t first = r->scalar->first_key, number = wide->u[i];
    const bool is_negative =
        dvi_arrow_class_of(r->scalar->shape->format.storage) == DVI_ARROW_SIGNED && wide->i[i] < 0;
    const bool is_null = (r->valid && !r->valid[at]) || (r->scalar->zero_is_na && number == 0);
    uint64_t key = 0;
    if (!is_null) {
        DVI_REQUIRE(!is_negative && number >= first && number - first < most,
                    dvi_arrow_fail_at(r, DV_ERR_LOSS, at, "a number in the range of the key",
                                      "one outside", err));
        key = number - first + 1;
    }
    memcpy(dst, &key, width);
    return DV_OK;
}

/* --- Runs ------------------------------------------------------------------------------------- */

typedef dv_status store_fn(uint8_t *dst, const dvi_arrow_reading *r, const dvi_arrow_wide *wide,
                           size_t i, int64_t at, dv_error *err);

static dv_status read_runs(dv_column_view *view, const dvi_arrow_reading *r, store_fn *store,
                           dv_error *err)
{
    const size_t width = dvi_width_of(&r->scalar->type);
    const dvi_arrow_storage storage = r->scalar->shape->format.storage;
    void *made;
    dvi_arrow_wide wide;
    int64_t at = 0;
    DVI_TRY(dvi_arrow_reserve(r, DVI_ARROW_VALUES, r->n, width, &made, err));
    for (int64_t k = 0; k < r->runs_count; k++) {
        const dvi_arrow_run *run = &r->runs[k];
        for (int64_t done = 0; done < run->n; done += DVI_ARROW_CHUNK) {
            const size_t n = (size_t)dvi_min_i64(run->n - done, DVI_ARROW_CHUNK);
            dvi_arrow_load(&wide, storage, r->array->buffers[1], run->first + done, n);
            for (size_t i = 0; i < n; i++, at++)
                DVI_TRY(store((uint8_t *)made + (size_t)at * width, r, &wide, i, at, err));
        }
    }
    view->as.fixed.values = dvi_arrow_made(r, DVI_ARROW_VALUES, r->n, width);
    return DV_OK;
}

dv_status dvi_arrow_read_numbers(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err)
{
    DVI_TRY(read_runs(view, r, store_number, err));
    return dvi_arrow_check_nan(r, view->as.fixed.values.data, err);
}

dv_status dvi_arrow_read_keys(dv_column_view *view, const dvi_arrow_reading *r, dv_error *err)
{
    return read_runs(view, r, store_key, err);
}
