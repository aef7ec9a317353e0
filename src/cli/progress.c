/* SPDX-License-Identifier: MIT */
/* progress.c: a line that rewrites itself. */
#include "cli/progress.h"
#include "cli/args.h"
#include "cli/interrupt.h"
#include "cli/rate.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define QUIET_SECONDS 1.0
#define STEP_SECONDS 0.1 /* between two states of the line */
#define LINE_SECONDS 1.0 /* between two lines, where it is no terminal */

void dvi_progress_start(dvi_progress *progress, const dvi_args *args)
{
    *progress = (dvi_progress){.is_forced = args->progress};
    progress->is_terminal = isatty(STDERR_FILENO) == 1;
    progress->is_wanted = args->progress || (progress->is_terminal && !args->quiet);
    progress->started = dvi_rate_clock();
}

/* Is there something to be said at that time? */
static bool is_due(const dvi_progress *progress, double at)
{
    const double step = progress->is_terminal ? STEP_SECONDS : LINE_SECONDS;
    if (progress->told > 0)
        return at - progress->told > step;
    return progress->is_forced || at - progress->started > QUIET_SECONDS;
}

/* Seconds since the start when there is something to be said, else 0. */
static double seconds_when_due(const dvi_progress *progress)
{
    const double at = progress->is_wanted ? dvi_rate_clock() : 0;
    return progress->is_wanted && is_due(progress, at) ? at - progress->started : 0;
}

static void tell(dvi_progress *progress, const char *line)
{
    progress->told = dvi_rate_clock();
    progress->is_shown = progress->is_terminal;
    dvi_interrupt_line(progress->is_shown);
    if (progress->is_terminal)
        dprintf(STDERR_FILENO, "\r%s\x1b[K", line);
    else
        dprintf(STDERR_FILENO, "%s\n", line);
}

static void tell_share(dvi_progress *progress, double share, double past, const char *rate)
{
    char line[192];
    snprintf(line, sizeof line, "%3.0f %%, %s, %.0f s left", 100 * share, rate,
             past * (1 - share) / share);
    tell(progress, line);
}

void dvi_progress_bytes(dvi_progress *progress, double share, int64_t nbytes)
{
    const double past = seconds_when_due(progress);
    char rate[DVI_RATE_CAP];
    if (past > 0 && share > 0 && share <= 1)
        tell_share(progress, share, past, dvi_rate_text(rate, (double)nbytes * share / past, "B"));
}

void dvi_progress_table(dvi_progress *progress, int64_t done, int64_t all, int64_t nbytes)
{
    const double past = seconds_when_due(progress);
    char rate[DVI_RATE_CAP], line[128];
    if (past <= 0 || done <= 0)
        return;
    dvi_rate_text(rate, (double)done / past, "rows");
    const int n = snprintf(line, sizeof line, "%" PRId64 " rows, %s", done, rate);
    if (all < done) {
        tell(progress, line);
        return;
    }
    const double share = (double)done / (double)all;
    if (nbytes > 0)
        snprintf(line + n, sizeof line - (size_t)n, ", %s",
                 dvi_rate_text(rate, (double)nbytes * share / past, "B"));
    tell_share(progress, share, past, line);
}

void dvi_progress_rows(dvi_progress *progress, int64_t done, int64_t all)
{
    dvi_progress_table(progress, done, all, -1);
}

void dvi_progress_clear(dvi_progress *progress)
{
    if (progress->is_shown)
        dprintf(STDERR_FILENO, DVI_PROGRESS_CLEAR);
    progress->is_shown = false;
    dvi_interrupt_line(false);
}
