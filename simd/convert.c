/* SPDX-License-Identifier: MIT */
/* convert.c: finds the kernel that converts values of one kind to another. */
#include "simd/convert.h"
#include "simd/dispatch.h"
#include "simd/kinds.h"

#define CONVERT(X, level, from, to, rule)                                                          \
    static void convert_##from##_##to(void *dst, const void *src, size_t n)                        \
    {                                                                                              \
        dvi_kernels()->convert_##from##_##to(dst, src, n);                                         \
    }
DVI_CONVERSION_LIST(CONVERT, _, _)

static const struct {
    dv_kind from, to;
    dvi_convert *convert;
} conversions[] = {
#define ENTRY(X, level, from, to, rule) {DVI_KIND_##from, DVI_KIND_##to, convert_##from##_##to},
    DVI_CONVERSION_LIST(ENTRY, _, _)
#undef ENTRY
};

dvi_convert *dvi_convert_find(dv_kind from, dv_kind to)
{
    for (size_t i = 0; i < sizeof conversions / sizeof *conversions; i++)
        if (conversions[i].from == from && conversions[i].to == to)
            return conversions[i].convert;
    return NULL;
}
