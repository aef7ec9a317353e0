/* SPDX-License-Identifier: MIT */
/* stats_report.h: turns the summary of a column into its statistics. */
#ifndef DVI_VIEW_STATS_REPORT_H
#define DVI_VIEW_STATS_REPORT_H

#include "base/arena.h"
#include "stats/stats_column.h"

/* The column must have ended, and can only be reset afterwards.  The arena owns what `top` points
 * to. */
dv_status dvi_stats_report(dv_column_stats *stats_out, dvi_stats_column *column, dvi_arena *arena,
                           dv_error *err);

#endif
