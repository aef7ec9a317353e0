/* SPDX-License-Identifier: MIT */
/* text_value.c: parses a field as a value of a type. */
#include "format/text/read/text_value.h"
#include "base/load.h"
#include "base/utf8.h"
#include "simd/dispatch.h"
#include "codec/parse.h"
#include "codec/settings.h"
#include "codec/space.h"
#include <string.h>

static bool is_real(const dv_type *item)
{
    return item->kind == DV_KIND_R4 || item->kind == DV_KIND_R8;
}

static bool is_signed(dv_kind kind)
{
    return kind == DV_KIND_I1 || kind == DV_KIND_I2 || kind == DV_KIND_I4 || kind == DV_KIND_I8;
}

/* NA of the type, or its default if it has none. */
static dvi_text_value na_of(const dv_type *item)
{
    dvi_text_value value = {.text = {NULL, -1}};
    if (item->kind == DV_KIND_R4)
        value.bits[0] = DV_R4_NA_BITS;
    else if (item->kind == DV_KIND_R8)
        value.bits[0] = DV_R8_NA_BITS;
    else if (item->kind == DV_KIND_BL)
        value.bits[0] = (uint8_t)DV_BL_NA;
    else if (is_signed(item->kind))
        value.bits[0] = UINT64_C(1) << (8 * dv_kind_width(item->kind) - 1);
    else if (item->kind == DV_KIND_TS || item->kind == DV_KIND_DT || item->kind == DV_KIND_DZ)
        value.bits[0] = (uint64_t)DV_TICKS_NA;
    return value;
}

dvi_text_value dvi_text_default(const dv_type *item, const dvi_text_reading *reading)
{
    if (reading->missing_real_nan && is_real(item))
        return na_of(item);
    return (dvi_text_value){.text = {"", 0}};
}

static bool parse(dvi_text_value *value, const dv_type *item, dv_text text, char decimal)
{
    const char *src = text.data;
    const size_t n = (size_t)text.nbytes;
    void *bits = value->bits;
    dv_u128 id;
    dv_zoned zoned;
    bool is_good;
    *value = (dvi_text_value){.text = text};
    if (item->is_key)
        return dvi_parse_key(&value->bits[0], src, n, item);
    switch (item->kind) {
    case DV_KIND_I1:
        return dvi_parse_i1(bits, src, n);
    case DV_KIND_I2:
        return dvi_parse_i2(bits, src, n);
    case DV_KIND_I4:
        return dvi_parse_i4(bits, src, n);
    case DV_KIND_I8:
        return dvi_parse_i8(bits, src, n);
    case DV_KIND_U1:
        return dvi_parse_u1(bits, src, n);
    case DV_KIND_U2:
        return dvi_parse_u2(bits, src, n);
    case DV_KIND_U4:
        return dvi_parse_u4(bits, src, n);
    case DV_KIND_U8:
        return dvi_parse_u8(bits, src, n);
    case DV_KIND_R4:
        return dvi_parse_r4(bits, src, n, n, decimal);
    case DV_KIND_R8:
        return dvi_parse_r8(bits, src, n, n, decimal);
    case DV_KIND_BL:
        return dvi_parse_bl(bits, src, n);
    case DV_KIND_TS:
        return dvi_parse_ts(bits, src, n);
    case DV_KIND_DT:
        return dvi_parse_dt(bits, src, n);
    case DV_KIND_DZ:
        is_good = dvi_parse_dz(&zoned, src, n);
        value->bits[0] = (uint64_t)zoned.ticks;
        value->bits[1] = (uint16_t)zoned.minutes;
        return is_good;
    case DV_KIND_UG:
        is_good = dvi_parse_ug(&id, src, n);
        memcpy(value->bits, &id, sizeof id);
        return is_good;
    default:
        return true; /* TX */
    }
}

static bool is_white(dv_text text)
{
    const char *end = text.data + text.nbytes;
    return dvi_space_skip(text.data, end) == end;
}

dvi_text_verdict dvi_text_read_value(dvi_text_value *value_out, const dv_type *item,
                                     const dvi_text_field *field, const dvi_text_reading *reading)
{
    const bool is_na =
        (field->mark == DVI_TEXT_BLANK || field->mark == DVI_TEXT_BROKEN) && reading->blank_is_na;
    const bool is_missing = reading->missing_real_nan && is_real(item) && is_white(field->text);
    if (is_na || is_missing) {
        *value_out = na_of(item);
        return DVI_TEXT_GOOD;
    }
    if (field->text.nbytes == 0) {
        *value_out = dvi_text_default(item, reading);
        return reading->missing_real_nan ? DVI_TEXT_GOOD : DVI_TEXT_NOTHING;
    }
    const dv_text text = reading->trims ? dvi_text_trim(field->text) : field->text;
    return parse(value_out, item, text, reading->decimal) ? DVI_TEXT_GOOD : DVI_TEXT_BAD;
}

/* --- Text --- */

/* The length of the ill-formed sequence at p: the bytes that could begin a character, at least
 * one. */
static size_t ill_formed_nbytes(const char *p, size_t n)
{
    char bytes[4] = {0};
    size_t i = 1;
    for (; i < n && i < 3; i++) {
        /* try whether bytes after the first i + 1 could complete a character */
        memset(bytes, '\x80', sizeof bytes);
        memcpy(bytes, p, i + 1);
        if (dvi_utf8_step(bytes, sizeof bytes) <= i + 1)
            break;
    }
    return i;
}

size_t dvi_text_copy(uint8_t *dst, dv_text text, int64_t *ill_formed)
{
    const char *p = text.data;
    size_t left = (size_t)(text.nbytes > 0 ? text.nbytes : 0), used = 0, units;
    while (left > 0) {
        const size_t good = dvi_kernels()->utf8_units(p, left, &units);
        memcpy(dst + used, p, good);
        used += good;
        if (good == left)
            break;
        const size_t bad = ill_formed_nbytes(p + good, left - good);
        memcpy(dst + used, "\xEF\xBF\xBD", 3);
        used += 3;
        ++*ill_formed;
        p += good + bad;
        left -= good + bad;
    }
    return used;
}
