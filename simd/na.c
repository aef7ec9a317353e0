/* SPDX-License-Identifier: MIT */
/* na.c: the rule by which the items of a type are NA.  (semantics:1.1, semantics:1.2) */
#include "simd/na.h"

/* The rule and the bits that are written, by the NA column of DV_TYPE_LIST. */
#define ABOVE(most)                                                                                \
    {                                                                                              \
        UINT64_MAX, 0, most                                                                        \
    }
#define ONLY(value)                                                                                \
    {                                                                                              \
        UINT64_MAX, (value) + 1, UINT64_MAX - 1                                                    \
    }
#define MINIMUM_OF(width) (UINT64_C(1) << ((8 * (width)-1) & 63))
#define RULE_NONE(width) ABOVE(UINT64_MAX)
#define RULE_MINIMUM(width) ONLY(MINIMUM_OF(width))
#define RULE_REAL(width) /* without the sign, above infinity */                                    \
    {                                                                                              \
        MINIMUM_OF(width) - 1, 0,                                                                  \
            (width) == 4 ? UINT64_C(0x7F800000) : UINT64_C(0x7FF0000000000000)                     \
    }
#define RULE_BOOL(width) ABOVE(1)
#define RULE_CLOCK(width) ABOVE(DV_TICKS_MAX)
#define RULE_ZONED(width) ABOVE(UINT64_MAX) /* depends on two arrays */
#define RULE_TEXT(width) ABOVE(INT32_MAX)   /* bit 31 of an end */
#define BITS_NONE(width) 0
#define BITS_MINIMUM(width) MINIMUM_OF(width)
#define BITS_REAL(width) ((width) == 4 ? DV_R4_NA_BITS : DV_R8_NA_BITS)
#define BITS_BOOL(width) ((uint8_t)DV_BL_NA)
#define BITS_CLOCK(width) ((uint64_t)DV_TICKS_NA)
#define BITS_ZONED(width) ((uint64_t)DV_TICKS_NA)
#define BITS_TEXT(width) 0

static const struct {
    dvi_na rule;
    uint64_t bits;
} kinds[] = {[DV_KIND_NONE] = {RULE_NONE(0), 0},
#define ENTRY(NAME, name, number, width, ctype, na, aliases)                                       \
    [number] = {RULE_##na(width), BITS_##na(width)},
             DV_TYPE_LIST(ENTRY)
#undef ENTRY
};

dvi_na dvi_na_of(const dv_type *type)
{
    if (type->is_key)
        return type->key_count > 0 ? (dvi_na){UINT64_MAX, 1, type->key_count - 1}
                                   : (dvi_na)ONLY(UINT64_C(0));
    return kinds[type->kind < sizeof kinds / sizeof *kinds ? type->kind : DV_KIND_NONE].rule;
}

size_t dvi_na_first(const dvi_na *na, const void *items, size_t width, size_t n)
{
    switch (width) {
    case 1:
        return dvi_kernels()->na_first_1(items, n, na);
    case 2:
        return dvi_kernels()->na_first_2(items, n, na);
    case 4:
        return dvi_kernels()->na_first_4(items, n, na);
    case 8:
        return dvi_kernels()->na_first_8(items, n, na);
    default:
        return n;
    }
}

uint64_t dvi_na_bits(const dv_type *type)
{
    const bool is_known = !type->is_key && type->kind < sizeof kinds / sizeof *kinds;
    return is_known ? kinds[type->kind].bits : 0;
}
