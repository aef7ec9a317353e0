/* SPDX-License-Identifier: MIT */
/* wanted_type.c: says what type a step takes, and how to get there. */
#include "transform/wanted_type.h"
#include "base/error.h"
#include <stdio.h>

/* The real type that has all values of the kind (up to 2^53); NULL: none has. */
static const char *real_for(const dv_type *type)
{
    if (type->is_key)
        return NULL;
    switch (type->kind) {
    case DV_KIND_I1:
    case DV_KIND_U1:
    case DV_KIND_I2:
    case DV_KIND_U2:
    case DV_KIND_BL:
        return "R4";
    case DV_KIND_I4:
    case DV_KIND_U4:
    case DV_KIND_I8:
    case DV_KIND_U8:
        return "R8";
    default:
        return NULL;
    }
}

dv_status dvi_fail_reals(dv_error *err, const char *rule, const char *what, const char *expected,
                         const dv_type *found)
{
    char shown[96], advice[96] = "";
    dv_type_print(found, shown, sizeof shown);
    dvi_fail(err, DV_ERR_ARGUMENT, rule, -1, what, "%s|%s", expected, shown);
    if (real_for(found))
        snprintf(advice, sizeof advice, "convert it first: convert ... type=%s", real_for(found));
    dvi_error_advise(err, advice);
    return DV_ERR_ARGUMENT;
}
