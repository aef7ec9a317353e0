/* SPDX-License-Identifier: MIT */
/* out.h: buffered output to a file descriptor or a sink, with its first error. */
#ifndef DVI_CLI_OUT_H
#define DVI_CLI_OUT_H

#include <dataview/value.h>

#define DVI_OUT_CAP ((size_t)64 << 10)

/* A buffered writer.  The first write that fails is the last: os_code holds its errno (EIO if it is
 * a sink's), and everything after it is dropped. */
typedef struct dvi_out {
    int fd, os_code;
    const dv_sink *sink; /* takes the bytes instead of fd; NULL: none */
    bool is_terminal;
    size_t used;
    char data[DVI_OUT_CAP];
} dvi_out;

/* All return false when writing has failed, now or before. */
bool dvi_out_write(dvi_out *out, const char *data, size_t nbytes);
bool dvi_out_text(dvi_out *out, const char *text);
bool dvi_out_print(dvi_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* With unsafe characters spelled out (glyph.h). */
bool dvi_out_shown(dvi_out *out, const char *data, size_t nbytes);
bool dvi_out_flush(dvi_out *out);

/* A sink that writes here. */
dv_sink dvi_out_sink(dvi_out *out);
/* A sink that spells out unsafe characters if this is a terminal, which file contents must not
 * control. */
dv_sink dvi_out_safe_sink(dvi_out *out);

#endif
