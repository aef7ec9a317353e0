/* SPDX-License-Identifier: MIT */
/* stats_in_order.c: reads the rows once for all columns; if their summaries take more memory than
 * allowed, drops the last columns, which the next reading begins with.
 *
 * How much memory a summary takes depends on the values, so it is counted, not estimated: 50,000
 * columns of a few rows need little, whatever the number of rows could have been. */
#include "stats/stats_in_order.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "base/tasks.h"
#include "scan/read_batches.h"
#include "scan/row_parts.h"
#include "stats/stats_group.h"

#define SHARES_EACH 4               /* per thread: columns differ in cost */
#define DEALT_VALUES INT64_C(65536) /* fewer do not repay waking threads */

typedef struct reading {
    const dvi_stats_plan *plan;
    dv_view *view;
    const dv_stats_options *options;
    dvi_stats_group group; /* the columns that were not dropped */
    int64_t used;          /* bytes, when the columns were last counted */
    int64_t *counted;      /* bytes of each column, when it was last counted */
    int64_t rows;          /* in this reading */
    dvi_row_count progress;
    dvi_tasks *dealers; /* that add a batch, each to a share of the columns; NULL: there are none */
    int32_t shares;
    const dv_batch *batch; /* being dealt */
} reading;

/* --- Memory that is counted ------------------------------------------------------------------- */

/* Count what the summaries k to end - 1 hold, and drop columns from the end until the others fit;
 * one always stays. */
static void fit(reading *r, int32_t k, int32_t end)
{
    dvi_stats_group *g = &r->group;
    for (; k < end; k++) {
        r->used += g->meter[k].used - r->counted[k];
        r->counted[k] = g->meter[k].used;
    }
    while (g->n > 1 && r->used > r->options->memory_nbytes) {
        r->used -= r->counted[--g->n];
        dvi_stats_column_free(&g->column[g->n]);
    }
}

/* --- One reading ------------------------------------------------------------------------------ */

static dv_status start(reading *r, int32_t first, int32_t n, dv_error *err)
{
    r->rows = 0;
    DVI_TRY(dvi_stats_group_make(&r->group, r->plan, first, n, true, err));
    DVI_TRY(DVI_NEW(&r->plan->allocator, &r->counted, (size_t)n, err));
    r->used = (int64_t)((size_t)n * sizeof *r->group.column);
    fit(r, 0, 0);
    return DV_OK;
}

static void stop(reading *r, int32_t n)
{
    dvi_free(&r->plan->allocator, r->counted, (size_t)n * sizeof *r->counted);
    r->counted = NULL;
    dvi_stats_group_free(&r->group);
}

/* The first column of a share. */
static int32_t share_start(const reading *r, int64_t share)
{
    return dvi_stats_group_start(&r->group, (int32_t)(r->group.n * share / r->shares));
}

static dv_status add_share(void *ctx, const dvi_task *task, dv_error *err)
{
    reading *r = ctx;
    const int64_t share = task->number % r->shares;
    return dvi_stats_group_add(&r->group, share_start(r, share), share_start(r, share + 1),
                               r->batch, err);
}

/* Let threads add the batch if that repays them, and if memory is far from the limit: the columns
 * are then counted as if one had been added after the other. */
static bool repays_threads(const reading *r, const dv_batch *batch)
{
    return r->dealers && batch->rows >= DEALT_VALUES / r->group.n &&
           r->used <= r->options->memory_nbytes / 2;
}

static dv_status add_batch(void *ctx, const dv_batch *batch, dv_error *err)
{
    reading *r = ctx;
    dvi_stats_group *g = &r->group;
    const bool is_dealt = g->n > 1 && repays_threads(r, batch);
    r->batch = batch;
    if (is_dealt)
        DVI_TRY(dvi_tasks_run(r->dealers, r->shares, err));
    for (int32_t k = 0, end; k < g->n; k = end) {
        end = dvi_stats_group_next(g, k);
        if (!is_dealt)
            DVI_TRY(dvi_stats_group_add(g, k, end, batch, err));
        fit(r, k, end);
    }
    r->rows += batch->rows;
    dvi_row_count_add(&r->progress, batch->rows);
    return dvi_row_count_report(&r->progress);
}

static dv_status read_rows(reading *r, dv_error *err)
{
    dv_cursor_options options;
    dvi_stats_group_read(&r->group, &options);
    return dvi_read_batches(r->view, &options, add_batch, r, err);
}

/* --- All readings ----------------------------------------------------------------------------- */

/* The readings to come are not known before memory runs out: progress counts this one, and one
 * more if columns are left. */
static void start_progress(reading *r, bool is_last)
{
    const dvi_stats_plan *plan = r->plan;
    const int64_t rows = plan->end == INT64_MAX ? -1 : plan->end - plan->first;
    const int64_t done = atomic_load(&r->progress.done);
    int64_t more;
    r->progress.all = -1;
    if (rows >= 0 && (__builtin_mul_overflow(rows, is_last ? 1 : 2, &more) ||
                      __builtin_add_overflow(done, more, &r->progress.all)))
        r->progress.all = INT64_MAX;
}

/* Read n columns from `first` on; *read_out: how many of them stayed. */
static dv_status read_once(reading *r, int32_t first, int32_t n, int32_t *read_out,
                           dv_column_stats *stats, dvi_arena *arena, dv_error *err)
{
    start_progress(r, first + n == r->plan->count);
    dv_status status = start(r, first, n, err);
    if (status == DV_OK)
        status = read_rows(r, err);
    if (status == DV_OK)
        status = dvi_stats_group_report(&r->group, stats, arena, err);
    *read_out = r->group.n;
    stop(r, n);
    return status;
}

static dv_status read_all(reading *r, dv_column_stats *stats, int64_t *rows_out, dvi_arena *arena,
                          dv_error *err)
{
    const int32_t count = r->plan->count;
    int32_t first = 0, n = count, read;
    do {
        const dv_status status = read_once(r, first, n, &read, stats, arena, err);
        if (status != DV_OK)
            return status;
        *rows_out = first == 0 ? r->rows : *rows_out;
        first += read;
        /* they may have smaller summaries, so try a few more */
        n = (int32_t)dvi_min_i64(count - first, (int64_t)read + read / 4 + 1);
    } while (first < count);
    return DV_OK;
}

static dv_status start_dealers(reading *r, dv_error *err)
{
    const int64_t threads = dvi_min_i64(r->plan->threads, r->plan->count);
    r->shares = (int32_t)dvi_min_i64(SHARES_EACH * threads, r->plan->count);
    const dvi_tasks_how how = {.ctx = r,
                               .run = add_share,
                               .workers = (int32_t)threads - 1,
                               .window = r->shares,
                               .runs_once = true};
    return threads > 1 ? dvi_tasks_create(&r->dealers, &how, &r->plan->allocator, err) : DV_OK;
}

dv_status dvi_stats_read_in_order(const dvi_stats_plan *plan, dv_view *view,
                                  const dv_stats_options *options, dv_column_stats *stats,
                                  int64_t *rows_out, dvi_arena *arena, dv_error *err)
{
    reading r = {.plan = plan, .view = view, .options = options};
    r.progress.progress = &options->progress;
    r.progress.lost = "no statistics";
    dv_status status = start_dealers(&r, err);
    if (status == DV_OK)
        status = read_all(&r, stats, rows_out, arena, err);
    dvi_tasks_free(&r.dealers);
    return dvi_row_count_end(&r.progress, status, err);
}
