/* SPDX-License-Identifier: MIT */
/* out.h: how do bytes reach standard output, and what went wrong on the way? */
#ifndef DVI_CLI_OUT_H
#define DVI_CLI_OUT_H

#include <dataview/value.h>

#define DVI_OUT_CAP ((size_t)64 << 10)

/* Bytes on their way to a file descriptor, in large pieces.  The first write that fails is the
 * last: os_code tells why, and everything after it is dropped. */
typedef struct dvi_out {
    int fd, os_code;
    bool is_terminal;
    size_t used;
    char data[DVI_OUT_CAP];
} dvi_out;

/* All return false when writing has failed, now or before. */
bool dvi_out_write(dvi_out *out, const char *data, size_t nbytes);
bool dvi_out_text(dvi_out *out, const char *text);
bool dvi_out_print(dvi_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Spelling out what cannot be seen (glyph.h). */
bool dvi_out_shown(dvi_out *out, const char *data, size_t nbytes);
bool dvi_out_flush(dvi_out *out);

/* The same as a sink of values. */
dv_sink dvi_out_sink(dvi_out *out);
/* And one that spells out what cannot be seen when it is a terminal: a file must not steer it. */
dv_sink dvi_out_safe_sink(dvi_out *out);

#endif
