/* SPDX-License-Identifier: MIT */
/* utf8_scalar.c: validates UTF-8 and counts UTF-16 units. */
#include "base/utf8.h"
#include "simd/dispatch.h"

size_t dvi_utf8_units_scalar(const void *text, size_t n, size_t *units_out)
{
    const char *p = text;
    size_t i = 0, units = 0;
    while (i < n) {
        const size_t step = dvi_utf8_step(p + i, n - i);
        if (step == 0)
            break;
        i += step;
        units += step == 4 ? 2 : 1;
    }
    *units_out = units;
    return i;
}
