/* SPDX-License-Identifier: MIT */
/* stats_plan.c: chooses groups of columns that fit in memory, and runs of rows that keep threads
 * busy. */
#include "stats/stats_plan.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/size.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "scan/token.h"
#include "stats/stats_column.h"

#define SPAN_LEAST INT64_C(16384)   /* for small rows: makes merging cheap */
#define SPAN_WANTED INT64_C(262144) /* more rows do not make it cheaper */
#define RUN_VALUES 262144.0         /* for large rows: enough values for a run */
#define VARIES 16.0                 /* assumed slots of a vector of unknown length */
#define RUNS_PER_THREAD 8
#define RUNS_MOST (INT64_C(1) << 40) /* times a million columns is still a number */
#define PENDING_MOST INT64_C(16384)  /* of stats_distinct.c */
#define LISTS_NBYTES 2048.0          /* of the shortest lists of a column */

/* --- Parts ------------------------------------------------------------------------------------ */

int32_t dvi_stats_plan_column(const dvi_stats_plan *plan, int32_t k)
{
    return plan->columns[plan->parts[k].place];
}

const dv_type *dvi_stats_plan_type(const dvi_stats_plan *plan, int32_t k)
{
    return &dv_schema_column(plan->schema, dvi_stats_plan_column(plan, k))->type;
}

static bool has_slots(const dv_stats_options *options, int32_t column)
{
    for (int32_t i = 0; i < options->slot_columns_count; i++)
        if (options->slot_columns[i] == column)
            return true;
    return false;
}

/* Count the parts, and check that the columns with a summary per slot have slots. */
static dv_status count_parts(dvi_stats_plan *plan, const dv_stats_options *options, dv_error *err)
{
    int64_t slots = 0;
    int32_t found = 0;
    plan->count = plan->columns_count;
    for (int32_t i = 0; i < plan->columns_count && options->slot_columns_count > 0; i++) {
        const dv_column_info *info = dv_schema_column(plan->schema, plan->columns[i]);
        if (!has_slots(options, plan->columns[i]))
            continue;
        if (!dv_type_is_vector(&info->type) || info->type.size == 0)
            return dvi_fail_argument(err, "slot_columns: column \"%s\" is no vector of known size",
                                     dvi_show(info->name).text);
        slots += info->type.size;
        if (slots > DV_STATS_SLOTS_MOST)
            return dvi_fail_argument(err, "slot_columns have more than %d slots",
                                     DV_STATS_SLOTS_MOST);
        plan->count += info->type.size - 1;
        found++;
    }
    if (found < options->slot_columns_count)
        return dvi_fail_argument(err, "slot_columns has a column that is not among those to read");
    return DV_OK;
}

static dv_status make_parts(dvi_stats_plan *plan, const dv_stats_options *options, dv_error *err)
{
    void *made;
    int32_t n = 0;
    DVI_TRY(count_parts(plan, options, err));
    DVI_TRY(dvi_alloc(&plan->allocator, &made, (size_t)plan->count * sizeof *plan->parts, err));
    plan->parts = made;
    DVI_TRY(DVI_NEW(&plan->allocator, &plan->many, (size_t)plan->count, err));
    for (int32_t i = 0; i < plan->columns_count; i++) {
        const bool is_split = has_slots(options, plan->columns[i]);
        const dv_type *type = &dv_schema_column(plan->schema, plan->columns[i])->type;
        for (int32_t slot = 0; is_split && slot < type->size; slot++)
            plan->parts[n++] = (dvi_stats_part){i, slot};
        if (!is_split)
            plan->parts[n++] = (dvi_stats_part){i, -1};
    }
    return DV_OK;
}

/* The slots of a row of part k, for the sake of cost. */
static double slots_of(const dvi_stats_plan *plan, int32_t k, double unknown)
{
    const dv_type *type = dvi_stats_plan_type(plan, k);
    if (type->rank == 0 || plan->parts[k].slot >= 0)
        return 1;
    return type->size > 0 ? type->size : unknown;
}

