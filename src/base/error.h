/* SPDX-License-Identifier: MIT */
/* error.h: fills a dv_error with a failure. */
#ifndef DVI_BASE_ERROR_H
#define DVI_BASE_ERROR_H

#include "base/compiler.h"
#include <dataview/status.h>
#include <dataview/type.h>

/* The functions dvi_fail... fill err, which may be NULL, and return the status, so that a call can
 * follow `return`.
 *
 * rule      "idv:L4" (docs/spec), "docs/resuming.md", for DV_ERR_LIMIT the option, or ""
 * offset    of the first wrong byte in the file; -1: none
 * what      the name of the wrong item: "block offset"
 * format    printf formats of the expected and the found value, separated by '|': "%d|%d"
 */
dv_status dvi_fail(dv_error *err, dv_status status, const char *rule, int64_t offset,
                   const char *what, const char *format, ...) DVI_PRINTF(6, 7);

/* DV_ERR_CORRUPT: expected least..most. */
dv_status dvi_fail_range(dv_error *err, const char *rule, int64_t offset, const char *what,
                         int64_t least, int64_t most, int64_t found);

/* DV_ERR_IO with the system's text for os_code. */
dv_status dvi_fail_os(dv_error *err, int os_code, const char *what);

/* DV_ERR_MEMORY for nbytes. */
dv_status dvi_fail_memory(dv_error *err, size_t nbytes);

/* DV_ERR_CORRUPT: bytes of a mapped file are not those that were checked. */
dv_status dvi_fail_changed(dv_error *err, int64_t offset, const char *what);

/* "1 name", "2 names": what follows a noun after a number. */
#define DVI_S(n) ((n) == 1 ? "" : "s")

/* DV_ERR_ARGUMENT with a formatted sentence. */
dv_status dvi_fail_argument(dv_error *err, const char *format, ...) DVI_PRINTF(2, 3);

/* Call progress->report, if there is one. DV_OK; DV_ERR_STOPPED: it returned false; the message
 * begins with `what`. */
dv_status dvi_report_progress(const dv_progress *progress, const char *what, int64_t done,
                              int64_t total, dv_error *err);

/* The static analyzer reads one file at a time: show it that these functions never return DV_OK. */
#if defined(__clang_analyzer__) && !defined(DVI_ERROR_C)
#define dvi_fail(err, status, ...) (dvi_fail(err, status, __VA_ARGS__), (status))
#define dvi_fail_range(...) (dvi_fail_range(__VA_ARGS__), DV_ERR_CORRUPT)
#define dvi_fail_os(...) (dvi_fail_os(__VA_ARGS__), DV_ERR_IO)
#define dvi_fail_changed(...) (dvi_fail_changed(__VA_ARGS__), DV_ERR_CORRUPT)
#define dvi_fail_memory(...) (dvi_fail_memory(__VA_ARGS__), DV_ERR_MEMORY)
#define dvi_fail_argument(...) (dvi_fail_argument(__VA_ARGS__), DV_ERR_ARGUMENT)
#endif

/* Add the location to a message: a formatted text such as "column x", after file and offset; or the
 * file, in front. Unprintable text is escaped. If err is NULL or holds no failure, or the path is
 * empty, nothing happens. */
void dvi_error_within(dv_error *err, const char *format, ...) DVI_PRINTF(2, 3);
void dvi_error_set_file(dv_error *err, const char *path);
/* Add to the message what the user can do, after a semicolon. Nothing happens if err is NULL or
 * holds no failure, or the advice is empty. */
void dvi_error_advise(dv_error *err, const char *advice);

/* Copy text to dst (cap >= 1 bytes, NUL included) in a form that any terminal can show: valid UTF-8
 * is kept, control characters and other bytes become \xHH. Text that is too long is cut between
 * characters and ends in "...". Returns the length. */
size_t dvi_printable(char *dst, size_t cap, const char *text, size_t nbytes);

/* A name from a file in printable form, as an argument for printf. */
typedef struct dvi_shown {
    char text[64];
} dvi_shown;
dvi_shown dvi_show(dv_text text);

#endif
