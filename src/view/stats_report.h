/* SPDX-License-Identifier: MIT */
/* stats_report.h: what the summary of a column says. */
#ifndef DVI_VIEW_STATS_REPORT_H
#define DVI_VIEW_STATS_REPORT_H

#include "base/arena.h"
#include "view/stats_column.h"

/* Of a column whose rows are all there; it is only good to be reset afterwards.  What `top` points
 * to is the arena's. */
dv_status dvi_stats_report(dv_column_stats *stats_out, dvi_stats_column *column, dvi_arena *arena,
                           dv_error *err);

#endif
