/* SPDX-License-Identifier: MIT */
/* say.h: messages on standard error, and exit statuses. */
#ifndef DVI_CLI_SAY_H
#define DVI_CLI_SAY_H

#include <dataview/status.h>

/* Id, exit status, what it means. */
#define DVI_EXIT_LIST(X)                                                                           \
    X(DONE, 0, "success; also if the reader of a pipe closed it")                                  \
    X(DATA, 1,                                                                                     \
      "the data is corrupt, over a limit, or more than a format can hold; diff: the tables "       \
      "differ")                                                                                    \
    X(USAGE, 2, "wrong usage: an unknown verb, option or column")                                  \
    X(SYSTEM, 3, "the system failed: no such file, no permission, no memory, disk full")

#define DVI_EXIT_ID(id, status, what) DVI_EXIT_##id = status,
typedef enum dvi_exit { DVI_EXIT_LIST(DVI_EXIT_ID) } dvi_exit;
#undef DVI_EXIT_ID

/* Write one line to standard error, "dataview: " and the message, with control characters spelled
 * out; on a terminal, several lines that fit it. */
void dvi_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and DVI_EXIT_USAGE. */
#define dvi_say_usage(...) (dvi_say(__VA_ARGS__), (dvi_exit)DVI_EXIT_USAGE)

static inline dvi_exit dvi_say_memory(void)
{
    dvi_say("%s", dv_status_sentence(DV_ERR_MEMORY));
    return DVI_EXIT_SYSTEM;
}

/* Set err to DV_ERR_MEMORY, with the library's message. */
dv_status dvi_err_memory(dv_error *err);

/* Report an error of the library; returns the exit status of its status. */
dvi_exit dvi_say_error(const dv_error *err);
dvi_exit dvi_exit_of(dv_status status);

#endif
