/* SPDX-License-Identifier: MIT */
/* stats_plan.c: chooses groups of columns that fit in memory, and runs of rows that keep threads
 * busy. */
#include "stats/stats_plan.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/cursor.h"
#include "view/token.h"
#include "view/view.h"
#include "stats/stats_column.h"

#define SPAN_LEAST INT64_C(16384)   /* for small rows: makes merging cheap */
#define SPAN_WANTED INT64_C(262144) /* more rows do not make it cheaper */
#define RUN_VALUES 262144.0         /* for large rows: enough values for a run */
#define VARIES 16.0                 /* assumed slots of a vector of unknown length */
#define RUNS_PER_THREAD 8
#define RUNS_MOST (INT64_C(1) << 40) /* times a million columns is still a number */
#define PENDING_MOST INT64_C(16384)  /* of stats_distinct.c */

/* --- Runs of rows ----------------------------------------------------------------------------- */

static bool is_in_place(const dv_column_view *view)
{
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        return view->as.fixed.values.is_borrowed;
    case DV_LAYOUT_ZONED:
        return view->as.zoned.ticks.is_borrowed;
    case DV_LAYOUT_VECTOR:
        return view->as.vector.counts.is_borrowed;
    default:
        return view->as.text.utf8.is_borrowed;
    }
}

/* The number of rows decoded together, from the first block of the first column; 0: none, or
 * unknown.  A defect of that block is reported when it is read in its run. */
static dv_status find_block_rows(const dvi_stats_plan *plan, dv_view *view, int64_t *rows_out,
                                 dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    *rows_out = 0;
    options.columns = plan->columns;
    options.columns_count = 1;
    options.threads = 1;
    dv_error own = DV_ERROR_INIT;
    dv_status status = dv_cursor_open(&cursor, view, &options, &own);
    if (status == DV_OK)
        status = dv_cursor_next(cursor, &batch, &own);
    if (status == DV_OK && !is_in_place(dv_batch_column(batch, 0)))
        *rows_out = batch->rows;
    dv_cursor_close(&cursor);
    if (status == DV_ERR_MEMORY && err)
        *err = own;
    return status == DV_ERR_MEMORY ? status : DV_OK;
}

/* Let few blocks, or none, be decoded for two runs. */
static int64_t fit_blocks(int64_t span, int64_t block, int64_t first)
{
    const int64_t most = INT64_C(1) << 60;
    while (span < block && span < most)
        span *= 2;
    if (block > 0 && (span % block != 0 || first % block != 0))
        while (span / 8 < block && span < most)
            span *= 2;
    return span;
}

static int64_t least_span(const dvi_stats_plan *plan)
{
    int64_t span = SPAN_LEAST;
    double values = 0; /* of a row */
    for (int32_t k = 0; k < plan->count; k++) {
        const dv_type *type = &dv_schema_column(plan->schema, plan->columns[k])->type;
        values += type->rank == 0 ? 1 : type->size > 0 ? type->size : VARIES;
    }
    while (span > DVI_LEAF_ROWS && (double)span * values > RUN_VALUES)
        span /= 2;
    return span;
}

static dv_status choose_span(dvi_stats_plan *plan, dv_view *view, dv_error *err)
{
    const int64_t rows = plan->end - plan->first;
    plan->span = INT64_MAX;
    plan->spans = 1;
    if (plan->end == INT64_MAX)
        return DV_OK;
    int64_t span = least_span(plan), block = 0;
    while (span < SPAN_WANTED && rows / span > RUNS_PER_THREAD * (int64_t)plan->threads)
        span *= 2;
    while (rows / span > RUNS_MOST)
        span *= 2;
    if (rows > span && plan->count > 0)
        DVI_TRY(find_block_rows(plan, view, &block, err));
    plan->span = fit_blocks(span, block, plan->first);
    plan->spans = rows / plan->span + (rows % plan->span != 0);
    return DV_OK;
}

/* --- Groups of columns ------------------------------------------------------------------------ */

