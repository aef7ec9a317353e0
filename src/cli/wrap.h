/* SPDX-License-Identifier: MIT */
/* wrap.h: how does a text fit the screen? */
#ifndef DVI_CLI_WRAP_H
#define DVI_CLI_WRAP_H

#include "cli/out.h"

/* Write a text into lines of so many columns (0: one line), broken at spaces, inside of words only
 * where one alone is too wide.  The first line has used `column` columns already, the others start
 * at `indent`.  What cannot be seen is spelled out; there is no line end behind it. */
void dvi_wrap(dvi_out *out, int32_t width, int32_t indent, int32_t column, const char *text);

/* Write the end of a text that may be too wide, behind "…"; for names of files. */
void dvi_wrap_end(dvi_out *out, int32_t width, const char *text);

#endif
