/* SPDX-License-Identifier: MIT */
/* stats_plan.h: plans which columns are summarised together, and which rows are a run.
 *
 * The plan affects time and memory only, never the result. */
#ifndef DVI_VIEW_STATS_PLAN_H
#define DVI_VIEW_STATS_PLAN_H

#include <dataview/stats.h>

typedef struct dvi_stats_plan {
    dv_allocator allocator;
    const dv_schema *schema;
    dv_cursor_options cursor; /* checked */
    int32_t *columns, count;
    int64_t first, end;   /* the rows; end INT64_MAX: unknown */
    int32_t threads;      /* at least 1 */
    int64_t span, spans;  /* rows of a run, a power of two of leaves; number of runs */
    int32_t *group_start; /* first column of each group: groups + 1 numbers */
    int32_t groups, group_most;
    int64_t window; /* runs summarised at once */
} dvi_stats_plan;

/* Free it in any case.  DV_OK, DV_ERR_ARGUMENT, DV_ERR_MEMORY. */
dv_status dvi_stats_plan_make(dvi_stats_plan *plan_out, dv_view *view,
                              const dv_stats_options *options, dv_error *err);
void dvi_stats_plan_free(dvi_stats_plan *plan);

#endif
