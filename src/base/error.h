/* SPDX-License-Identifier: MIT */
/* error.h: how is a failure put into words? */
#ifndef DVI_BASE_ERROR_H
#define DVI_BASE_ERROR_H

#include "base/attrs.h"
#include <dataview/status.h>
#include <dataview/type.h>

/* Each of these fills err (which may be NULL) and returns the status, so that it can stand after
 * `return`.
 *
 * rule      "idv:L4" (docs/spec), "docs/resuming.md", for DV_ERR_LIMIT the option, or ""
 * offset    of the first wrong byte in the file, -1: none
 * what      the thing that is wrong: "block offset"
 * format    printf text in two parts, expected and found, divided by '|': "%d|%d"
 */
dv_status dvi_fail(dv_error *err, dv_status status, const char *rule, int64_t offset,
                   const char *what, const char *format, ...) DVI_PRINTF(6, 7);

/* DV_ERR_CORRUPT: expected least..most. */
dv_status dvi_fail_range(dv_error *err, const char *rule, int64_t offset, const char *what,
                         int64_t least, int64_t most, int64_t found);

/* DV_ERR_IO with errno's text. */
dv_status dvi_fail_os(dv_error *err, int os_code, const char *what);

/* DV_ERR_MEMORY for nbytes; DV_ERR_ARGUMENT with a sentence. */
dv_status dvi_fail_memory(dv_error *err, size_t nbytes);
/* Report progress of what the message calls `what`: DV_OK, or DV_ERR_STOPPED as `progress` asks. */
dv_status dvi_report_progress(const dv_progress *progress, const char *what, int64_t done,
                              int64_t total, dv_error *err);

dv_status dvi_fail_argument(dv_error *err, const char *format, ...) DVI_PRINTF(2, 3);

/* The static analyzer reads one file at a time: tell it that a failure is never a success. */
#if defined(__clang_analyzer__) && !defined(DVI_ERROR_C)
#define dvi_fail(err, status, ...) (dvi_fail(err, status, __VA_ARGS__), (status))
#define dvi_fail_range(...) (dvi_fail_range(__VA_ARGS__), DV_ERR_CORRUPT)
#define dvi_fail_os(...) (dvi_fail_os(__VA_ARGS__), DV_ERR_IO)
#define dvi_fail_memory(...) (dvi_fail_memory(__VA_ARGS__), DV_ERR_MEMORY)
#define dvi_fail_argument(...) (dvi_fail_argument(__VA_ARGS__), DV_ERR_ARGUMENT)
#endif

/* Say where: put `where` (printf text, e.g. "column x") in front of the sentence, after the
 * offset; and the file in front of all.  Text that cannot be printed is escaped.  Nothing happens
 * when err is NULL or holds no failure, or the path is empty. */
void dvi_error_within(dv_error *err, const char *format, ...) DVI_PRINTF(2, 3);
void dvi_error_set_file(dv_error *err, const char *path);

/* Write text into dst (cap >= 1 bytes, NUL included) so that any terminal can show it: valid UTF-8
 * stays, control characters and other bytes become \xHH; cut between characters, with "..." at the
 * end.  Returns the length. */
size_t dvi_printable(char *dst, size_t cap, const char *text, size_t nbytes);

/* What a text argument of printf shows of a name from a file: printable, in a buffer of its own. */
typedef struct dvi_shown {
    char text[64];
} dvi_shown;
dvi_shown dvi_show(dv_text text);

#endif
