/* SPDX-License-Identifier: MIT */
/* text_writer.h: buffers the bytes of a text file. */
#ifndef DVI_FORMAT_TEXT_WRITER_H
#define DVI_FORMAT_TEXT_WRITER_H

#include "base/compiler.h"
#include "simd/kernel.h"
#include "io/writer.h"
#include "format/text/save/text_print.h"
#include <dataview/type.h>

#define DVI_TEXT_WRITER_NBYTES ((size_t)64 << 10)

/* When a text is quoted, and how its line breaks are written. */
typedef struct dvi_text_quoting {
    dvi_ascii_set marks; /* bytes that require quotes */
    bool protects;       /* quote a first field that would hide its line */
    bool normalizes;     /* CRLF and CR become LF, as a reader reads them */
} dvi_text_quoting;

/* ML.NET protects nothing; a CSV keeps its line breaks.  slots: fields of a line; in a CSV with
 * one, nothing else shows which separator it has. */
dvi_text_quoting dvi_text_quoting_of(char separator, dvi_text_style style, int64_t slots);

/* A buffer that holds p - start bytes; there is always room for one more. */
typedef struct dvi_text_writer {
    dvi_writer *writer;
    char *p, *end, *start;
    bool has_break; /* a line break was written in a quoted field */
} dvi_text_writer;

dv_status dvi_text_writer_open(dvi_text_writer *out, dvi_writer *writer,
                               const dv_allocator *allocator, dv_error *err);
void dvi_text_writer_close(dvi_text_writer *out, const dv_allocator *allocator);

dv_status dvi_text_writer_flush(dvi_text_writer *out, dv_error *err);

/* Make room for nbytes + 1 bytes; nbytes is at most DVI_TEXT_WRITER_NBYTES. */
static inline dv_status dvi_text_writer_reserve(dvi_text_writer *out, size_t nbytes, dv_error *err)
{
    return DVI_UNLIKELY((size_t)(out->end - out->p) <= nbytes) ? dvi_text_writer_flush(out, err)
                                                               : DV_OK;
}

/* The file offset of the next byte. */
int64_t dvi_text_writer_offset(const dvi_text_writer *out);

/* Write bytes unchanged. */
dv_status dvi_text_write_bytes(dvi_text_writer *out, const char *data, size_t nbytes,
                               dv_error *err);

/* Would a line that starts so be skipped, or the file be recognized as something else? */
bool dvi_text_hides(dv_text text);

/* Does a text need quotes, wherever in its line? */
bool dvi_text_needs_quotes(dv_text text, const dvi_text_quoting *quoting);

/* Write a text in quotes. */
dv_status dvi_text_write_quoted(dvi_text_writer *out, dv_text text, const dvi_text_quoting *quoting,
                                dv_error *err);

#endif
