/* SPDX-License-Identifier: MIT */
/* stats.c: summarises runs of rows with several threads, and merges them in the order of rows.
 *
 * Task number group * spans + run summarises the columns of a group in a run of rows, with its own
 * cursor; the caller merges the results of a group into its totals. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "view/view.h"
#include "scan/tasks.h"
#include "stats/stats_in_order.h"
#include "stats/stats_plan.h"
#include "stats/stats_report.h"

/* Statistics with the memory that they point to. */
typedef struct result {
    dv_stats shown;
    dv_allocator allocator;
    dvi_arena arena;
    dv_column_stats *column;
} result;

/* The result of a task. */
typedef struct summary {
    int64_t rows;
    dvi_stats_column *column; /* group_most of them; NULL: not made yet */
} summary;

typedef struct work {
    dv_view *view;
    const dv_stats_options *options;
    dvi_stats_plan plan;
    result *result;
    dvi_stats_column *total;       /* of the group being merged; group_most of them */
    atomic_bool *many;             /* per column of the plan: more than exact_distinct */
    atomic_int_fast64_t rows_done; /* over all groups */
    atomic_bool is_stopped;        /* by `progress` */
    dvi_tasks *tasks;
} work;

/* --- One run ---------------------------------------------------------------------------------- */

static int32_t group_size(const work *w, int64_t group)
{
    return w->plan.group_start[group + 1] - w->plan.group_start[group];
}

static dv_status make_columns(const work *w, dvi_stats_column **columns_out, dv_error *err)
{
    const dv_stats_options *options = w->options;
    const size_t n = (size_t)w->plan.group_most;
    void *made;
    DVI_TRY(dvi_alloc(&w->plan.allocator, &made, n * sizeof **columns_out, err));
    *columns_out = made;
    for (size_t k = 0; k < n; k++)
        dvi_stats_column_init(&(*columns_out)[k], dvi_stats_plan_type(&w->plan, (int32_t)k),
                              (size_t)options->exact_values, (size_t)options->exact_distinct,
                              &w->many[k], &w->plan.allocator);
    return DV_OK;
}

static void free_columns(const work *w, dvi_stats_column *columns)
{
    const size_t n = (size_t)w->plan.group_most;
    for (size_t k = 0; columns && k < n; k++)
        dvi_stats_column_free(&columns[k]);
    dvi_free(&w->plan.allocator, columns, n * sizeof *columns);
}

static void reset_columns(work *w, int64_t group, dvi_stats_column *column)
{
    const int32_t first = w->plan.group_start[group];
    for (int32_t k = 0; k < group_size(w, group); k++)
        dvi_stats_column_reset(&column[k], dvi_stats_plan_type(&w->plan, first + k),
                               &w->many[first + k]);
}

/* Caller's thread only; after a stop, progress is not reported again. */
static void report_progress(work *w)
{
    int64_t all;
    if (__builtin_mul_overflow(w->plan.end - w->plan.first, (int64_t)w->plan.groups, &all))
        all = INT64_MAX;
    if (w->options->progress.report && !atomic_load(&w->is_stopped) &&
        !w->options->progress.report(w->options->progress.ctx, atomic_load(&w->rows_done), all))
        atomic_store(&w->is_stopped, true);
}

static dv_cursor_options options_of(const work *w, int64_t group, int64_t run)
{
    const dvi_stats_plan *plan = &w->plan;
    dv_cursor_options options = plan->cursor;
    dvi_stats_plan_read(plan, plan->group_start[group], group_size(w, group), &options);
    options.first_row = plan->first + (run > 0 ? run * plan->span : 0);
    options.end_row = plan->end;
    if (plan->end - options.first_row > plan->span)
        options.end_row = options.first_row + plan->span;
    options.skip = 0;
    options.take = -1;
    options.ids = false;
    options.threads = plan->spans * plan->groups > 1 ? 1 : plan->threads;
    return options;
}

