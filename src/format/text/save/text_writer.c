/* SPDX-License-Identifier: MIT */
/* text_writer.c: buffers the bytes of a text file. */
#include "format/text/save/text_writer.h"
#include "base/alloc.h"
#include "base/check.h"
#include <string.h>

#define QUOTED_NBYTES                                                                              \
    ((size_t)4096) /* bytes of a quoted text at a time; quoting may double them                    \
                    */

static void mark(dvi_ascii_set *set, char c)
{
    set->members[c & 15] |= (uint8_t)(1 << (c >> 4));
}

dvi_text_quoting dvi_text_quoting_of(char separator, dvi_text_style style, int64_t slots)
{
    static const char ends[] = {0x1A, '\0'}; /* lines of these alone are empty to a reader */
    const bool is_csv = style == DVI_TEXT_CSV;
    dvi_text_quoting quoting = {.protects = style != DVI_TEXT_MLNET,
                                .normalizes = style == DVI_TEXT_TYPED};
    mark(&quoting.marks, separator);
    mark(&quoting.marks, '"');
    mark(&quoting.marks, '\n');
    if (!is_csv)
        mark(&quoting.marks, ':');
    if (style != DVI_TEXT_MLNET)
        mark(&quoting.marks, '\r');
    for (size_t i = 0; i < sizeof ends && is_csv; i++)
        mark(&quoting.marks, ends[i]);
    for (const char *p = "\t,;|"; *p && is_csv && slots == 1; p++)
        mark(&quoting.marks, *p);
    return quoting;
}

dv_status dvi_text_writer_open(dvi_text_writer *out, dvi_writer *writer,
                               const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *out = (dvi_text_writer){.writer = writer};
    DVI_TRY(dvi_alloc(allocator, &made, DVI_TEXT_WRITER_NBYTES, err));
    out->p = out->start = made;
    out->end = out->start + DVI_TEXT_WRITER_NBYTES;
    return DV_OK;
}

void dvi_text_writer_close(dvi_text_writer *out, const dv_allocator *allocator)
{
    dvi_free(allocator, out->start, DVI_TEXT_WRITER_NBYTES);
    out->start = NULL;
}

dv_status dvi_text_writer_flush(dvi_text_writer *out, dv_error *err)
{
    const size_t n = (size_t)(out->p - out->start);
    out->p = out->start;
    return dvi_writer_write(out->writer, out->start, n, err);
}

int64_t dvi_text_writer_offset(const dvi_text_writer *out)
{
    return dvi_writer_offset(out->writer) + (out->p - out->start);
}

dv_status dvi_text_write_bytes(dvi_text_writer *out, const char *data, size_t nbytes, dv_error *err)
{
    DVI_TRY(dvi_text_writer_reserve(out, nbytes, err));
    if (nbytes >= (size_t)(out->end - out->p))
        return dvi_writer_write(out->writer, data, nbytes, err);
    if (nbytes > 0)
        memcpy(out->p, data, nbytes);
    out->p += nbytes;
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

bool dvi_text_needs_quotes(dv_text text, const dvi_text_quoting *quoting)
{
    bool is_marked =
        text.nbytes == 0 || *text.data == ' ' || (quoting->protects && dvi_text_hides(text));
    for (int64_t i = 0; i < text.nbytes && !is_marked; i++) {
        const uint8_t c = (uint8_t)text.data[i];
        is_marked = c < 128 && (quoting->marks.members[c & 15] >> (c >> 4) & 1);
    }
    return is_marked;
}

/* Copy n bytes of a quoted text, for which there is room. Returns the end. */
static char *copy_quoted(dvi_text_writer *out, const char *data, size_t n,
                         const dvi_text_quoting *quoting, bool *after_cr)
{
    char *p = out->p;
    for (size_t i = 0; i < n; i++) {
        const char c = data[i];
        const bool is_cr = quoting->normalizes && c == '\r', ends_crlf = *after_cr && c == '\n';
        *after_cr = is_cr;
        out->has_break |= is_cr || c == '\n';
        if (ends_crlf)
            continue;
        if (c == '"')
            *p++ = '"';
        *p++ = is_cr ? '\n' : c;
    }
    return p;
}

dv_status dvi_text_write_quoted(dvi_text_writer *out, dv_text text, const dvi_text_quoting *quoting,
                                dv_error *err)
{
    bool after_cr = false;
    size_t left = (size_t)text.nbytes;
    DVI_TRY(dvi_text_writer_reserve(out, 2, err));
    *out->p++ = '"';
    for (const char *data = text.data; left > 0;) {
        const size_t n = left < QUOTED_NBYTES ? left : QUOTED_NBYTES;
        DVI_TRY(dvi_text_writer_reserve(out, 2 * n + 1, err));
        out->p = copy_quoted(out, data, n, quoting, &after_cr);
        data += n;
        left -= n;
    }
    *out->p++ = '"';
    return DV_OK;
}
