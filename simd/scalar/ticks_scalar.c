/* SPDX-License-Identifier: MIT */
/* ticks_scalar.c: checks that ticks are inside the calendar. */
#include "base/load.h"
#include "simd/dispatch.h"
#include <dataview/type.h>

size_t dvi_ticks_check_scalar(const void *src, size_t n)
{
    const uint8_t *p = src;
    for (size_t i = 0; i < n; i++) {
        const int64_t ticks = dvi_load_i64(p + 8 * i);
        if ((ticks < 0 || ticks > DV_TICKS_MAX) && ticks != DV_TICKS_NA)
            return i;
    }
    return n;
}