static dv_status add_batch(const work *w, summary *p, int64_t group, const dv_batch *batch,
                           dv_error *err)
{
    const dvi_stats_plan *plan = &w->plan;
    const int32_t first = plan->group_start[group], n = group_size(w, group);
    for (int32_t k = 0, same; k < n; k += same) {
        const dvi_stats_part *part = &plan->parts[first + k];
        const int32_t place = part->place - plan->parts[first].place;
        same = dvi_stats_plan_same(plan, first + k, first + n);
        DVI_TRY(dvi_stats_part_add(&p->column[k], same, part->slot, dv_batch_column(batch, place),
                                   err));
    }
    p->rows += batch->rows;
    return DV_OK;
}

static dv_status add_run(work *w, const dvi_task *task, int64_t group, dv_cursor *cursor,
                         dv_error *err)
{
    while (!dvi_task_is_unwanted(task)) {
        const dv_batch *batch;
        const dv_status status = dv_cursor_next(cursor, &batch, err);
        if (status == DV_END)
            return DV_OK;
        DVI_TRY(status);
        DVI_TRY(add_batch(w, task->place, group, batch, err));
        atomic_fetch_add(&w->rows_done, batch->rows);
        if (task->is_caller)
            report_progress(w);
        if (atomic_load(&w->is_stopped))
            return DV_END;
    }
    return DV_OK;
}

static dv_status summarise(void *ctx, const dvi_task *task, dv_error *err)
{
    work *w = ctx;
    summary *p = task->place;
    const int64_t group = task->number / w->plan.spans;
    const dv_cursor_options options = options_of(w, group, task->number % w->plan.spans);
    dv_cursor *cursor;
    p->rows = 0;
    if (!p->column)
        DVI_TRY(make_columns(w, &p->column, err));
    reset_columns(w, group, p->column);
    DVI_TRY(dv_cursor_open(&cursor, w->view, &options, err));
    dv_status status = add_run(w, task, group, cursor, err);
    dv_cursor_close(&cursor);
    if (status < 0) /* the task may run again */
        atomic_fetch_sub(&w->rows_done, p->rows);
    for (int32_t k = 0; status == DV_OK && k < group_size(w, group); k++)
        status = dvi_stats_column_end(&p->column[k], err);
    return status;
}

/* --- All runs --------------------------------------------------------------------------------- */

static dv_status merge_run(work *w, int64_t group, int64_t run, dv_error *err)
{
    const int64_t number = group * w->plan.spans + run;
    void *place;
    const dv_status status = dvi_tasks_take(w->tasks, number, &place, err);
    if (status != DV_OK)
        return status;
    summary *p = place;
    for (int32_t k = 0; k < group_size(w, group); k++)
        DVI_TRY(dvi_stats_column_absorb(&w->total[k], &p->column[k], err));
    w->result->shown.rows += group == 0 ? p->rows : 0;
    dvi_tasks_give_back(w->tasks, number + 1);
    report_progress(w);
    return atomic_load(&w->is_stopped) ? DV_END : DV_OK;
}

static dv_status merge_group(work *w, int64_t group, dv_error *err)
{
    reset_columns(w, group, w->total);
    for (int64_t run = 0; run < w->plan.spans; run++) {
        const dv_status status = merge_run(w, group, run, err);
        if (status != DV_OK)
            return status;
    }
    const int32_t first = w->plan.group_start[group];
    for (int32_t k = 0; k < group_size(w, group); k++) {
        dv_column_stats *stats = &w->result->column[first + k];
        stats->column = dvi_stats_plan_column(&w->plan, first + k);
        stats->slot = w->plan.parts[first + k].slot;
        DVI_TRY(dvi_stats_report(stats, &w->total[k], &w->result->arena, err));
    }
    return DV_OK;
}

static dv_status make_plan(work *w, dv_error *err)
{
    dvi_stats_plan *plan = &w->plan;
    void *made;
    DVI_TRY(dvi_stats_plan_make(plan, w->view, w->options, err));
    result *r = w->result;
    DVI_TRY(dvi_arena_alloc(&r->arena, &made, (size_t)plan->count * sizeof *r->column, err));
    r->column = made;
    r->shown = (dv_stats){.columns = plan->count, .column = r->column};
    return DV_OK;
}

