/* SPDX-License-Identifier: MIT */
/* text_put.c: bytes of a text file on their way to the writer. */
#include "format/text/text_put.h"
#include "base/alloc.h"
#include "base/check.h"
#include <string.h>

#define QUOTED 1
#define BREAK 2
#define PIECE_NBYTES ((size_t)4096) /* of a quoted text, which may double */

dvi_text_quoting dvi_text_quoting_of(char separator, bool mlnet)
{
    dvi_text_quoting quoting = {.protects = !mlnet, .normalizes = !mlnet};
    quoting.marks[(uint8_t)separator] = quoting.marks[':'] = quoting.marks['"'] = QUOTED;
    quoting.marks['\n'] = QUOTED | BREAK;
    if (!mlnet)
        quoting.marks['\r'] = QUOTED | BREAK;
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

/* All marks that the bytes have. */
static uint8_t marks_of(const dvi_text_quoting *quoting, dv_text text)
{
    uint8_t marks = 0;
    for (int64_t i = 0; i < text.nbytes; i++)
        marks |= quoting->marks[(uint8_t)text.data[i]];
    return marks;
}

static bool starts_with(dv_text text, const char *with)
{
    const size_t n = strlen(with);
    return text.nbytes >= (int64_t)n && memcmp(text.data, with, n) == 0;
}

/* Would a line that starts so be passed over, or a file be taken for something else? */
static bool is_hidden(dv_text text)
{
    return starts_with(text, "#") || starts_with(text, "//") || starts_with(text, "\xEF\xBB\xBF");
}

/* A piece of a quoted text, for which there is room.  Returns its end. */
static char *put_piece(char *p, const char *data, size_t n, const dvi_text_quoting *quoting,
                       bool *after_cr)
{
    for (size_t i = 0; i < n; i++) {
        const char c = data[i];
        const bool is_cr = quoting->normalizes && c == '\r', ends_crlf = *after_cr && c == '\n';
        *after_cr = is_cr;
        if (ends_crlf)
            continue;
        if (c == '"')
            *p++ = '"';
        *p++ = is_cr ? '\n' : c;
    }
    return p;
}

static dv_status put_quoted(dvi_text_put *put, dv_text text, const dvi_text_quoting *quoting,
                            dv_error *err)
{
    bool after_cr = false;
    size_t left = (size_t)text.nbytes;
    DVI_TRY(dvi_text_put_room(put, 2, err));
    *put->p++ = '"';
    for (const char *data = text.data; left > 0;) {
        const size_t n = left < PIECE_NBYTES ? left : PIECE_NBYTES;
        DVI_TRY(dvi_text_put_room(put, 2 * n + 1, err));
        put->p = put_piece(put->p, data, n, quoting, &after_cr);
        data += n;
        left -= n;
    }
    *put->p++ = '"';
    return DV_OK;
}

dv_status dvi_text_put_field(dvi_text_put *put, dv_text text, const dvi_text_quoting *quoting,
                             bool is_first, dv_error *err)
{
    if (text.nbytes < 0)
        return DV_OK;
    const uint8_t marks = marks_of(quoting, text);
    put->has_break |= (marks & BREAK) != 0;
    if (marks || text.nbytes == 0 || *text.data == ' ' ||
        (is_first && quoting->protects && is_hidden(text)))
        return put_quoted(put, text, quoting, err);
    return dvi_text_put_bytes(put, text.data, (size_t)text.nbytes, err);
}
