/* SPDX-License-Identifier: MIT */
/* clip.c: a text buffer that counts columns. */
#include "cli/terminal/clip.h"
#include "cli/terminal/glyph.h"
#include "cli/terminal/notation.h"
#include <stdlib.h>
#include <string.h>

#define CAP_MIN 32

void dvi_clip_mark(dvi_clip *clip, const char *data, size_t nbytes)
{
    if (nbytes > clip->cap - clip->nbytes) {
        size_t cap = clip->cap ? 2 * clip->cap : CAP_MIN;
        while (cap - clip->nbytes < nbytes)
            cap *= 2;
        char *text = realloc(clip->text, cap);
        if (!text) {
            clip->is_failed = true;
            return;
        }
        clip->text = text;
        clip->cap = cap;
    }
    if (nbytes)
        memcpy(clip->text + clip->nbytes, data, nbytes);
    clip->nbytes += nbytes;
}

bool dvi_clip_write(dvi_clip *clip, const char *data, size_t nbytes)
{
    for (size_t i = 0; i < nbytes && !clip->is_full && !clip->is_failed;) {
        char escape[DVI_ESCAPE_CAP];
        const dvi_glyph glyph = dvi_glyph_first(data + i, nbytes - i, escape);
        if (glyph.width > clip->most - clip->columns) {
            clip->is_full = true;
            break;
        }
        dvi_clip_mark(clip, glyph.data, glyph.nbytes);
        clip->columns += glyph.width;
        i += glyph.source_nbytes;
    }
    return !clip->is_full && !clip->is_failed;
}

bool dvi_clip_text(dvi_clip *clip, const char *text)
{
    return dvi_clip_write(clip, text, strlen(text));
}

bool dvi_clip_type(dvi_clip *clip, const dv_type *type)
{
    char *notation = dvi_notation(type);
    if (!notation)
        clip->is_failed = true;
    const bool ok = notation && dvi_clip_text(clip, notation);
    free(notation);
    return ok;
}

static bool write_to_clip(void *ctx, const char *data, size_t nbytes)
{
    return dvi_clip_write(ctx, data, nbytes);
}

dv_sink dvi_clip_sink(dvi_clip *clip)
{
    return (dv_sink){write_to_clip, clip};
}

void dvi_clip_rewind(dvi_clip *clip, size_t nbytes, int32_t columns)
{
    clip->nbytes = nbytes;
    clip->columns = columns;
}

void dvi_clip_free(dvi_clip *clip)
{
    free(clip->text);
    *clip = (dvi_clip){0};
}
