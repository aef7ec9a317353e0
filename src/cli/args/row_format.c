/* SPDX-License-Identifier: MIT */
/* row_format.c: the names of the row formats. */
#include "cli/args/row_format.h"
#include <stddef.h>

#define NAME(name) #name,
const char *const dvi_row_format_names[] = {DVI_ROW_FORMAT_LIST(NAME) NULL};
