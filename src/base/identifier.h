/* SPDX-License-Identifier: MIT */
/* identifier.h: names that callers give to steps, options and types; notations write them without
 * quotes. */
#ifndef DVI_BASE_IDENTIFIER_H
#define DVI_BASE_IDENTIFIER_H

#include <stdbool.h>
#include <stddef.h>

/* 1 to 64 letters of ASCII, digits and _. NULL is none. */
static inline bool dvi_is_identifier(const char *name)
{
    size_t n = 0;
    if (!name)
        return false;
    for (; name[n]; n++) {
        const char c = name[n], lower = (char)(c | 0x20);
        if (n == 64 || !((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return n > 0;
}

#endif
