/* SPDX-License-Identifier: MIT */
/* column_digest.c: the digest of the values of a column, independent of its layout. */
#include "base/compiler.h"
#include "base/load.h"
#include "view/column.h"
#include <dataview/digest.h>
#include <dataview/value.h>

/* Collects small additions: a call of the digester costs as much as many bytes. */
typedef struct buffer {
    dv_digester *digester;
    size_t n;
    uint8_t bytes[4096];
} buffer;

static void flush(buffer *b)
{
    dv_digester_add(b->digester, b->bytes, b->n);
    b->n = 0;
}

static void add(buffer *b, const void *src, size_t n)
{
    if (n > sizeof b->bytes - b->n)
        flush(b);
    if (n > sizeof b->bytes) {
        dv_digester_add(b->digester, src, n);
        return;
    }
    memcpy(b->bytes + b->n, src, n);
    b->n += n;
}

static void add_i4(buffer *b, int32_t number)
{
    add(b, &number, sizeof number);
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

/* Does a slot without an item have the same value? */
static bool is_slot_default(const dv_value *value)
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

static void add_text(buffer *b, dv_text text)
{
    add_i4(b, (int32_t)text.nbytes);
    if (text.nbytes > 0)
        add(b, text.data, (size_t)text.nbytes);
}

static void add_zoned(buffer *b, dv_zoned zoned, bool is_na)
{
    const dv_zoned one = is_na ? (dv_zoned){DV_TICKS_NA, 0} : zoned;
    add(b, &one.ticks, sizeof one.ticks);
    add(b, &one.minutes, sizeof one.minutes);
}

/* Is the type of fixed width with several representations of NA, which are all the same value? */
static bool has_one_na(const dv_type *type)
{
    return type->kind == DV_KIND_BL || type->kind == DV_KIND_DT;
}

static void add_fixed(buffer *b, const dv_value *value)
{
    static const int64_t ticks = DV_TICKS_NA;
    static const int8_t boolean = DV_BL_NA;
    const dv_kind kind = value->column->type.kind;
    const size_t width = dvi_width_of(&value->column->type);
    const bool is_na = has_one_na(&value->column->type) && dv_value_is_na(value);
    const void *na = kind == DV_KIND_BL ? (const void *)&boolean : &ticks;
    add(b, is_na ? na : fixed_at(value, width), width);
}

static void add_scalar(buffer *b, const dv_value *value)
{
    switch (value->column->layout) {
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        add_text(b, dv_value_tx(value));
        return;
    case DV_LAYOUT_ZONED:
        add_zoned(b, dv_value_dz(value), dv_value_is_na(value));
        return;
    default:
        add_fixed(b, value);
    }
}

/* --- The items of a vector -------------------------------------------------------------------- */

/* Add items that are equal only if their bits are. */
static DVI_ALWAYS_INLINE void add_items(buffer *b, const dv_value *value, size_t width)
{
    static const uint8_t zeros[8];
    const dv_value first = dv_value_item(value, 0);
    const int32_t items = dv_value_items(value);
    if (items == 0)
        return; /* there may be no memory */
    const uint8_t *p = fixed_at(&first, width);
    size_t n = b->n;
    for (int32_t i = 0; i < items; i++, p += width) {
        if (memcmp(p, zeros, width) == 0)
            continue;
        if (sizeof b->bytes - n < 4 + width) {
            dv_digester_add(b->digester, b->bytes, n);
            n = 0;
        }
        dvi_store_i32(b->bytes + n, value->count < 0 ? i : dv_value_slot(value, i));
        memcpy(b->bytes + n + 4, p, width);
        n += 4 + width;
    }
    b->n = n;
}

static void add_any_items(buffer *b, const dv_value *value)
{
    const int32_t items = dv_value_items(value);
    dv_value item = dv_value_item(value, 0);
    for (int32_t i = 0; i < items; i++, item.row++) {
        if (is_slot_default(&item))
            continue;
        add_i4(b, dv_value_slot(value, i));
        add_scalar(b, &item);
    }
}

static void add_vector(buffer *b, const dv_value *value)
{
    const dv_column_view *items = value->column->as.vector.items;
    const bool is_plain = items->layout == DV_LAYOUT_FIXED && !has_one_na(&items->type);
    add_i4(b, value->length);
    switch (is_plain ? dvi_width_of(&items->type) : 0) {
    case 1:
        add_items(b, value, 1);
        break;
    case 2:
        add_items(b, value, 2);
        break;
    case 4:
        add_items(b, value, 4);
        break;
    case 8:
        add_items(b, value, 8);
        break;
    default:
        add_any_items(b, value);
    }
    add_i4(b, -1);
}

/* --- All rows --------------------------------------------------------------------------------- */

void dv_digester_add_column(dv_digester *digester, const dv_column_view *column)
{
    if (column->layout == DV_LAYOUT_FIXED && !has_one_na(&column->type)) {
        const size_t width = dvi_width_of(&column->type);
        dv_digester_add(digester, column->as.fixed.values.data, width * (size_t)column->rows);
        return;
    }
    buffer b = {.digester = digester, .n = 0};
    dv_value value = dv_value_first(column);
    for (; value.row < column->rows; dv_value_next(&value))
        column->layout == DV_LAYOUT_VECTOR ? add_vector(&b, &value) : add_scalar(&b, &value);
    flush(&b);
}
