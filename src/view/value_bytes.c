/* SPDX-License-Identifier: MIT */
/* value_bytes.c: the bytes by which two values of a column are the same. */
#include "view/value_bytes.h"
#include "view/column.h"
#include <string.h>

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
