/* SPDX-License-Identifier: MIT */
/* wrap.h: wraps and shortens text to the width of the screen. */
#ifndef DVI_CLI_WRAP_H
#define DVI_CLI_WRAP_H

#include "cli/terminal/out.h"

/* Write a text in lines of `width` columns (0: one line), broken at spaces, and inside a word only
 * if it is too wide for a line.  The first line has used `column` columns already; the others start
 * at `indent`.  Unsafe characters are spelled out.  No line end is written after it. */
void dvi_wrap(dvi_out *out, int32_t width, int32_t indent, int32_t column, const char *text);

/* Write a text, or "…" and its end if it is too wide: for names of files. */
void dvi_wrap_end(dvi_out *out, int32_t width, const char *text);

#endif
