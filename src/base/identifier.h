/* SPDX-License-Identifier: MIT */
/* identifier.h: names that callers give to steps, options and types; notations write them without
 * quotes. */
#ifndef DVI_BASE_IDENTIFIER_H
#define DVI_BASE_IDENTIFIER_H

#include <stdbool.h>
#include <string.h>

/* 1 to 64 letters, digits and _. NULL is none. */
static inline bool dvi_is_identifier(const char *name)
{
    static const char parts[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return name && *name && strlen(name) <= 64 && name[strspn(name, parts)] == 0;
}

#endif
