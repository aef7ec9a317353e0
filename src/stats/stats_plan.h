/* SPDX-License-Identifier: MIT */
/* stats_plan.h: plans which columns are summarised together, and which rows are a run.
 *
 * The plan affects time and memory only, never the result. */
#ifndef DVI_VIEW_STATS_PLAN_H
#define DVI_VIEW_STATS_PLAN_H

#include <dataview/stats.h>
#include <stdatomic.h>

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
    size_t exact_values, exact_distinct;
    atomic_bool *many;    /* per part: more values than exact_distinct */
    int64_t first, end;   /* the rows; end INT64_MAX: unknown */
    int32_t threads;      /* at least 1 */
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

#endif
