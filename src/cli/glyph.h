/* SPDX-License-Identifier: MIT */
/* glyph.h: how does a character look on a terminal, and how wide is it? */
#ifndef DVI_CLI_GLYPH_H
#define DVI_CLI_GLYPH_H

#include <stddef.h>
#include <stdint.h>

/* One character, made fit to be shown: what would move the cursor or turn the text around is
 * spelled out (\t, \x1B, \u202E). */
typedef struct dvi_glyph {
    const char *data; /* what to write: the text itself, or `escape` */
    uint8_t nbytes;
    uint8_t source_nbytes; /* bytes of the text that it stands for, at least 1 */
    uint8_t width;         /* columns, 0 for what joins the character before */
} dvi_glyph;

#define DVI_ESCAPE_CAP 8

/* The first character of the text; nbytes > 0.  escape gives it a place, which it may use. */
dvi_glyph dvi_glyph_first(const char *text, size_t nbytes, char escape[DVI_ESCAPE_CAP]);

/* Decode one character of UTF-8: how many bytes it has, 0 when it is none; nbytes > 0. */
size_t dvi_utf8_decode(const char *text, size_t nbytes, uint32_t *code_out);

/* Columns that the text takes, spelled out. */
int32_t dvi_glyph_columns(const char *text, size_t nbytes);

#endif
