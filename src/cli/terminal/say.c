/* SPDX-License-Identifier: MIT */
/* say.c: writes messages, and maps statuses of the library to exit statuses. */
#include "cli/terminal/say.h"
#include "cli/terminal/out.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/wrap.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INDENT 2 /* of the further lines of a message */

void dvi_say(const char *format, ...)
{
    va_list args;
    static const char prefix[] = "dataview: ";
    static dvi_out out;
    char text[1024];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);

    const dvi_screen screen = dvi_screen_of(STDERR_FILENO);
    out.fd = STDERR_FILENO;
    out.os_code = 0; /* if it fails, there is nowhere else to report to */
    dvi_out_text(&out, prefix);
    dvi_wrap(&out, screen.is_terminal ? screen.width : 0, INDENT, sizeof prefix - 1, text);
    dvi_out_text(&out, "\n");
    dvi_out_flush(&out);
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
