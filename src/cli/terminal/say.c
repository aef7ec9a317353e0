/* SPDX-License-Identifier: MIT */
/* say.c: writes messages, and maps statuses of the library to exit statuses. */
#include "cli/terminal/say.h"
#include "cli/terminal/glyph.h"
#include "cli/terminal/out.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void dvi_say(const char *format, ...)
{
    va_list args;
    static const char prefix[] = "dataview: ";
    char text[1024], line[sizeof prefix + 4 * sizeof text + 1];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);

    size_t used = sizeof prefix - 1;
    memcpy(line, prefix, used);
    const size_t nbytes = strlen(text);
    for (size_t i = 0; i < nbytes;) {
        char escape[DVI_ESCAPE_CAP];
        const dvi_glyph glyph = dvi_glyph_first(text + i, nbytes - i, escape);
        memcpy(line + used, glyph.data, glyph.nbytes);
        used += glyph.nbytes;
        i += glyph.source_nbytes;
    }
    line[used++] = '\n';
    const ssize_t written = write(STDERR_FILENO, line, used);
    (void)written; /* there is nowhere else to report to */
}

dv_status dvi_err_memory(dv_error *err)
{
    *err = (dv_error)DV_ERROR_INIT;
    err->status = DV_ERR_MEMORY;
    snprintf(err->message, sizeof err->message, "%s", dv_status_sentence(DV_ERR_MEMORY));
    return DV_ERR_MEMORY;
}

dvi_exit dvi_say_error(const dv_error *err)
{
    dvi_say("%s", err->message);
    return dvi_exit_of(err->status);
}

dvi_exit dvi_exit_of(dv_status status)
{
    switch (status) {
    case DV_OK:
    case DV_END:
        return DVI_EXIT_DONE;
    case DV_ERR_CORRUPT:
    case DV_ERR_UNSUPPORTED:
    case DV_ERR_LIMIT:
    case DV_ERR_LOSS:
        return DVI_EXIT_DATA;
    case DV_NOT_FOUND:
    case DV_ERR_ARGUMENT:
    case DV_ERR_COPY:
        return DVI_EXIT_USAGE;
    case DV_ERR_IO:
    case DV_ERR_MEMORY:
    case DV_ERR_STOPPED:
        return DVI_EXIT_SYSTEM;
    }
    return DVI_EXIT_SYSTEM;
}