static void free_summary(void *ctx, void *place)
{
    free_columns(ctx, ((summary *)place)->column);
}

static dv_status set_up(work *w, dv_error *err)
{
    const dvi_stats_plan *plan = &w->plan;
    const int64_t count = plan->spans * plan->groups;
    const dvi_tasks_how how = {.ctx = w,
                               .run = summarise,
                               .place_nbytes = sizeof(summary),
                               .free_place = free_summary,
                               .workers =
                                   (int32_t)dvi_max_i64(dvi_min_i64(plan->threads, count), 1) - 1,
                               .window = plan->window,
                               .count = count};
    DVI_TRY(DVI_NEW(&plan->allocator, &w->many, (size_t)plan->count, err));
    DVI_TRY(make_columns(w, &w->total, err));
    return dvi_tasks_create(&w->tasks, &how, &plan->allocator, err);
}

/* The plan stays. */
static void clean_up(work *w)
{
    dvi_tasks_free(&w->tasks);
    free_columns(w, w->total);
    dvi_free(&w->plan.allocator, w->many, (size_t)w->plan.count * sizeof *w->many);
}

static dv_status read_in_groups(work *w, dv_error *err)
{
    dv_status status = set_up(w, err);
    for (int64_t group = 0; status == DV_OK && group < w->plan.groups; group++)
        status = merge_group(w, group, err);
    clean_up(w);
    return status;
}

static dv_status read_options(const dv_stats_options *given, dv_stats_options *options,
                              dv_error *err)
{
    *options = (dv_stats_options)DV_STATS_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(options, sizeof *options, given, "DV_STATS_OPTIONS_INIT", err));
    if (options->slot_columns_count < 0)
        return dvi_fail_argument(err, "slot_columns_count of the statistics options is below 0");
    if (options->exact_values < 0 || options->exact_values > INT32_MAX ||
        options->exact_distinct < 0 || options->exact_distinct > INT32_MAX ||
        options->memory_nbytes < 0)
        return dvi_fail_argument(err, "a limit of the statistics options is outside 0..%d",
                                 INT32_MAX);
    return DV_OK;
}

static dv_status read_all(dv_view *view, const dv_stats_options *options, result *r, dv_error *err)
{
    work w = {.view = view, .options = options, .result = r};
    dv_status status = make_plan(&w, err);
    if (status == DV_OK)
        status = w.plan.is_in_order ? dvi_stats_read_in_order(&w.plan, view, options, r->column,
                                                              &r->shown.rows, &r->arena, err)
                                    : read_in_groups(&w, err);
    dvi_stats_plan_free(&w.plan);
    return status == DV_END
               ? dvi_fail(err, DV_ERR_STOPPED, "", -1, "no statistics", "stopped on request")
               : status;
}

dv_status dv_stats_create(dv_stats **stats_out, dv_view *view, const dv_stats_options *given,
                          dv_error *err)
{
    dv_stats_options options;
    void *made;
    *stats_out = NULL;
    DVI_TRY(read_options(given, &options, err));
    DVI_TRY(dvi_alloc_zeroed(dvi_view_allocator(view), &made, sizeof(result), err));
    result *r = made;
    r->allocator = *dvi_view_allocator(view);
    dvi_arena_init(&r->arena, &r->allocator);
    dv_stats *shown = &r->shown;
    const dv_status status = read_all(view, &options, r, err);
    if (status != DV_OK)
        dv_stats_free(&shown);
    *stats_out = shown;
    return status;
}

void dv_stats_free(dv_stats **stats)
{
    result *r = (result *)*stats;
    *stats = NULL;
    if (!r)
        return;
    const dv_allocator allocator = r->allocator;
    dvi_arena_free(&r->arena);
    dvi_free(&allocator, r, sizeof *r);
}
