/* SPDX-License-Identifier: MIT */
/* notation.h: how is a type written, however long it is? */
#ifndef DVI_CLI_NOTATION_H
#define DVI_CLI_NOTATION_H

#include <dataview/type.h>

/* The notation of the type, to be freed; NULL: out of memory. */
char *dvi_notation(const dv_type *type);

#endif
