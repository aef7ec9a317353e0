/* SPDX-License-Identifier: MIT */
/* status.h: the status that a call returns, the error that describes a failure, and progress. */
#ifndef DATAVIEW_STATUS_H
#define DATAVIEW_STATUS_H

#include <dataview/version.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every status: name, value, sentence.  Errors are negative, in families with gaps between them:
 * -10 the system, -20 the data, -30 limits, -40 the caller, -50 memory, -60 saving and stopping. */
#define DV_STATUS_LIST(X)                                                                          \
    X(DV_OK, 0, "done")                                                                            \
    X(DV_END, 1, "no more rows")                                                                   \
    X(DV_NOT_FOUND, 2, "not found")                                                                \
    X(DV_ERR_IO, -10, "a system call failed")                                                      \
    X(DV_ERR_CORRUPT, -20, "the data violates the format")                                         \
    X(DV_ERR_UNSUPPORTED, -21, "this version cannot read the data, which may be valid")            \
    X(DV_ERR_LIMIT, -30, "a limit that an option sets is exceeded")                                \
    X(DV_ERR_ARGUMENT, -40, "an argument is invalid")                                              \
    X(DV_ERR_COPY, -41, "zero_copy_only is set, and a copy is needed")                             \
    X(DV_ERR_MEMORY, -50, "out of memory")                                                         \
    X(DV_ERR_LOSS, -60, "the format cannot hold the data, and the loss is not allowed")            \
    X(DV_ERR_STOPPED, -61, "stopped on request")

#define DV_STATUS_MEMBER(name, value, sentence) name = value,
typedef enum dv_status { DV_STATUS_LIST(DV_STATUS_MEMBER) } dv_status;
#undef DV_STATUS_MEMBER

/* Describes a failure.  The caller owns it (on the stack: `dv_error err = DV_ERROR_INIT;`); every
 * function accepts NULL instead.  A call writes it if and only if it returns a negative status:
 * DV_OK, DV_END and DV_NOT_FOUND leave it unchanged.  All text is printable UTF-8, NUL-terminated;
 * other characters in names from a file are escaped, and text that is too long is cut.  More in
 * docs/errors.md. */
typedef struct dv_error {
    dv_status status;
    int32_t os_code; /* DV_ERR_IO: errno, or 0; else 0 */
    int64_t offset;  /* in the file: of the first wrong byte, or of the stored block if that byte is
                        in compressed data; -1: no single byte is wrong */
    char file[64];   /* the end of the path, or "" */
    char rule[32];   /* the rule that is violated, "idv:L4", or the option that sets the limit;
                        or "" */
    char expected[64], found[64];
    char message[320]; /* all of the above in one line */
} dv_error;

#define DV_ERROR_INIT                                                                              \
    {                                                                                              \
        DV_OK, 0, -1, "", "", "", "", ""                                                           \
    }

/* Write why a function of yours fails that the library calls: in a view (own_view.h), a step
 * (step.h) or a source (source.h).  Returns the status.  Any thread.
 *
 * status   below 0
 * message  a sentence of UTF-8 without a full stop; cut if it is too long */
DV_API dv_status dv_error_set(dv_error *err, dv_status status, const char *message);

/* How a long call reports its progress and can be stopped: the member `progress` of its options.
 *
 * report  called in the thread of the caller before the first row, after the last one, and at least
 *         once per block or batch in between.  done and total count rows, or another unit if the
 *         option says so; total is -1 while it is unknown.  Return false to stop: the call then
 *         returns DV_ERR_STOPPED.  NULL: no reports
 * ctx     the caller's; passed to report
 */
typedef struct dv_progress {
    bool (*report)(void *ctx, int64_t done, int64_t total);
    void *ctx;
} dv_progress;

/* The name of a status, "DV_ERR_IO", and its sentence, "a system call failed".  Static text; "?" if
 * the number is not a status.  Any thread. */
DV_API const char *dv_status_name(dv_status status);
DV_API const char *dv_status_sentence(dv_status status);

#ifdef __cplusplus
}
#endif

#endif
