/* SPDX-License-Identifier: MIT */
/* labels.c: numbers labels. */
#include "transform/labels.h"
#include "base/check.h"
#include <inttypes.h>

static dv_status refuse(const dv_type *type, dv_error *err)
{
    char found[96];
    dv_type_print(type, found, sizeof found);
    return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.18", -1, "labels",
                    "numbers, BL, or at most %d keys of a known number|%s", DVI_LABELS_MOST, found);
}

dv_status dvi_labels_count(int32_t *labels_out, const dv_type *type, dv_error *err)
{
    *labels_out = 2;
    if (type->rank > 0)
        return refuse(type, err);
    if (type->is_key) {
        if (type->key_count == 0 || type->key_count > DVI_LABELS_MOST)
            return refuse(type, err);
        *labels_out = (int32_t)type->key_count;
        return DV_OK;
    }
    if (type->kind == DV_KIND_BL || (dv_type_is_number(type) && type->kind != DV_KIND_UG))
        return DV_OK;
    return refuse(type, err);
}

int32_t dvi_label_of(const dv_value *value)
{
    const dv_type *type = &value->column->type;
    if (dv_value_is_na(value))
        return -1;
    if (type->is_key)
        return (int32_t)dv_value_key(value) - 1;
    switch (type->kind) {
    case DV_KIND_R4:
        return dv_value_r4(value) > 0;
    case DV_KIND_R8:
        return dv_value_r8(value) > 0;
    case DV_KIND_I1:
    case DV_KIND_BL:
        return dv_value_i1(value) > 0;
    case DV_KIND_I2:
        return dv_value_i2(value) > 0;
    case DV_KIND_I4:
        return dv_value_i4(value) > 0;
    case DV_KIND_I8:
        return dv_value_i8(value) > 0;
    default:
        return !dv_value_is_default(value);
    }
}
