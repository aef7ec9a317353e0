/* SPDX-License-Identifier: MIT */
/* one_value.c: a column of one row from what golden files write. */
#include "support/one_value.h"
#include "base/load.h"
#include "support/produce.h"
#include <stdlib.h>

dv_type dvt_type_named(dv_text name)
{
    dv_type type;
    DVT_MUST(dv_type_parse(&type, name, NULL, 0, NULL) == DV_OK);
    return type;
}

/* The text after "r4:" and the like, with a NUL. */
static const char *behind_tag(const dvt_json *value, char *dst, size_t cap)
{
    DVT_MUST(value->kind == DVT_JSON_STRING && value->text.nbytes > 3);
    const size_t n = (size_t)value->text.nbytes - 3;
    DVT_MUST(value->text.data[2] == ':' && n < cap);
    memcpy(dst, value->text.data + 3, n);
    dst[n] = '\0';
    return dst;
}

static uint64_t read_hex(const char *digits, size_t n)
{
    char copy[17];
    DVT_MUST(strlen(digits) >= n && n <= 16);
    memcpy(copy, digits, n);
    copy[n] = '\0';
    return strtoull(copy, NULL, 16);
}

static void make_text(dvt_one *one, const dvt_json *value)
{
    dv_text_layout *text = &one->column.as.text;
    const bool is_na = value->kind == DVT_JSON_NULL;
    DVT_MUST(is_na || value->kind == DVT_JSON_STRING);
    one->column.layout = DV_LAYOUT_TEXT;
    one->end = is_na ? INT32_MIN : (int32_t)value->text.nbytes;
    text->ends = (dv_buffer){&one->end, sizeof one->end, NULL, false, true};
    if (!is_na)
        text->utf8 = (dv_buffer){value->text.data, (size_t)value->text.nbytes, NULL, false, true};
}

static void make_zoned(dvt_one *one, const dvt_json *value)
{
    char text[64], *end;
    one->bits[0] = (uint64_t)DV_TICKS_NA;
    if (value->kind != DVT_JSON_NULL) {
        one->bits[0] = (uint64_t)strtoll(behind_tag(value, text, sizeof text), &end, 10);
        DVT_MUST(*end == ':');
        one->minutes = (int16_t)strtol(end + 1, NULL, 10);
    }
    one->column.layout = DV_LAYOUT_ZONED;
    one->column.as.zoned.ticks = (dv_buffer){one->bits, 8, NULL, false, true};
    one->column.as.zoned.minutes = (dv_buffer){&one->minutes, 2, NULL, false, true};
}

static uint64_t number_of(const dvt_json *value)
{
    DVT_MUST(value->kind == DVT_JSON_NUMBER);
    return *value->source.data == '-' ? (uint64_t)strtoll(value->source.data, NULL, 10)
                                      : strtoull(value->source.data, NULL, 10);
}

/* The bits of NA, in 64: the low ones are those of narrower numbers. */
static uint64_t na_of(const dv_type *type)
{
    switch (type->kind) {
    case DV_KIND_I1:
    case DV_KIND_BL:
        return UINT64_C(1) << 7;
    case DV_KIND_I2:
        return UINT64_C(1) << 15;
    case DV_KIND_I4:
        return UINT64_C(1) << 31;
    default:
        DVT_MUST(dv_type_has_na(type));
        return UINT64_C(1) << 63;
    }
}

static void make_bits(dvt_one *one, const dv_type *type, const dvt_json *value)
{
    char text[64];
    if (value->kind == DVT_JSON_NULL) {
        one->bits[0] = na_of(type);
        return;
    }
    switch (type->kind) {
    case DV_KIND_BL:
        one->bits[0] = value->kind == DVT_JSON_TRUE;
        break;
    case DV_KIND_R4:
    case DV_KIND_R8:
        behind_tag(value, text, sizeof text);
        one->bits[0] = read_hex(text, strlen(text));
        break;
    case DV_KIND_UG:
        behind_tag(value, text, sizeof text);
        one->bits[1] = read_hex(text, 16);
        one->bits[0] = read_hex(text + 16, 16);
        break;
    case DV_KIND_TS:
    case DV_KIND_DT:
        one->bits[0] = (uint64_t)strtoll(behind_tag(value, text, sizeof text), NULL, 10);
        break;
    default:
        one->bits[0] = number_of(value);
        break;
    }
}

void dvt_one_make(dvt_one *one, const dv_type *type, const dvt_json *value)
{
    *one = (dvt_one){.column = {.type = *type, .rows = 1}};
    if (type->kind == DV_KIND_TX) {
        make_text(one, value);
    } else if (type->kind == DV_KIND_DZ) {
        make_zoned(one, value);
    } else {
        make_bits(one, type, value);
        one->column.layout = DV_LAYOUT_FIXED;
        one->column.as.fixed.values =
            (dv_buffer){one->bits, (size_t)dv_kind_width(type->kind), NULL, false, true};
    }
}

dvt_lines dvt_one_text(const dv_column_view *column)
{
    dvt_lines lines = {0};
    const dv_value value = dv_value_first(column);
    const dv_sink sink = dvt_lines_sink(&lines);
    const dv_kind kind = column->type.kind;
    if ((kind == DV_KIND_R4 || kind == DV_KIND_R8) && dv_value_is_na(&value))
        dvt_lines_print(&lines, "\"%s\"",
                        kind == DV_KIND_R4 ? "r4:ffc00000" : "r8:fff8000000000000");
    else
        dv_value_write(&value, DV_STYLE_EXACT, &sink);
    return lines;
}