/* --- Runs of rows ----------------------------------------------------------------------------- */

static bool is_in_place(const dv_column_view *view)
{
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        return view->as.fixed.values.is_borrowed;
    case DV_LAYOUT_ZONED:
        return view->as.zoned.ticks.is_borrowed;
    case DV_LAYOUT_VECTOR:
        return is_in_place(view->as.vector.items);
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
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    *rows_out = 0;
    options.columns = plan->columns;
    options.columns_count = 1;
    options.threads = 1;
    dv_error own = DV_ERROR_INIT;
    dv_status status = DV_OK;
    if (DVI_ATTEMPT("stats_plan.c find_block_rows",
                    (status = dv_cursor_open(&cursor, view, &options, &own)) == DV_OK &&
                        (status = dv_cursor_next(cursor, &batch, &own)) == DV_OK) &&
        !is_in_place(dv_batch_column(batch, 0)))
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
    for (int32_t k = 0; k < plan->count; k++)
        values += slots_of(plan, k, VARIES);
    while (span > DVI_LEAF_ROWS && (double)span * values > RUN_VALUES)
        span /= 2;
    return span;
}

static dv_status choose_span(dvi_stats_plan *plan, dv_view *view, dv_error *err)
{
    const int64_t rows = plan->end - plan->first;
    plan->span = INT64_MAX;
    plan->spans = 1;
    if (plan->is_in_order)
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

/* The most memory that the summary of a column takes after so many rows; a double cannot wrap.  It
 * follows the number of values, so that a file of many columns and few rows is one group. */
static double cost_of(const dvi_stats_plan *plan, int32_t k, double rows,
                      const dv_stats_options *options)
{
    const dv_type *type = dvi_stats_plan_type(plan, k);
    const double values = rows * slots_of(plan, k, INT32_MAX);
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
    const double leaf = values < (double)DVI_LEAF_PENDING ? values : (double)DVI_LEAF_PENDING;
    const double registers = values > distinct ? (double)DVI_DISTINCT_REGISTERS : 0;
    return (double)sizeof(dvi_stats_column) + LISTS_NBYTES + registers + 2 * 8 * leaf + 2 * tree +
           entry * 2 * entries + 2 * pending * (entry + 4);
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
        const double cost =
            cost_of(plan, k, rows, options) + (double)window * cost_of(plan, k, run, options);
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
    plan->exact_values = (size_t)options->exact_values;
    plan->exact_distinct = (size_t)options->exact_distinct;
    dvi_position position;
    DVI_TRY(dvi_cursor_read_options(options->cursor, &plan->cursor, err));
    plan->cursor.progress = (dv_progress){NULL, NULL}; /* stats report in their own way */
    DVI_TRY(dvi_token_apply(&position, &plan->cursor, view, err));
    DVI_TRY(dvi_cursor_read_columns(plan->schema, &plan->cursor, &plan->allocator, &plan->columns,
                                    &plan->columns_count, err));
    DVI_TRY(make_parts(plan, options, err));
    dvi_cursor_read_rows(view, &plan->cursor, &plan->first, &plan->end);
    plan->threads = dvi_cursor_read_threads(&plan->cursor);
    plan->is_in_order = plan->end == INT64_MAX || dv_view_block_rows(view) == 0;
    DVI_TRY(choose_span(plan, view, err));
    return plan->is_in_order ? DV_OK : make_groups(plan, options, err);
}

void dvi_stats_plan_free(dvi_stats_plan *plan)
{
    dvi_free(&plan->allocator, plan->columns, (size_t)plan->columns_count * sizeof *plan->columns);
    dvi_free(&plan->allocator, plan->many, (size_t)plan->count * sizeof *plan->many);
    dvi_free(&plan->allocator, plan->parts, (size_t)plan->count * sizeof *plan->parts);
    dvi_free(&plan->allocator, plan->group_start,
             ((size_t)plan->count + 2) * sizeof *plan->group_start);
    *plan = (dvi_stats_plan){0};
}
