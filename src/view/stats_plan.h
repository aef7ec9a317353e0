/* SPDX-License-Identifier: MIT */
/* stats_plan.h: which columns are summarised together, and which rows are one piece of work?
 *
 * None of it shows in the result: it is a matter of time and memory only. */
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
    int64_t span, spans;  /* rows of a run, a power of two of leaves; how many runs there are */
    int32_t *group_start; /* of columns: groups + 1 numbers */
    int32_t groups, group_most;
    int64_t window; /* runs in work at once */
} dvi_stats_plan;

/* To be freed in any case.  DV_OK, DV_ERR_ARGUMENT, DV_ERR_MEMORY. */
dv_status dvi_stats_plan_make(dvi_stats_plan *plan_out, dv_view *view,
                              const dv_stats_options *options, dv_error *err);
void dvi_stats_plan_free(dvi_stats_plan *plan);

#endif
