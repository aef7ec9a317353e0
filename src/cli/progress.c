/* SPDX-License-Identifier: MIT */
/* progress.c: a line that rewrites itself. */
#include "cli/progress.h"
#include "cli/amount.h"
#include "cli/rate.h"
#include <stdio.h>
#include <unistd.h>

#define QUIET_SECONDS 1.0
#define STEP_SECONDS 0.1

void dvi_progress_start(dvi_progress *progress, bool quiet)
{
    *progress = (dvi_progress){.is_wanted = !quiet && isatty(STDERR_FILENO) == 1};
    progress->started = progress->told = dvi_rate_clock();
}

void dvi_progress_step(dvi_progress *progress, double share, int64_t nbytes)
{
    const double at = progress->is_wanted ? dvi_rate_clock() : 0, past = at - progress->started;
    const bool is_due = past > QUIET_SECONDS && at - progress->told > STEP_SECONDS;
    if (!progress->is_wanted || !is_due || share <= 0 || share > 1)
        return;
    char rate[DVI_AMOUNT_CAP];
    dprintf(STDERR_FILENO, "\r%3.0f %%, %s/s, %.0f s left\x1b[K", 100 * share,
            dvi_amount_bytes(rate, (int64_t)((double)nbytes * share / past)),
            past * (1 - share) / share);
    progress->told = at;
    progress->is_shown = true;
}

void dvi_progress_clear(dvi_progress *progress)
{
    if (progress->is_shown)
        dprintf(STDERR_FILENO, "\r\x1b[K");
    progress->is_shown = false;
}
