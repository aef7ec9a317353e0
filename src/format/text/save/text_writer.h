/* SPDX-License-Identifier: MIT */
/* text_writer.h: bytes of a text file on their way to the writer. */
#ifndef DVI_FORMAT_TEXT_WRITER_H
#define DVI_FORMAT_TEXT_WRITER_H

#include "base/attrs.h"
#include "io/writer.h"
#include <dataview/kernel.h>
#include <dataview/type.h>

#define DVI_TEXT_WRITER_NBYTES ((size_t)64 << 10)

/* When is a text quoted, and what becomes of its line breaks? */
typedef struct dvi_text_quoting {
    dv_ascii_set marks; /* bytes that ask for quotes */
    bool protects;      /* a first field that would hide its line */
    bool normalizes;    /* CRLF and CR become LF, as they will be read */
} dvi_text_quoting;

/* mlnet: as ML.NET does it, which protects nothing. */
dvi_text_quoting dvi_text_quoting_of(char separator, bool mlnet);

/* What is gathered, p - start bytes so far; there is always room for one. */
typedef struct dvi_text_writer {
    dvi_writer *writer;
    char *p, *end, *start;
    bool has_break; /* a line break went into a quoted field */
} dvi_text_writer;

dv_status dvi_text_writer_open(dvi_text_writer *out, dvi_writer *writer,
                               const dv_allocator *allocator, dv_error *err);
void dvi_text_writer_close(dvi_text_writer *out, const dv_allocator *allocator);

dv_status dvi_text_writer_flush(dvi_text_writer *out, dv_error *err);

/* Room for nbytes more and one, of DVI_TEXT_WRITER_NBYTES at most. */
static inline dv_status dvi_text_writer_reserve(dvi_text_writer *out, size_t nbytes, dv_error *err)
{
    return DVI_UNLIKELY((size_t)(out->end - out->p) <= nbytes) ? dvi_text_writer_flush(out, err)
                                                               : DV_OK;
}

/* Where the next byte goes in the file. */
int64_t dvi_text_writer_offset(const dvi_text_writer *out);

/* Bytes as they are. */
dv_status dvi_text_write_bytes(dvi_text_writer *out, const char *data, size_t nbytes,
                               dv_error *err);

/* Would a line that starts so be passed over, or a file be taken for something else? */
bool dvi_text_hides(dv_text text);

/* A text in quotes. */
dv_status dvi_text_write_quoted(dvi_text_writer *out, dv_text text, const dvi_text_quoting *quoting,
                                dv_error *err);

#endif
