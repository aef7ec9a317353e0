/* SPDX-License-Identifier: MIT */
/* na.c: the rule by which the items of a type are NA.  (semantics:1.1, semantics:1.2) */
#include "simd/na.h"

/* The value alone. */
static dvi_na only(uint64_t value)
{
    return (dvi_na){UINT64_MAX, value + 1, UINT64_MAX - 1};
}

static dvi_na above(uint64_t most)
{
    return (dvi_na){UINT64_MAX, 0, most};
}

/* 0, and what is above the count. */
static dvi_na rule_of_key(uint64_t count)
{
    return count > 0 ? (dvi_na){UINT64_MAX, 1, count - 1} : only(0);
}

dvi_na dvi_na_of(const dv_type *type)
{
    if (type->is_key)
        return rule_of_key(type->key_count);
    switch (type->kind) {
    case DV_KIND_I1:
        return only(UINT64_C(1) << 7);
    case DV_KIND_I2:
        return only(UINT64_C(1) << 15);
    case DV_KIND_I4:
        return only(UINT64_C(1) << 31);
    case DV_KIND_I8:
    case DV_KIND_TS:
        return only(UINT64_C(1) << 63);
    case DV_KIND_R4: /* without the sign, above infinity */
        return (dvi_na){INT32_MAX, 0, UINT64_C(0x7F800000)};
    case DV_KIND_R8:
        return (dvi_na){INT64_MAX, 0, UINT64_C(0x7FF0000000000000)};
    case DV_KIND_BL:
        return above(1);
    case DV_KIND_DT:
        return above(DV_TICKS_MAX);
    case DV_KIND_TX:
    case DV_KIND_BY: /* bit 31 of an end */
        return above(INT32_MAX);
    default:
        return above(UINT64_MAX);
    }
}
