/* SPDX-License-Identifier: MIT */
/* progress.h: the progress line on standard error. */
#ifndef DVI_CLI_PROGRESS_H
#define DVI_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define DVI_PROGRESS_CLEAR "\r\x1b[K"

/* A line that is rewritten in place, if standard error is a terminal and the work takes over a
 * second.  With --progress it appears at once, and if standard error is not a terminal, as a new
 * line each second. */
typedef struct dvi_progress {
    bool is_wanted, is_forced, is_terminal, is_shown;
    double started, reported; /* seconds; reported 0: nothing yet */
} dvi_progress;

/* is_forced: from the first step on, also without a terminal; is_quiet: never. */
void dvi_progress_start(dvi_progress *progress, bool is_forced, bool is_quiet);

/* Report a share, 0 to 1, of nbytes. */
void dvi_progress_bytes(dvi_progress *progress, double share, int64_t nbytes);

/* Report rows done of all rows; all -1: unknown. */
void dvi_progress_rows(dvi_progress *progress, int64_t done, int64_t all);

/* The same for files of nbytes in all (-1: unknown). */
void dvi_progress_table(dvi_progress *progress, int64_t done, int64_t all, int64_t nbytes);

/* Clear the line, before anything else is written to the terminal. */
void dvi_progress_clear(dvi_progress *progress);

#endif
