/* SPDX-License-Identifier: MIT */
/* wrap.c: breaks texts into lines. */
#include "cli/terminal/wrap.h"
#include "cli/terminal/glyph.h"
#include <string.h>

#define ELLIPSIS "\u2026"

static int32_t start_line(dvi_out *out, int32_t indent)
{
    dvi_out_print(out, "\n%*s", (int)indent, "");
    return indent;
}

/* Write a word, starting at `column`; returns the column after it. */
static int32_t write_word(dvi_out *out, int32_t width, int32_t indent, int32_t column,
                          const char *word, size_t nbytes)
{
    for (size_t i = 0; i < nbytes;) {
        char escape[DVI_ESCAPE_CAP];
        const dvi_glyph glyph = dvi_glyph_first(word + i, nbytes - i, escape);
        if (width && column + glyph.width > width && column > indent)
            column = start_line(out, indent);
        dvi_out_write(out, glyph.data, glyph.nbytes);
        column += glyph.width;
        i += glyph.source_nbytes;
    }
    return column;
}

void dvi_wrap(dvi_out *out, int32_t width, int32_t indent, int32_t column, const char *text)
{
    for (bool is_first = true; *text; is_first = false) {
        const size_t n = strcspn(text, " ");
        const int32_t columns = dvi_glyph_columns(text, n);
        const bool has_line = width && indent + columns <= width; /* one of its own */
        if (!is_first ? width && column + 1 + columns > width
                      : has_line && column > indent && column + columns > width)
            column = start_line(out, indent);
        else if (!is_first)
            column += dvi_out_text(out, " ");
        column = write_word(out, width, indent, column, text, n);
        text += n + (text[n] == ' ');
    }
}

void dvi_wrap_end(dvi_out *out, int32_t width, const char *text)
{
    char escape[DVI_ESCAPE_CAP];
    int32_t columns = dvi_glyph_columns(text, strlen(text));
    const bool is_cut = width && columns > width;
    while (is_cut && *text && columns > width - 1) {
        const dvi_glyph glyph = dvi_glyph_first(text, strlen(text), escape);
        columns -= glyph.width;
        text += glyph.source_nbytes;
    }
    dvi_out_text(out, is_cut ? ELLIPSIS : "");
    dvi_out_shown(out, text, strlen(text));
}