/* The most memory that the summary of a column takes after so many rows; a double cannot wrap. */
static double cost_of(const dv_type *type, double rows, const dv_stats_options *options)
{
    const double slots = type->rank == 0 ? 1 : type->size > 0 ? type->size : INT32_MAX;
    const double values = rows * slots;
    const double exact = (double)options->exact_values, distinct = (double)options->exact_distinct;
    double levels = 2, tree = 8 * values, entries = values < distinct ? values : distinct;
    for (double n = (double)DVI_LEAF_ROWS; n < rows; n *= 2)
        levels++;
    if (values > levels * exact)
        tree = 8 * levels * exact;
    if (values > exact)
        tree += 8.0 * (double)DVI_RANKS_KEPT * (levels + 2);
    const bool is_text = type->kind == DV_KIND_TX || type->kind == DV_KIND_BY;
    const double entry = (double)(sizeof(dvi_entry) + (is_text ? sizeof(dvi_tail) : 0));
    const double pending = values < (double)PENDING_MOST ? values : (double)PENDING_MOST;
    return (double)(sizeof(dvi_stats_column) + DVI_DISTINCT_REGISTERS) + 8.0 * DVI_LEAF_PENDING +
           2 * tree + entry * 2 * entries + 2 * pending * (entry + 4);
}

/* Put as many columns into a group as fit, in order, if `window` runs are summarised at once; at
 * least one. */
static void cut_groups(dvi_stats_plan *plan, const dv_stats_options *options, int64_t window)
{
    const double rows = (double)(plan->end - plan->first);
    const double run = rows < (double)plan->span ? rows : (double)plan->span;
    double used = 0;
    plan->groups = 0;
    for (int32_t k = 0; k < plan->count; k++) {
        const dv_type *type = &dv_schema_column(plan->schema, plan->columns[k])->type;
        const double cost =
            cost_of(type, rows, options) + (double)window * cost_of(type, run, options);
        if (k > plan->group_start[plan->groups] && used + cost > (double)options->memory_nbytes) {
            plan->group_start[++plan->groups] = k;
            used = 0;
        }
        used += cost;
    }
    plan->group_start[++plan->groups] = plan->count;
}

static dv_status make_groups(dvi_stats_plan *plan, const dv_stats_options *options, dv_error *err)
{
    void *made;
    const int64_t most = (int64_t)plan->threads + 1;
    const size_t n = (size_t)plan->count + 2;
    DVI_TRY(dvi_alloc_zeroed(&plan->allocator, &made, n * sizeof *plan->group_start, err));
    plan->group_start = made;
    cut_groups(plan, options, dvi_min_i64(most, plan->spans));
    if (plan->groups > 1)
        cut_groups(plan, options, most);
    plan->window = dvi_max_i64(dvi_min_i64(most, plan->spans * plan->groups), 1);
    for (int32_t g = 0; g < plan->groups; g++) {
        const int32_t size = plan->group_start[g + 1] - plan->group_start[g];
        plan->group_most = size > plan->group_most ? size : plan->group_most;
    }
    return DV_OK;
}

dv_status dvi_stats_plan_make(dvi_stats_plan *plan, dv_view *view, const dv_stats_options *options,
                              dv_error *err)
{
    *plan =
        (dvi_stats_plan){.allocator = *dvi_view_allocator(view), .schema = dv_view_schema(view)};
    dvi_position position;
    DVI_TRY(dvi_cursor_read_options(options->cursor, &plan->cursor, err));
    plan->cursor.progress = (dv_progress){NULL, NULL}; /* stats report in their own way */
    DVI_TRY(dvi_token_apply(&position, &plan->cursor, view, err));
    DVI_TRY(dvi_cursor_read_columns(plan->schema, &plan->cursor, &plan->allocator, &plan->columns,
                                    &plan->count, err));
    dvi_cursor_read_rows(view, &plan->cursor, &plan->first, &plan->end);
    plan->threads = dvi_cursor_read_threads(&plan->cursor);
    DVI_TRY(choose_span(plan, view, err));
    return make_groups(plan, options, err);
}

void dvi_stats_plan_free(dvi_stats_plan *plan)
{
    dvi_free(&plan->allocator, plan->columns, (size_t)plan->count * sizeof *plan->columns);
    dvi_free(&plan->allocator, plan->group_start,
             ((size_t)plan->count + 2) * sizeof *plan->group_start);
    *plan = (dvi_stats_plan){0};
}
