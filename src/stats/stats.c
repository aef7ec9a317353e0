/* SPDX-License-Identifier: MIT */
/* stats.c: summarises parts of the rows with several threads, and merges them in order.
 *
 * The rows are read once for each group of columns, whose summaries fit in memory. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "view/view.h"
#include "scan/row_parts.h"
#include "stats/stats_group.h"
#include "stats/stats_in_order.h"

/* Statistics with the memory that they point to. */
typedef struct result {
    dv_stats shown;
    dv_allocator allocator;
    dvi_arena arena;
    dv_column_stats *column;
} result;

typedef struct work {
    dv_view *view;
    dvi_stats_plan plan;
    result *result;
    dvi_stats_group total; /* merged so far, in a pass */
    int64_t parts;         /* in each pass */
} work;

/* --- Groups of columns, each in a pass -------------------------------------------------------- */

static int32_t group_size(const work *w, int64_t group)
{
    return w->plan.group_start[group + 1] - w->plan.group_start[group];
}

static void choose(void *ctx, int64_t group, dv_cursor_options *options)
{
    const work *w = ctx;
    const dvi_stats_group read = {
        .plan = &w->plan, .first = w->plan.group_start[group], .n = group_size(w, group)};
    dvi_stats_group_read(&read, options);
    options->threads = w->parts * w->plan.groups > 1 ? 1 : w->plan.threads;
}

/* Make the summaries of a group, or use those again that were made for another one. */
static dv_status start(const work *w, dvi_stats_group *g, int64_t group, dv_error *err)
{
    if (!g->column)
        DVI_TRY(dvi_stats_group_make(g, &w->plan, 0, w->plan.group_most, false, err));
    dvi_stats_group_reset(g, w->plan.group_start[group], group_size(w, group));
    return DV_OK;
}

static dv_status begin_part(void *ctx, const dvi_row_part *part, dv_error *err)
{
    return start(ctx, part->place, part->pass, err);
}

static dv_status add_batch(void *ctx, const dvi_row_part *part, const dv_batch *batch, int64_t row,
                           dv_error *err)
{
    dvi_stats_group *g = part->place;
    (void)ctx;
    (void)row;
    return dvi_stats_group_add(g, 0, g->n, batch, err);
}

static dv_status merge_part(void *ctx, const dvi_row_part *part, dv_error *err)
{
    work *w = ctx;
    if (part->first == w->plan.first)
        DVI_TRY(start(w, &w->total, part->pass, err));
    DVI_TRY(dvi_stats_group_absorb(&w->total, part->place, err));
    if (part->end < w->plan.end)
        return DV_OK;
    return dvi_stats_group_report(&w->total, w->result->column, &w->result->arena, err);
}

static void free_place(void *ctx, void *place)
{
    (void)ctx;
    dvi_stats_group_free(place);
}

static dv_status read_in_groups(work *w, const dv_stats_options *options, dv_error *err)
{
    const dvi_stats_plan *plan = &w->plan;
    const dvi_row_parts parts = {.ctx = w,
                                 .view = w->view,
                                 .first = plan->first,
                                 .end = plan->end,
                                 .origin = plan->first,
                                 .part_rows = plan->span,
                                 .passes = plan->groups,
                                 .threads = plan->threads,
                                 .window = plan->window,
                                 .place_nbytes = sizeof(dvi_stats_group),
                                 .free_place = free_place,
                                 .choose = choose,
                                 .begin = begin_part,
                                 .add = add_batch,
                                 .take = merge_part,
                                 .progress = &options->progress,
                                 .reports_batches = true,
                                 .lost = "no statistics"};
    w->parts = dvi_row_parts_count(&parts);
    w->result->shown.rows = plan->end - plan->first;
    const dv_status status = dvi_row_parts_read(&parts, err);
    dvi_stats_group_free(&w->total);
    return status;
}

/* --- All columns ------------------------------------------------------------------------------ */

static dv_status make_plan(work *w, const dv_stats_options *options, dv_error *err)
{
    dvi_stats_plan *plan = &w->plan;
    void *made;
    DVI_TRY(dvi_stats_plan_make(plan, w->view, options, err));
    result *r = w->result;
    DVI_TRY(dvi_arena_alloc(&r->arena, &made, (size_t)plan->count * sizeof *r->column, err));
    r->column = made;
    r->shown = (dv_stats){.columns = plan->count, .column = r->column};
    return DV_OK;
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
    work w = {.view = view, .result = r};
    dv_status status = make_plan(&w, options, err);
    if (status == DV_OK)
        status = w.plan.is_in_order ? dvi_stats_read_in_order(&w.plan, view, options, r->column,
                                                              &r->shown.rows, &r->arena, err)
                                    : read_in_groups(&w, options, err);
    dvi_stats_plan_free(&w.plan);
    return status;
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
