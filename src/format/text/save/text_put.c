/* SPDX-License-Identifier: MIT */
/* text_put.c: bytes of a text file on their way to the writer. */
#include "format/text/save/text_put.h"
#include "base/alloc.h"
#include "base/check.h"
#include <string.h>

#define PIECE_NBYTES ((size_t)4096) /* of a quoted text, which may double */

static void mark(dv_ascii_set *set, char c)
{
    set->members[c & 15] |= (uint8_t)(1 << (c >> 4));
}

dvi_text_quoting dvi_text_quoting_of(char separator, bool mlnet)
{
    dvi_text_quoting quoting = {.protects = !mlnet, .normalizes = !mlnet};
    mark(&quoting.marks, separator);
    mark(&quoting.marks, ':');
    mark(&quoting.marks, '"');
    mark(&quoting.marks, '\n');
    if (!mlnet)
        mark(&quoting.marks, '\r');
    return quoting;
}

dv_status dvi_text_put_open(dvi_text_put *put, dvi_writer *writer, const dv_allocator *allocator,
                            dv_error *err)
{
    void *made;
    *put = (dvi_text_put){.writer = writer};
    DVI_TRY(dvi_alloc(allocator, &made, DVI_TEXT_PUT_NBYTES, err));
    put->p = put->start = made;
    put->end = put->start + DVI_TEXT_PUT_NBYTES;
    return DV_OK;
}

void dvi_text_put_close(dvi_text_put *put, const dv_allocator *allocator)
{
    dvi_free(allocator, put->start, DVI_TEXT_PUT_NBYTES);
    put->start = NULL;
}

dv_status dvi_text_put_flush(dvi_text_put *put, dv_error *err)
{
    const size_t n = (size_t)(put->p - put->start);
    put->p = put->start;
    return dvi_writer_write(put->writer, put->start, n, err);
}

int64_t dvi_text_put_at(const dvi_text_put *put)
{
    return dvi_writer_offset(put->writer) + (put->p - put->start);
}

dv_status dvi_text_put_bytes(dvi_text_put *put, const char *data, size_t nbytes, dv_error *err)
{
    DVI_TRY(dvi_text_put_room(put, nbytes, err));
    if (nbytes >= (size_t)(put->end - put->p))
        return dvi_writer_write(put->writer, data, nbytes, err);
    if (nbytes > 0)
        memcpy(put->p, data, nbytes);
    put->p += nbytes;
    return DV_OK;
}

/* --- Texts ------------------------------------------------------------------------------------ */

static bool starts_with(dv_text text, const char *with)
{
    const size_t n = strlen(with);
    return text.nbytes >= (int64_t)n && memcmp(text.data, with, n) == 0;
}

bool dvi_text_hides(dv_text text)
{
    return starts_with(text, "#") || starts_with(text, "//") || starts_with(text, "\xEF\xBB\xBF");
}

/* A piece of a quoted text, for which there is room.  Returns its end. */
static char *put_piece(dvi_text_put *put, const char *data, size_t n,
                       const dvi_text_quoting *quoting, bool *after_cr)
{
    char *p = put->p;
    for (size_t i = 0; i < n; i++) {
        const char c = data[i];
        const bool is_cr = quoting->normalizes && c == '\r', ends_crlf = *after_cr && c == '\n';
        *after_cr = is_cr;
        put->has_break |= is_cr || c == '\n';
        if (ends_crlf)
            continue;
        if (c == '"')
            *p++ = '"';
        *p++ = is_cr ? '\n' : c;
    }
    return p;
}

dv_status dvi_text_put_quoted(dvi_text_put *put, dv_text text, const dvi_text_quoting *quoting,
                              dv_error *err)
{
    bool after_cr = false;
    size_t left = (size_t)text.nbytes;
    DVI_TRY(dvi_text_put_room(put, 2, err));
    *put->p++ = '"';
    for (const char *data = text.data; left > 0;) {
        const size_t n = left < PIECE_NBYTES ? left : PIECE_NBYTES;
        DVI_TRY(dvi_text_put_room(put, 2 * n + 1, err));
        put->p = put_piece(put, data, n, quoting, &after_cr);
        data += n;
        left -= n;
    }
    *put->p++ = '"';
    return DV_OK;
}
