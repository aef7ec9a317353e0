/* SPDX-License-Identifier: MIT */
/* ink.c: text that can be seen. */
#include "cli/ink.h"
#include "cli/glyph.h"
#include "cli/notation.h"
#include <stdlib.h>
#include <string.h>

#define CAP_MIN 32

void dvi_ink_mark(dvi_ink *ink, const char *data, size_t nbytes)
{
    if (nbytes > ink->cap - ink->nbytes) {
        size_t cap = ink->cap ? 2 * ink->cap : CAP_MIN;
        while (cap - ink->nbytes < nbytes)
            cap *= 2;
        char *text = realloc(ink->text, cap);
        if (!text) {
            ink->is_failed = true;
            return;
        }
        ink->text = text;
        ink->cap = cap;
    }
    if (nbytes)
        memcpy(ink->text + ink->nbytes, data, nbytes);
    ink->nbytes += nbytes;
}

bool dvi_ink_write(dvi_ink *ink, const char *data, size_t nbytes)
{
    for (size_t i = 0; i < nbytes && !ink->is_full && !ink->is_failed;) {
        char escape[DVI_ESCAPE_CAP];
        const dvi_glyph glyph = dvi_glyph_first(data + i, nbytes - i, escape);
        if (glyph.width > ink->most - ink->columns) {
            ink->is_full = true;
            break;
        }
        dvi_ink_mark(ink, glyph.data, glyph.nbytes);
        ink->columns += glyph.width;
        i += glyph.source_nbytes;
    }
    return !ink->is_full && !ink->is_failed;
}

bool dvi_ink_text(dvi_ink *ink, const char *text)
{
    return dvi_ink_write(ink, text, strlen(text));
}

bool dvi_ink_type(dvi_ink *ink, const dv_type *type)
{
    char *notation = dvi_notation(type);
    if (!notation)
        ink->is_failed = true;
    const bool ok = notation && dvi_ink_text(ink, notation);
    free(notation);
    return ok;
}

static bool write_to_ink(void *ctx, const char *data, size_t nbytes)
{
    return dvi_ink_write(ctx, data, nbytes);
}

dv_sink dvi_ink_sink(dvi_ink *ink)
{
    return (dv_sink){write_to_ink, ink};
}

void dvi_ink_rewind(dvi_ink *ink, size_t nbytes, int32_t columns)
{
    ink->nbytes = nbytes;
    ink->columns = columns;
}

void dvi_ink_free(dvi_ink *ink)
{
    free(ink->text);
    *ink = (dvi_ink){0};
}
