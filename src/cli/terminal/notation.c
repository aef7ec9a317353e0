/* SPDX-License-Identifier: MIT */
/* notation.c: allocates the notation of a type. */
#include "cli/terminal/notation.h"
#include <stdlib.h>

char *dvi_notation(const dv_type *type)
{
    const size_t nbytes = dv_type_print(type, NULL, 0) + 1;
    char *text = malloc(nbytes);
    if (text)
        dv_type_print(type, text, nbytes);
    return text;
}
