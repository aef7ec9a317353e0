/* SPDX-License-Identifier: MIT */
/* notation.h: the notation of a type of any length. */
#ifndef DVI_CLI_NOTATION_H
#define DVI_CLI_NOTATION_H

#include <dataview/type.h>

/* The notation of the type, which the caller frees; NULL: out of memory. */
char *dvi_notation(const dv_type *type);

#endif
