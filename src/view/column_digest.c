/* SPDX-License-Identifier: MIT */
/* column_digest.c: which bytes stand for the values of a column, whatever its layout? */
#include "base/attrs.h"
#include "base/load.h"
#include "view/column.h"
#include <dataview/digest.h>
#include <dataview/value.h>

/* Small pieces are gathered: each addition costs as much as many bytes. */
typedef struct stage {
    dv_digester *digester;
    size_t n;
    uint8_t bytes[4096];
} stage;

static void flush(stage *s)
{
    dv_digester_add(s->digester, s->bytes, s->n);
    s->n = 0;
}

static void put(stage *s, const void *src, size_t n)
{
    if (n > sizeof s->bytes - s->n)
        flush(s);
    if (n > sizeof s->bytes) {
        dv_digester_add(s->digester, src, n);
        return;
    }
    memcpy(s->bytes + s->n, src, n);
    s->n += n;
}

static void put_i4(stage *s, int32_t number)
{
    put(s, &number, sizeof number);
}

/* --- One value -------------------------------------------------------------------------------- */

static bool is_zero(const uint8_t *bytes, size_t n)
{
    uint8_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= bytes[i];
    return any == 0;
}

static const uint8_t *fixed_at(const dv_value *value, size_t width)
{
    return (const uint8_t *)value->column->as.fixed.values.data + width * (size_t)value->row;
}

/* What a slot without an item holds too? */
static bool is_hole(const dv_value *value)
{
    switch (value->column->layout) {
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        return dv_value_tx(value).nbytes == 0;
    case DV_LAYOUT_ZONED:
        return dv_value_dz(value).ticks == 0 && dv_value_dz(value).minutes == 0;
    default: {
        const size_t width = dvi_width_of(&value->column->type);
        return is_zero(fixed_at(value, width), width);
    }
    }
}

static void put_text(stage *s, dv_text text)
{
    put_i4(s, (int32_t)text.nbytes);
    if (text.nbytes > 0)
        put(s, text.data, (size_t)text.nbytes);
}

static void put_zoned(stage *s, dv_zoned zoned, bool is_na)
{
    const dv_zoned one = is_na ? (dv_zoned){DV_TICKS_NA, 0} : zoned;
    put(s, &one.ticks, sizeof one.ticks);
    put(s, &one.minutes, sizeof one.minutes);
}

/* Of fixed width, and NA in many ways that are all the same? */
static bool has_one_na(const dv_type *type)
{
    return type->kind == DV_KIND_BL || type->kind == DV_KIND_DT;
}

static void put_fixed(stage *s, const dv_value *value)
{
    static const int64_t ticks = DV_TICKS_NA;
    static const int8_t boolean = DV_BL_NA;
    const dv_kind kind = value->column->type.kind;
    const size_t width = dvi_width_of(&value->column->type);
    const bool is_na = has_one_na(&value->column->type) && dv_value_is_na(value);
    const void *na = kind == DV_KIND_BL ? (const void *)&boolean : &ticks;
    put(s, is_na ? na : fixed_at(value, width), width);
}

static void put_scalar(stage *s, const dv_value *value)
{
    switch (value->column->layout) {
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        put_text(s, dv_value_tx(value));
        return;
    case DV_LAYOUT_ZONED:
        put_zoned(s, dv_value_dz(value), dv_value_is_na(value));
        return;
    default:
        put_fixed(s, value);
    }
}

/* --- The items of a vector -------------------------------------------------------------------- */

/* Items whose bits are all that there is to them. */
static DVI_ALWAYS_INLINE void put_items(stage *s, const dv_value *value, size_t width)
{
    static const uint8_t zeros[8];
    const dv_value first = dv_value_item(value, 0);
    const uint8_t *p = fixed_at(&first, width);
    const int32_t items = dv_value_items(value);
    size_t n = s->n;
    for (int32_t i = 0; i < items; i++, p += width) {
        if (memcmp(p, zeros, width) == 0)
            continue;
        if (sizeof s->bytes - n < 4 + width) {
            dv_digester_add(s->digester, s->bytes, n);
            n = 0;
        }
        dvi_store_i32(s->bytes + n, value->count < 0 ? i : dv_value_slot(value, i));
        memcpy(s->bytes + n + 4, p, width);
        n += 4 + width;
    }
    s->n = n;
}

static void put_any_items(stage *s, const dv_value *value)
{
    const int32_t items = dv_value_items(value);
    dv_value item = dv_value_item(value, 0);
    for (int32_t i = 0; i < items; i++, item.row++) {
        if (is_hole(&item))
            continue;
        put_i4(s, dv_value_slot(value, i));
        put_scalar(s, &item);
    }
}

static void put_vector(stage *s, const dv_value *value)
{
    const dv_column_view *items = value->column->as.vector.items;
    const bool is_plain = items->layout == DV_LAYOUT_FIXED && !has_one_na(&items->type);
    put_i4(s, value->length);
    switch (is_plain ? dvi_width_of(&items->type) : 0) {
    case 1:
        put_items(s, value, 1);
        break;
    case 2:
        put_items(s, value, 2);
        break;
    case 4:
        put_items(s, value, 4);
        break;
    case 8:
        put_items(s, value, 8);
        break;
    default:
        put_any_items(s, value);
    }
    put_i4(s, -1);
}

/* --- All rows --------------------------------------------------------------------------------- */

void dv_digester_add_column(dv_digester *digester, const dv_column_view *column)
{
    if (column->layout == DV_LAYOUT_FIXED && !has_one_na(&column->type)) {
        const size_t width = dvi_width_of(&column->type);
        dv_digester_add(digester, column->as.fixed.values.data, width * (size_t)column->rows);
        return;
    }
    stage s = {.digester = digester, .n = 0};
    dv_value value = dv_value_first(column);
    for (; value.row < column->rows; dv_value_next(&value))
        column->layout == DV_LAYOUT_VECTOR ? put_vector(&s, &value) : put_scalar(&s, &value);
    flush(&s);
}
