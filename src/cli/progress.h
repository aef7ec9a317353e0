/* SPDX-License-Identifier: MIT */
/* progress.h: how far is a long piece of work? */
#ifndef DVI_CLI_PROGRESS_H
#define DVI_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* A line on standard error: only when that is a terminal, and the work takes over a second. */
typedef struct dvi_progress {
    bool is_wanted, is_shown;
    double started, told; /* seconds */
} dvi_progress;

void dvi_progress_start(dvi_progress *progress, bool quiet);
/* share: 0 to 1 of so many bytes. */
void dvi_progress_step(dvi_progress *progress, double share, int64_t nbytes);

/* Take the line away, before anything else is written to the terminal. */
void dvi_progress_clear(dvi_progress *progress);

#endif
