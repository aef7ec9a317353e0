/* SPDX-License-Identifier: MIT */
/* stats_group.h: the summaries of consecutive parts of a plan, which see the same rows. */
#ifndef DVI_STATS_STATS_GROUP_H
#define DVI_STATS_STATS_GROUP_H

#include "base/arena.h"
#include "stats/stats_column.h"
#include "stats/stats_plan.h"

/* Counts the bytes of one summary. */
typedef struct dvi_stats_meter {
    const dv_allocator *own;
    int64_t used;
} dvi_stats_meter;

/* Start from {0}. */
typedef struct dvi_stats_group {
    const dvi_stats_plan *plan;
    int32_t first, n, room;   /* parts of the plan */
    dvi_stats_column *column; /* NULL: not made yet */
    dvi_stats_meter *meter;   /* one for each column, if they are counted */
} dvi_stats_group;

/* Make summaries of n parts from `first` on. Free them in any case. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_stats_group_make(dvi_stats_group *group, const dvi_stats_plan *plan, int32_t first,
                               int32_t n, bool is_counted, dv_error *err);
void dvi_stats_group_free(dvi_stats_group *group);
/* Make them the summaries of no rows of other parts, no more than before. */
void dvi_stats_group_reset(dvi_stats_group *group, int32_t first, int32_t n);

/* The first summary after k that is of another column of the view; and the same from k on, if not k
 * itself begins a column. */
int32_t dvi_stats_group_next(const dvi_stats_group *group, int32_t k);
int32_t dvi_stats_group_start(const dvi_stats_group *group, int32_t k);
/* Add a batch to the summaries k to end - 1, which are all of those of some columns. The batch has
 * the columns that dvi_stats_group_read chose. */
dv_status dvi_stats_group_add(dvi_stats_group *group, int32_t k, int32_t end, const dv_batch *batch,
                              dv_error *err);
void dvi_stats_group_read(const dvi_stats_group *group, dv_cursor_options *options);

/* Add the rows that follow. */
dv_status dvi_stats_group_absorb(dvi_stats_group *group, dvi_stats_group *next, dv_error *err);
/* End the rows, and fill the group's statistics in the list of the plan. The arena owns what they
 * point to; the summaries free what they hold. */
dv_status dvi_stats_group_report(dvi_stats_group *group, dv_column_stats *stats, dvi_arena *arena,
                                 dv_error *err);

#endif
