/* SPDX-License-Identifier: MIT */
/* arrow_fit.c: decides whether, and how, values of Arrow become values of a type. */
#include "base/check.h"
#include "interop/arrow_intake.h"
#include <string.h>

#define RULE "docs/arrow.md"

/* --- Types that follow from the format -------------------------------------------------------- */

/* A key is as wide as its indices; dvi_arrow_intake_count widens it where entries need more. */
static dv_type key_of(const dvi_arrow_format *indices)
{
    const int64_t width = dvi_arrow_value_width(indices);
    return dv_type_key(width == 1 ? DV_KIND_U1 : width == 2 ? DV_KIND_U2 : DV_KIND_U4, 0, 0);
}

static dv_kind kind_of_time(const dvi_arrow_format *format)
{
    return format->meaning == DVI_ARROW_SPAN   ? DV_KIND_TS
           : format->meaning == DVI_ARROW_DATE ? DV_KIND_DT
                                               : DV_KIND_DZ;
}

static dv_kind kind_of(const dvi_arrow_format *format)
{
    static const dv_kind kinds[] = {
        [DVI_ARROW_NULLS] = DV_KIND_TX,       [DVI_ARROW_BOOL] = DV_KIND_BL,
        [DVI_ARROW_I1] = DV_KIND_I1,          [DVI_ARROW_I2] = DV_KIND_I2,
        [DVI_ARROW_I4] = DV_KIND_I4,          [DVI_ARROW_I8] = DV_KIND_I8,
        [DVI_ARROW_U1] = DV_KIND_U1,          [DVI_ARROW_U2] = DV_KIND_U2,
        [DVI_ARROW_U4] = DV_KIND_U4,          [DVI_ARROW_U8] = DV_KIND_U8,
        [DVI_ARROW_HALF] = DV_KIND_R4,        [DVI_ARROW_R4] = DV_KIND_R4,
        [DVI_ARROW_R8] = DV_KIND_R8,          [DVI_ARROW_TEXT_4] = DV_KIND_BY,
        [DVI_ARROW_TEXT_8] = DV_KIND_BY,      [DVI_ARROW_TEXT_VIEW] = DV_KIND_BY,
        [DVI_ARROW_FIXED_BYTES] = DV_KIND_BY, [DVI_ARROW_LIST_VIEW_8] = DV_KIND_NONE};
    if (dvi_arrow_is_time(format))
        return kind_of_time(format);
    if (format->storage == DVI_ARROW_DECIMAL)
        return format->scale > 0 ? DV_KIND_R8 : DV_KIND_I8;
    return format->meaning == DVI_ARROW_UTF8 ? DV_KIND_TX : kinds[format->storage];
}

/* struct<instant, int16>: arrow.timestamp_with_offset, and our own of the option `offsets`. */
static bool is_zoned(const dvi_arrow_shape *shape)
{
    if (shape->format.storage != DVI_ARROW_STRUCT || shape->children_count != 2)
        return false;
    const dvi_arrow_format *time = &shape->children[0].format;
    const dvi_arrow_format *minutes = &shape->children[1].format;
    return !shape->children[0].dictionary && !shape->children[1].dictionary &&
           (time->meaning == DVI_ARROW_INSTANT ||
            (time->storage == DVI_ARROW_I8 && !dvi_arrow_is_time(time))) &&
           minutes->storage == DVI_ARROW_I2;
}

static bool is_named_zoned(const dvi_arrow_shape *shape)
{
    return is_zoned(shape) && shape->children[0].format.meaning == DVI_ARROW_INSTANT &&
           dvi_arrow_is_extension(shape, "arrow.timestamp_with_offset");
}

dv_status dvi_arrow_scalar_type(dv_type *type_out, const dvi_arrow_shape *shape, dv_error *err)
{
    if (is_named_zoned(shape)) {
        *type_out = dv_type_of(DV_KIND_DZ);
        return DV_OK;
    }
    DVI_REQUIRE(shape->format.storage != DVI_ARROW_STRUCT,
                dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "type",
                         "its fields as columns: flatten|struct"));
    DVI_REQUIRE(!dvi_arrow_is_list(&shape->format),
                dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "items of lists",
                         "plain values, or fixed_size_list|%s", shape->format.name));
    const bool is_truth =
        dvi_arrow_is_extension(shape, "arrow.bool8") && shape->format.storage == DVI_ARROW_I1;
    *type_out = shape->dictionary ? key_of(&shape->format)
                : is_truth        ? dv_type_of(DV_KIND_BL)
                                  : dv_type_of(kind_of(&shape->format));
    return DV_OK;
}

/* --- Fits ------------------------------------------------------------------------------------- */

static bool is_number_kind(dv_kind kind)
{
    return kind >= DV_KIND_I1 && kind <= DV_KIND_R8;
}

