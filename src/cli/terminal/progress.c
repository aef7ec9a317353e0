/* SPDX-License-Identifier: MIT */
/* progress.c: writes and clears the progress line. */
#include "cli/terminal/progress.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/rate.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define QUIET_SECONDS 1.0
#define STEP_SECONDS 0.1 /* between two updates of the line */
#define LINE_SECONDS 1.0 /* between two lines without a terminal */

void dvi_progress_start(dvi_progress *progress, bool is_forced, bool is_quiet)
{
    *progress = (dvi_progress){.is_forced = is_forced};
    progress->is_terminal = isatty(STDERR_FILENO) == 1;
    progress->is_wanted = is_forced || (progress->is_terminal && !is_quiet);
    progress->started = dvi_rate_clock();
}

/* Whether an update is due at that time. */
static bool is_due(const dvi_progress *progress, double at)
{
    const double step = progress->is_terminal ? STEP_SECONDS : LINE_SECONDS;
    if (progress->reported > 0)
        return at - progress->reported > step;
    return progress->is_forced || at - progress->started > QUIET_SECONDS;
}

/* Seconds since the start if an update is due, else 0. */
static double seconds_when_due(const dvi_progress *progress)
{
    const double at = progress->is_wanted ? dvi_rate_clock() : 0;
    return progress->is_wanted && is_due(progress, at) ? at - progress->started : 0;
}

static void report(dvi_progress *progress, const char *line)
{
    progress->reported = dvi_rate_clock();
    progress->is_shown = progress->is_terminal;
    dvi_interrupt_line(progress->is_shown);
    if (progress->is_terminal)
        dprintf(STDERR_FILENO, "\r%s\x1b[K", line);
    else
        dprintf(STDERR_FILENO, "%s\n", line);
}

static void report_share(dvi_progress *progress, double share, double past, const char *rate)
{
    char line[192];
    snprintf(line, sizeof line, "%3.0f %%, %s, %.0f s left", 100 * share, rate,
             past * (1 - share) / share);
    report(progress, line);
}

void dvi_progress_bytes(dvi_progress *progress, double share, int64_t nbytes)
{
    const double past = seconds_when_due(progress);
    char rate[DVI_RATE_CAP];
    if (past > 0 && share > 0 && share <= 1)
        report_share(progress, share, past,
                     dvi_rate_text(rate, (double)nbytes * share / past, "B"));
}

void dvi_progress_table(dvi_progress *progress, int64_t done, int64_t all, int64_t nbytes)
{
    const double past = seconds_when_due(progress);
    char rate[DVI_RATE_CAP], line[128];
    if (past <= 0 || (done <= 0 && past < QUIET_SECONDS))
        return;
    if (done <= 0) { /* a sign of life while the first block is made */
        snprintf(line, sizeof line, "0 rows after %.0f s", past);
        report(progress, line);
        return;
    }
    dvi_rate_text(rate, (double)done / past, "rows");
    const int n =
        snprintf(line, sizeof line, "%" PRId64 " row%s, %s", done, done == 1 ? "" : "s", rate);
    if (all < done) {
        report(progress, line);
        return;
    }
    const double share = (double)done / (double)all;
    if (nbytes > 0)
        snprintf(line + n, sizeof line - (size_t)n, ", %s",
                 dvi_rate_text(rate, (double)nbytes * share / past, "B"));
    report_share(progress, share, past, line);
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
