/* SPDX-License-Identifier: MIT */
/* say.h: how does the command tell that something is wrong, and with which exit status? */
#ifndef DVI_CLI_SAY_H
#define DVI_CLI_SAY_H

#include <dataview/status.h>

/* Id, exit status, what it means. */
#define DVI_EXIT_LIST(X)                                                                           \
    X(DONE, 0, "done; also when the reader of a pipe has gone")                                    \
    X(DATA, 1,                                                                                     \
      "the data is bad, beyond a limit, or more than a format holds; diff: there is a difference") \
    X(USAGE, 2, "wrong usage: an option, a verb, a column that is not there")                      \
    X(SYSTEM, 3, "the system said no: files, memory, a full disk")

#define DVI_EXIT_ID(id, status, what) DVI_EXIT_##id = status,
typedef enum dvi_exit { DVI_EXIT_LIST(DVI_EXIT_ID) } dvi_exit;
#undef DVI_EXIT_ID

/* One sentence on standard error behind "dataview: "; control characters are spelled out. */
void dvi_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and DVI_EXIT_USAGE. */
#define dvi_say_usage(...) (dvi_say(__VA_ARGS__), (dvi_exit)DVI_EXIT_USAGE)

static inline dvi_exit dvi_say_memory(void)
{
    dvi_say("%s", dv_status_sentence(DV_ERR_MEMORY));
    return DVI_EXIT_SYSTEM;
}

/* Make err say that memory ran out, as the library does. */
dv_status dvi_err_memory(dv_error *err);

/* What the library said, and the exit status of that status. */
dvi_exit dvi_say_error(const dv_error *err);
dvi_exit dvi_exit_of(dv_status status);

#endif
