/* SPDX-License-Identifier: MIT */
/* glyph.h: characters as a terminal shows them, with their widths. */
#ifndef DVI_CLI_GLYPH_H
#define DVI_CLI_GLYPH_H

#include <stddef.h>
#include <stdint.h>

/* One character, safe to show: one that would move the cursor or change the direction of the text
 * is spelled out (\t, \x1B, \u202E). */
typedef struct dvi_glyph {
    const char *data; /* the text to write: the source itself, or `escape` */
    uint8_t nbytes;
    uint8_t source_nbytes; /* bytes of the source that it stands for, at least 1 */
    uint8_t width;         /* columns; 0 if it joins the character before */
} dvi_glyph;

#define DVI_ESCAPE_CAP 8

/* The first character of the text; nbytes > 0.  The glyph may point into `escape`. */
dvi_glyph dvi_glyph_first(const char *text, size_t nbytes, char escape[DVI_ESCAPE_CAP]);

/* Decode one character of UTF-8; returns its bytes, 0 if it is ill-formed; nbytes > 0. */
size_t dvi_utf8_decode(const char *text, size_t nbytes, uint32_t *code_out);

/* The columns that the text takes, with escapes. */
int32_t dvi_glyph_columns(const char *text, size_t nbytes);

#endif
