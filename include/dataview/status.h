/* SPDX-License-Identifier: MIT */
/* status.h: what can a call answer, and what does a failure blame? */
#ifndef DATAVIEW_STATUS_H
#define DATAVIEW_STATUS_H

#include <dataview/version.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every status: name, value, sentence.  Not negative: no error.  Families have gaps: -10 the
 * system, -20 the bytes, -30 limits, -40 the caller, -50 memory, -60 saving. */
#define DV_STATUS_LIST(X)                                                                          \
    X(DV_OK, 0, "done")                                                                            \
    X(DV_END, 1, "no more rows")                                                                   \
    X(DV_NOT_FOUND, 2, "nothing of that name")                                                     \
    X(DV_ERR_IO, -10, "the system refused")                                                        \
    X(DV_ERR_CORRUPT, -20, "the bytes break the format")                                           \
    X(DV_ERR_UNSUPPORTED, -21, "the bytes may be valid, but not for this version")                 \
    X(DV_ERR_LIMIT, -30, "beyond a limit that an option sets")                                     \
    X(DV_ERR_ARGUMENT, -40, "the caller asked for what cannot be")                                 \
    X(DV_ERR_COPY, -41, "zero_copy_only was asked for, and a copy is needed")                      \
    X(DV_ERR_MEMORY, -50, "out of memory")                                                         \
    X(DV_ERR_LOSS, -60, "the format cannot hold it, and the loss was not allowed")                 \
    X(DV_ERR_STOPPED, -61, "stopped on request")

#define DV_STATUS_MEMBER(name, value, sentence) name = value,
typedef enum dv_status { DV_STATUS_LIST(DV_STATUS_MEMBER) } dv_status;
#undef DV_STATUS_MEMBER

/* Describes a failure.  The caller owns it (on the stack: `dv_error err = DV_ERROR_INIT;`), and
 * every function accepts NULL for it.  A call writes it if and only if it returns a negative
 * status: DV_OK, DV_END and DV_NOT_FOUND leave it as it was.  All text is UTF-8, printable (other
 * characters of a file's names are escaped) and NUL-terminated; text that is too long is cut. */
typedef struct dv_error {
    dv_status status;
    int32_t os_code; /* errno behind DV_ERR_IO, else 0 */
    int64_t offset;  /* of the first wrong byte in the file, or -1; of its block, when inflated */
    char file[64];   /* the end of the path, or "" */
    char rule[32];   /* what was broken, as docs/errors.md says: "idv:L4"; or "" */
    char expected[64], found[64];
    char message[320]; /* all of it as one line */
} dv_error;

#define DV_ERROR_INIT                                                                              \
    {                                                                                              \
        DV_OK, 0, -1, "", "", "", "", ""                                                           \
    }

/* How a call that can last reports what it has done, and how it is stopped.  A member `progress` of
 * its options.
 *
 * report  called in the thread that calls, before the first row, after the last, and at least once
 *         per block or batch in between: `done` of `total` rows (or of another unit, where a header
 *         says so); total is -1 while it is unknown.  false: the call stops and returns
 *         DV_ERR_STOPPED.  NULL: nothing is reported
 * ctx     the caller's; passed to report
 */
typedef struct dv_progress {
    bool (*report)(void *ctx, int64_t done, int64_t total);
    void *ctx;
} dv_progress;

/* "DV_ERR_IO" and "the system refused": static text; "?" for a number that is no status. */
DV_API const char *dv_status_name(dv_status status);
DV_API const char *dv_status_sentence(dv_status status);

#ifdef __cplusplus
}
#endif

#endif
