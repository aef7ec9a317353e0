/* SPDX-License-Identifier: MIT */
/* stats_plan.h: plans which columns are summarised together, and which rows are a run.
 *
 * The plan affects time and memory only, never the result. */
#ifndef DVI_VIEW_STATS_PLAN_H
#define DVI_VIEW_STATS_PLAN_H

#include <dataview/stats.h>

/* What has a summary: a column, or one slot of it. */
typedef struct dvi_stats_part {
    int32_t place; /* of the column in `columns` of the plan */
    int32_t slot;  /* -1: the whole column */
} dvi_stats_part;

typedef struct dvi_stats_plan {
    dv_allocator allocator;
    const dv_schema *schema;
    dv_cursor_options cursor; /* checked */
    int32_t *columns, columns_count;
    dvi_stats_part *parts; /* in the order of the columns, and of their slots */
    int32_t count;         /* of parts */
    int64_t first, end;    /* the rows; end INT64_MAX: unknown */
    int32_t threads;       /* at least 1 */
    bool is_in_order;     /* a row costs reading all rows before it: no runs, and no groups below */
    int64_t span, spans;  /* rows of a run, a power of two of leaves; number of runs */
    int32_t *group_start; /* first part of each group: groups + 1 numbers */
    int32_t groups, group_most;
    int64_t window; /* runs summarised at once */
} dvi_stats_plan;

/* Free it in any case.  DV_OK, DV_ERR_ARGUMENT, DV_ERR_MEMORY. */
dv_status dvi_stats_plan_make(dvi_stats_plan *plan_out, dv_view *view,
                              const dv_stats_options *options, dv_error *err);
void dvi_stats_plan_free(dvi_stats_plan *plan);

/* Of part k: the column, and its type. */
int32_t dvi_stats_plan_column(const dvi_stats_plan *plan, int32_t k);
const dv_type *dvi_stats_plan_type(const dvi_stats_plan *plan, int32_t k);
/* How many of the parts k to end - 1 are of the same column as k. */
int32_t dvi_stats_plan_same(const dvi_stats_plan *plan, int32_t k, int32_t end);
/* Let the cursor read the columns of n parts from `first` on. */
void dvi_stats_plan_read(const dvi_stats_plan *plan, int32_t first, int32_t n,
                         dv_cursor_options *options);

#endif
