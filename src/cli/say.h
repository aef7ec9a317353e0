/* SPDX-License-Identifier: MIT */
/* say.h: how does the command tell that something is wrong, and with which exit status? */
#ifndef DVI_CLI_SAY_H
#define DVI_CLI_SAY_H

#include <dataview/status.h>

typedef enum dvi_exit {
    DVI_EXIT_DONE = 0,
    DVI_EXIT_DATA = 1,  /* the bytes are bad, or beyond a limit */
    DVI_EXIT_USAGE = 2, /* asked for what cannot be */
    DVI_EXIT_SYSTEM = 3 /* files, memory, disks */
} dvi_exit;

/* One sentence on standard error behind "dataview: "; control characters are spelled out. */
void dvi_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and DVI_EXIT_USAGE. */
dvi_exit dvi_say_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

dvi_exit dvi_say_memory(void);

/* Make err say that memory ran out, as the library does. */
dv_status dvi_err_memory(dv_error *err);

/* What the library said, and the exit status of that status. */
dvi_exit dvi_say_error(const dv_error *err);
dvi_exit dvi_exit_of(dv_status status);

#endif
