/* SPDX-License-Identifier: MIT */
/* stats_in_order.h: summarises all columns of a view in one reading, as long as memory allows.
 *
 * For views whose rows cost reading all rows before them, such as text and filters: reading them
 * again for other columns costs as much as the first time. */
#ifndef DVI_VIEW_STATS_IN_ORDER_H
#define DVI_VIEW_STATS_IN_ORDER_H

#include "base/arena.h"
#include "stats/stats_plan.h"

/* Fill the statistics of the plan's columns.  The arena owns what they point to.  Statuses:
 * dv_stats_create. */
dv_status dvi_stats_read_in_order(const dvi_stats_plan *plan, dv_view *view,
                                  const dv_stats_options *options, dv_column_stats *stats,
                                  int64_t *rows_out, dvi_arena *arena, dv_error *err);

#endif
