/* SPDX-License-Identifier: MIT */
/* wanted_type.c: says what type a step takes, and how to get there. */
#include "transform/wanted_type.h"
#include "base/error.h"
#include <stdio.h>

bool dvi_is_integer(const dv_type *type)
{
    return dv_type_is_number(type) && type->kind != DV_KIND_R4 && type->kind != DV_KIND_R8;
}

dv_kind dvi_real_of(const dv_type *type)
{
    if (type->is_key)
        return DV_KIND_NONE;
    switch (type->kind) {
    case DV_KIND_I1:
    case DV_KIND_U1:
    case DV_KIND_I2:
    case DV_KIND_U2:
    case DV_KIND_BL:
    case DV_KIND_R4:
        return DV_KIND_R4;
    case DV_KIND_I4:
    case DV_KIND_U4:
    case DV_KIND_I8:
    case DV_KIND_U8:
    case DV_KIND_R8:
        return DV_KIND_R8;
    default:
        return DV_KIND_NONE;
    }
}

dv_status dvi_fail_reals(dv_error *err, const char *rule, const char *what, const char *expected,
                         const dv_type *found)
{
    char shown[96], advice[96] = "";
    dv_type_print(found, shown, sizeof shown);
    dvi_fail(err, DV_ERR_ARGUMENT, rule, -1, what, "%s|%s", expected, shown);
    if (dvi_real_of(found) != DV_KIND_NONE)
        snprintf(advice, sizeof advice, "convert it first: convert ... type=%s",
                 dv_kind_name(dvi_real_of(found)));
    dvi_error_advise(err, advice);
    return DV_ERR_ARGUMENT;
}
