/* SPDX-License-Identifier: MIT */
/* value.c: reads, parses, tests and compares the values of a column. */
#include "base/load.h"
#include "simd/na.h"
#include "codec/datetime.h"
#include "codec/scalar.h"
#include "view/column.h"
#include <dataview/value.h>
#include <string.h>

/* --- Iterating -------------------------------------------------------------------------------- */

/* Set length and count of a vector value from its row; nothing after the last row. */
static void read_row(dv_value *value)
{
    const dv_column_view *column = value->column;
    if (column->layout != DV_LAYOUT_VECTOR || value->row >= column->rows)
        return;
    value->length = dvi_vector_length(&column->as.vector, value->row);
    value->count = dvi_vector_count(&column->as.vector, value->row);
}

dv_value dv_value_first(const dv_column_view *column)
{
    dv_value value = {.column = column};
    if (column->layout == DV_LAYOUT_VECTOR) {
        value.index = column->as.vector.index_base;
        value.item = column->as.vector.item_base;
    }
    read_row(&value);
    return value;
}

void dv_value_next(dv_value *value)
{
    value->index += value->count > 0 ? value->count : 0;
    value->item += dv_value_items(value);
    value->row++;
    read_row(value);
}

dv_value dv_value_at(const dv_column_view *column, int64_t row)
{
    dv_value value = dv_value_first(column);
    if (column->layout == DV_LAYOUT_VECTOR) {
        const dvi_extent before = dvi_vector_extent(&column->as.vector, row);
        value.index += before.indices;
        value.item += before.items;
    }
    value.row = row;
    read_row(&value);
    return value;
}

int32_t dv_value_items(const dv_value *value)
{
    return value->count < 0 ? value->length : value->count;
}

dv_value dv_value_item(const dv_value *value, int32_t i)
{
    return (dv_value){.column = value->column->as.vector.items, .row = value->item + i};
}

int32_t dv_value_slot(const dv_value *value, int32_t i)
{
    if (value->count < 0)
        return i;
    const char *indices = value->column->as.vector.indices.data;
    return dvi_load_i32(indices + 4 * (value->index + i));
}

/* --- Reading ---------------------------------------------------------------------------------- */

static const void *fixed_at(const dv_value *value, size_t width)
{
    return (const char *)value->column->as.fixed.values.data + width * (size_t)value->row;
}

#define FIXED_GETTER(name, ctype)                                                                  \
    ctype dv_value_##name(const dv_value *value)                                                   \
    {                                                                                              \
        ctype number;                                                                              \
        memcpy(&number, fixed_at(value, sizeof number), sizeof number);                            \
        return number;                                                                             \
    }
FIXED_GETTER(i1, int8_t)
FIXED_GETTER(u1, uint8_t)
FIXED_GETTER(i2, int16_t)
FIXED_GETTER(u2, uint16_t)
FIXED_GETTER(i4, int32_t)
FIXED_GETTER(u4, uint32_t)
FIXED_GETTER(i8, int64_t)
FIXED_GETTER(u8, uint64_t)
FIXED_GETTER(r4, float)
FIXED_GETTER(r8, double)
FIXED_GETTER(ug, dv_u128)

dv_text dv_value_tx(const dv_value *value)
{
    const dv_text_layout *text = &value->column->as.text;
    const char *ends = text->ends.data;
    const int32_t first = dvi_text_end(text, value->row);
    const int32_t end = dvi_load_i32(ends + 4 * value->row);
    if (end < 0)
        return dv_text_of(NULL);
    if (end == first)
        return dv_text_of("");
    return (dv_text){(const char *)text->utf8.data + first, end - first};
}

dv_zoned dv_value_dz(const dv_value *value)
{
    const dv_zoned_layout *zoned = &value->column->as.zoned;
    const char *ticks = zoned->ticks.data, *minutes = zoned->minutes.data;
    return (dv_zoned){dvi_load_i64(ticks + 8 * value->row), dvi_load_i16(minutes + 2 * value->row)};
}

uint64_t dv_value_key(const dv_value *value)
{
    switch (value->column->type.kind) {
    case DV_KIND_U1:
        return dv_value_u1(value);
    case DV_KIND_U2:
        return dv_value_u2(value);
    case DV_KIND_U4:
        return dv_value_u4(value);
    default:
        return dv_value_u8(value);
    }
}

/* --- NA and default --------------------------------------------------------------------------- */

static bool is_scalar_na(const dv_value *value)
{
    const dv_type *type = &value->column->type;
    const dvi_na rule = dvi_na_of(type);
    switch (value->column->layout) {
    case DV_LAYOUT_TEXT:
        return type->kind == DV_KIND_TX && dv_value_tx(value).nbytes < 0;
    case DV_LAYOUT_ZONED:
        return dvi_zoned_is_na(dv_value_dz(value));
    default:
        break;
    }
    switch (dvi_width_of(type)) {
    case 1:
        return dvi_is_na_1(dv_value_u1(value), &rule);
    case 2:
        return dvi_is_na_2(dv_value_u2(value), &rule);
    case 4:
        return dvi_is_na_4(dv_value_u4(value), &rule);
    case 8:
        return dvi_is_na_8(dv_value_u8(value), &rule);
    default:
        return false;
    }
}

bool dv_value_is_na(const dv_value *value)
{
    const dv_type *type = &value->column->type;
    if (!dv_type_is_vector(type))
        return is_scalar_na(value);
    if (!dv_type_has_na(type))
        return false;
    const int32_t items = dv_value_items(value);
    if (dv_type_default_is_na(type) && items < value->length)
        return true;
    dv_value item = dv_value_item(value, 0);
    for (int32_t i = 0; i < items; i++, item.row++)
        if (is_scalar_na(&item))
            return true;
    return false;
}