static bool has_same_bits(const dvi_arrow_format *format, const dv_type *type)
{
    return format->storage != DVI_ARROW_BOOL && format->storage != DVI_ARROW_HALF &&
           kind_of(format) == type->kind;
}

static bool is_unsigned(const dvi_arrow_format *format)
{
    return format->storage >= DVI_ARROW_U1 && format->storage <= DVI_ARROW_U8;
}

/* Numbers, not keys. Ours have the kind that follows from the format. */
static bool fit_number(dvi_arrow_scalar *s, const dvi_arrow_format *format, bool is_ours)
{
    const bool is_decimal = format->storage == DVI_ARROW_DECIMAL;
    if ((!dvi_arrow_is_number(format) && !is_decimal) ||
        (!is_number_kind(s->type.kind) && s->type.kind != DV_KIND_BL))
        return false;
    s->make = is_decimal                        ? DVI_ARROW_FROM_DECIMALS
              : has_same_bits(format, &s->type) ? DVI_ARROW_FROM_BITS
                                                : DVI_ARROW_FROM_NUMBERS;
    return !is_ours || (!is_decimal && kind_of(format) == s->type.kind);
}

/* The metadata says what the numbers of a key are; the option `types` means them as its notation
 * does. */
static bool fit_key(dvi_arrow_scalar *s, const dvi_arrow_shape *shape, const dvi_arrow_shape *field,
                    bool is_ours)
{
    const dv_text keys = dvi_arrow_shape_find(field, "dataview.keys");
    const bool is_stored = is_ours && dv_text_equal(keys, dv_text_of("stored"));
    const bool is_meant = !is_ours || dv_text_equal(keys, dv_text_of("meant"));
    s->make = DVI_ARROW_FROM_KEYS;
    s->zero_is_na = is_stored;
    s->first_key = is_stored ? 1 : is_meant ? s->type.key_min : 0;
    return is_ours ? is_unsigned(&shape->format) && !dvi_arrow_is_time(&shape->format)
                   : dvi_arrow_is_integer(&shape->format);
}

static bool fit_time(dvi_arrow_scalar *s, const dvi_arrow_format *format, bool is_ours)
{
    const dv_kind kind = s->type.kind;
    if (format->storage == DVI_ARROW_I8 && !dvi_arrow_is_time(format)) { /* ticks */
        s->make = kind == DV_KIND_DZ ? DVI_ARROW_FROM_TIMES : DVI_ARROW_FROM_BITS;
        return true;
    }
    s->make = DVI_ARROW_FROM_TIMES;
    if (!dvi_arrow_is_time(format))
        return false;
    if (is_ours)
        return kind_of_time(format) == kind;
    return (format->meaning == DVI_ARROW_SPAN) == (kind == DV_KIND_TS);
}

static bool fit_text(dvi_arrow_scalar *s, const dvi_arrow_format *format, bool is_ours)
{
    s->make = DVI_ARROW_FROM_TEXT;
    return dvi_arrow_is_text(format) && (!is_ours || kind_of(format) == s->type.kind);
}

static bool fit_plain(dvi_arrow_scalar *s, const dvi_arrow_shape *shape, bool is_ours)
{
    const dvi_arrow_format *format = &shape->format;
    switch (s->type.kind) {
    case DV_KIND_TX:
    case DV_KIND_BY:
        return fit_text(s, format, is_ours);
    case DV_KIND_TS:
    case DV_KIND_DT:
        return fit_time(s, format, is_ours);
    case DV_KIND_DZ:
        s->make = DVI_ARROW_FROM_ZONED;
        return is_zoned(shape) || fit_time(s, format, is_ours);
    case DV_KIND_UG:
        s->make = DVI_ARROW_FROM_BITS;
        return format->storage == DVI_ARROW_FIXED_BYTES && format->width == 16;
    default:
        return fit_number(s, format, is_ours);
    }
}

bool dvi_arrow_scalar_fit(dvi_arrow_scalar *scalar_out, const dvi_arrow_shape *shape,
                          const dvi_arrow_shape *field, const dv_type *type, bool is_ours)
{
    dvi_arrow_scalar *s = scalar_out;
    *s = (dvi_arrow_scalar){.shape = shape, .type = *type, .dictionary = -1};
    if (type->kind == DV_KIND_EXTENSION)
        return false;
    if (shape->dictionary) {
        s->make = type->is_key ? DVI_ARROW_FROM_CODES : DVI_ARROW_FROM_ENTRIES;
        return type->is_key || !is_ours; /* entries is planned by the caller */
    }
    if (shape->format.storage == DVI_ARROW_NULLS) {
        s->make = DVI_ARROW_FROM_NULLS;
        return dv_type_has_na(type);
    }
    return type->is_key ? fit_key(s, shape, field, is_ours) : fit_plain(s, shape, is_ours);
}
