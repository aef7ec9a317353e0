/* SPDX-License-Identifier: MIT */
/* out.c: a buffer before write(2). */
#include "cli/terminal/out.h"
#include "cli/terminal/glyph.h"
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Write all of it; wait if the descriptor is non-blocking and full. */
static bool write_all(dvi_out *out, const char *data, size_t nbytes)
{
    if (out->sink) {
        if (!out->os_code && !out->sink->write(out->sink->ctx, data, nbytes))
            out->os_code = EIO;
        return !out->os_code;
    }
    while (nbytes > 0 && !out->os_code) {
        const ssize_t n = write(out->fd, data, nbytes);
        if (n >= 0) {
            data += n;
            nbytes -= (size_t)n;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = out->fd, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            out->os_code = errno;
        }
    }
    return !out->os_code;
}

bool dvi_out_flush(dvi_out *out)
{
    const size_t n = out->used;
    out->used = 0;
    return write_all(out, out->data, n);
}

bool dvi_out_write(dvi_out *out, const char *data, size_t nbytes)
{
    if (nbytes > DVI_OUT_CAP - out->used && !dvi_out_flush(out))
        return false;
    if (nbytes > DVI_OUT_CAP)
        return write_all(out, data, nbytes);
    if (nbytes)
        memcpy(out->data + out->used, data, nbytes);
    out->used += nbytes;
    return !out->os_code;
}

bool dvi_out_text(dvi_out *out, const char *text)
{
    return dvi_out_write(out, text, strlen(text));
}

bool dvi_out_shown(dvi_out *out, const char *data, size_t nbytes)
{
    bool ok = true;
    for (size_t i = 0; i < nbytes && ok;) {
        char escape[DVI_ESCAPE_CAP];
        const dvi_glyph glyph = dvi_glyph_first(data + i, nbytes - i, escape);
        ok = dvi_out_write(out, glyph.data, glyph.nbytes);
        i += glyph.source_nbytes;
    }
    return ok;
}

bool dvi_out_print(dvi_out *out, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    const size_t nbytes = n < 0 ? 0 : (size_t)n;
    return dvi_out_write(out, line, nbytes < sizeof line ? nbytes : sizeof line - 1);
}

static bool write_to_out(void *ctx, const char *data, size_t nbytes)
{
    return dvi_out_write(ctx, data, nbytes);
}

dv_sink dvi_out_sink(dvi_out *out)
{
    return (dv_sink){write_to_out, out};
}

static bool show_in_out(void *ctx, const char *data, size_t nbytes)
{
    return dvi_out_shown(ctx, data, nbytes);
}

dv_sink dvi_out_safe_sink(dvi_out *out)
{
    return (dv_sink){out->is_terminal ? show_in_out : write_to_out, out};
}