static bool is_fixed_zero(const dv_value *value)
{
    const size_t width = dvi_width_of(&value->column->type);
    const uint8_t *bytes = fixed_at(value, width);
    for (size_t i = 0; i < width; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static bool is_scalar_default(const dv_value *value)
{
    switch (value->column->type.kind) {
    case DV_KIND_R4:
        return dv_value_r4(value) == 0;
    case DV_KIND_R8:
        return dv_value_r8(value) == 0;
    case DV_KIND_TX:
    case DV_KIND_BY:
        return dv_value_tx(value).nbytes == 0;
    case DV_KIND_DZ:
        return dv_value_dz(value).ticks == 0 && dv_value_dz(value).minutes == 0;
    default:
        return is_fixed_zero(value);
    }
}

bool dv_value_is_default(const dv_value *value)
{
    if (!dv_type_is_vector(&value->column->type))
        return is_scalar_default(value);
    const int32_t items = dv_value_items(value);
    dv_value item = dv_value_item(value, 0);
    for (int32_t i = 0; i < items; i++, item.row++)
        if (!is_scalar_default(&item))
            return false;
    return true;
}

/* --- Comparing -------------------------------------------------------------------------------- */

/* Are all representations of NA of this type the same value? */
static bool has_one_na(const dv_type *type)
{
    return !type->is_key && type->kind != DV_KIND_R4 && type->kind != DV_KIND_R8;
}

static bool are_scalars_same(const dv_value *a, const dv_value *b)
{
    const dv_type *type = &a->column->type;
    if (has_one_na(type) && is_scalar_na(a))
        return is_scalar_na(b);
    switch (type->kind) {
    case DV_KIND_TX:
    case DV_KIND_BY:
        return dv_text_equal(dv_value_tx(a), dv_value_tx(b));
    case DV_KIND_DZ: {
        const dv_zoned x = dv_value_dz(a), y = dv_value_dz(b);
        return x.ticks == y.ticks && x.minutes == y.minutes;
    }
    default: {
        const size_t width = dvi_width_of(type);
        return memcmp(fixed_at(a, width), fixed_at(b, width), width) == 0;
    }
    }
}

/* Is a stored item equal to a slot without an item? -0 is not. */
static bool is_slot_default(const dv_value *item)
{
    return is_scalar_default(item) &&
           (item->column->layout != DV_LAYOUT_FIXED || is_fixed_zero(item));
}

static bool are_vectors_same(const dv_value *a, const dv_value *b)
{
    if (a->length != b->length)
        return false;
    const int32_t a_items = dv_value_items(a), b_items = dv_value_items(b);
    int32_t i = 0, k = 0;
    while (i < a_items || k < b_items) {
        const int32_t a_slot = i < a_items ? dv_value_slot(a, i) : a->length;
        const int32_t b_slot = k < b_items ? dv_value_slot(b, k) : b->length;
        const dv_value x = dv_value_item(a, i), y = dv_value_item(b, k);
        if (a_slot == b_slot ? !are_scalars_same(&x, &y)
                             : !is_slot_default(a_slot < b_slot ? &x : &y))
            return false;
        i += a_slot <= b_slot;
        k += b_slot <= a_slot;
    }
    return true;
}

bool dv_value_same(const dv_value *a, const dv_value *b)
{
    const dv_type *type = &a->column->type;
    if (!dv_type_equal(type, &b->column->type))
        return false;
    return dv_type_is_vector(type) ? are_vectors_same(a, b) : are_scalars_same(a, b);
}

static bool is_zero_real(const dv_type *type, const void *value)
{
    float narrow = 1;
    double wide = 1;
    if (!type->is_key && type->kind == DV_KIND_R4)
        memcpy(&narrow, value, sizeof narrow);
    if (!type->is_key && type->kind == DV_KIND_R8)
        memcpy(&wide, value, sizeof wide);
    return narrow == 0 || wide == 0;
}

dv_text dvi_value_bytes(const dv_value *value, char own[DVI_VALUE_BYTES])
{
    const dv_column_view *column = value->column;
    if (column->layout == DV_LAYOUT_TEXT || column->layout == DV_LAYOUT_BYTES)
        return dv_value_tx(value);
    if (column->layout == DV_LAYOUT_ZONED) {
        const dv_zoned z = dv_value_dz(value);
        memcpy(own, &z.ticks, sizeof z.ticks);
        memcpy(own + sizeof z.ticks, &z.minutes, sizeof z.minutes);
        return (dv_text){own, sizeof z.ticks + sizeof z.minutes};
    }
    const size_t width = dvi_width_of(&column->type);
    const char *bytes = (const char *)column->as.fixed.values.data + (size_t)value->row * width;
    if (!is_zero_real(&column->type, bytes))
        return (dv_text){bytes, (int64_t)width};
    memset(own, 0, width);
    return (dv_text){own, (int64_t)width};
}

/* --- Parsing ---------------------------------------------------------------------------------- */

bool dv_value_parse(dv_scalar *scalar_out, const dv_type *type, dv_text text)
{
    const bool is_key = type->is_key && !dv_type_is_vector(type);
    if (!is_key && !dv_type_is_standard_scalar(type))
        return false;
    if (text.nbytes < 0)
        *scalar_out = dvi_scalar_na(type);
    else if (type->kind == DV_KIND_TX)
        scalar_out->tx = text;
    else
        return dvi_scalar_parse(scalar_out, type, text.nbytes > 0 ? text.data : "",
                                (size_t)text.nbytes, '.');
    return true;
}
