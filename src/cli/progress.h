/* SPDX-License-Identifier: MIT */
/* progress.h: how far is a long piece of work? */
#ifndef DVI_CLI_PROGRESS_H
#define DVI_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dvi_args dvi_args;

#define DVI_PROGRESS_CLEAR "\r\x1b[K"

/* A line on standard error that rewrites itself: only when that is a terminal, and the work takes
 * over a second.  With --progress from the first step on, and where it is no terminal a line after
 * the other. */
typedef struct dvi_progress {
    bool is_wanted, is_forced, is_terminal, is_shown;
    double started, told; /* seconds; told 0: nothing yet */
} dvi_progress;

void dvi_progress_start(dvi_progress *progress, const dvi_args *args);

/* share: 0 to 1 of so many bytes. */
void dvi_progress_bytes(dvi_progress *progress, double share, int64_t nbytes);

/* So many rows of all are done; all -1: unknown. */
void dvi_progress_rows(dvi_progress *progress, int64_t done, int64_t all);

/* The same, of files of so many bytes together (-1: unknown). */
void dvi_progress_table(dvi_progress *progress, int64_t done, int64_t all, int64_t nbytes);

/* Take the line away, before anything else is written to the terminal. */
void dvi_progress_clear(dvi_progress *progress);

#endif
