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
#include "stats/stats_report.h"

typedef struct reading {
    const dvi_stats_plan *plan;
    dv_view *view;
    const dv_stats_options *options;
    dv_allocator allocator; /* counts the bytes in `used` */
    int64_t used;
    dvi_stats_column *columns; /* of the plan, from `first` on */
    atomic_bool *many;
    int32_t first, made, n; /* the columns that were made, and those not dropped */
    int64_t rows;           /* of this reading */
    int64_t done, all;      /* progress; all -1: unknown */
} reading;

/* --- Memory that is counted ------------------------------------------------------------------- */

static void *allocate(void *ctx, size_t nbytes, size_t alignment)
{
    reading *r = ctx;
    const dv_allocator *own = &r->plan->allocator;
    void *memory = own->allocate(own->ctx, nbytes, alignment);
    r->used += memory ? (int64_t)nbytes : 0;
    return memory;
}

static void release(void *ctx, void *memory, size_t nbytes)
{
    reading *r = ctx;
    const dv_allocator *own = &r->plan->allocator;
    own->release(own->ctx, memory, nbytes);
    r->used -= (int64_t)nbytes;
}

/* Drop columns from the end until the others fit; one always stays. */
static void fit(reading *r)
{
    while (r->n > 1 && r->used > r->options->memory_nbytes)
        dvi_stats_column_free(&r->columns[--r->n]);
}

/* --- One reading ------------------------------------------------------------------------------ */

static dv_status make_columns(reading *r, dv_error *err)
{
    const dvi_stats_plan *plan = r->plan;
    const dv_stats_options *options = r->options;
    const size_t n = (size_t)r->n;
    void *made;
    DVI_TRY(dvi_alloc(&r->allocator, &made, n * sizeof *r->columns, err));
    r->columns = made;
    for (size_t k = 0; k < n; k++) {
        dvi_stats_column_init(&r->columns[k], dvi_stats_plan_type(plan, r->first + (int32_t)k),
                              (size_t)options->exact_values, (size_t)options->exact_distinct,
                              &r->many[(size_t)r->first + k], &r->allocator);
    }
    r->made = r->n;
    fit(r);
    return DV_OK;
}

static void free_columns(reading *r)
{
    for (int32_t k = 0; r->columns && k < r->n; k++)
        dvi_stats_column_free(&r->columns[k]);
    dvi_free(&r->allocator, r->columns, (size_t)r->made * sizeof *r->columns);
    r->columns = NULL;
}

static dv_status add_batch(reading *r, const dv_batch *batch, dv_error *err)
{
    const dvi_stats_plan *plan = r->plan;
    for (int32_t k = 0, same; k < r->n; k += same) {
        const dvi_stats_part *part = &plan->parts[r->first + k];
        const int32_t place = part->place - plan->parts[r->first].place;
        same = dvi_stats_plan_same(plan, r->first + k, r->first + r->n);
        DVI_TRY(dvi_stats_part_add(&r->columns[k], same, part->slot, dv_batch_column(batch, place),
                                   err));
        fit(r);
    }
    r->rows += batch->rows;
    r->done += batch->rows;
    const dv_progress *progress = &r->options->progress;
    return progress->report && !progress->report(progress->ctx, r->done, r->all) ? DV_END : DV_OK;
}

static dv_status add_all(reading *r, dv_cursor *cursor, dv_error *err)
{
    for (;;) {
        const dv_batch *batch;
        const dv_status status = dv_cursor_next(cursor, &batch, err);
        if (status != DV_OK)
            return status == DV_END ? DV_OK : status;
        const dv_status added = add_batch(r, batch, err);
        if (added != DV_OK)
            return added;
    }
}

static dv_status read_rows(reading *r, dv_error *err)
{
    const dvi_stats_plan *plan = r->plan;
    dv_cursor_options options = plan->cursor;
    dv_cursor *cursor;
    dvi_stats_plan_read(plan, r->first, r->n, &options);
    options.first_row = plan->first;
    options.end_row = plan->end;
    options.skip = 0;
    options.take = -1;
    options.ids = false;
    options.threads = plan->threads;
    DVI_TRY(dv_cursor_open(&cursor, r->view, &options, err));
    const dv_status status = add_all(r, cursor, err);
    dv_cursor_close(&cursor);
    return status;
}

static dv_status report(reading *r, dv_column_stats *stats, dvi_arena *arena, dv_error *err)
{
    for (int32_t k = 0; k < r->n; k++) {
        dvi_stats_column *column = &r->columns[k];
        stats[r->first + k].column = dvi_stats_plan_column(r->plan, r->first + k);
        stats[r->first + k].slot = r->plan->parts[r->first + k].slot;
        DVI_TRY(dvi_stats_column_end(column, err));
        DVI_TRY(dvi_stats_report(&stats[r->first + k], column, arena, err));
        dvi_stats_column_free(column); /* what it points to is in the arena */
    }
    return DV_OK;
}

/* --- All readings ----------------------------------------------------------------------------- */

/* The readings to come are not known before memory runs out: progress counts this one, and one
 * more if columns are left. */
static void start_progress(reading *r, bool is_last)
{
    const dvi_stats_plan *plan = r->plan;
    const int64_t rows = plan->end == INT64_MAX ? -1 : plan->end - plan->first;
    int64_t more;
    r->all = -1;
    if (rows >= 0 && (__builtin_mul_overflow(rows, is_last ? 1 : 2, &more) ||
                      __builtin_add_overflow(r->done, more, &r->all)))
        r->all = INT64_MAX;
}

static dv_status read_once(reading *r, dv_column_stats *stats, dvi_arena *arena, dv_error *err)
{
    r->rows = 0;
    start_progress(r, r->first + r->n == r->plan->count);
    dv_status status = make_columns(r, err);
    if (status == DV_OK)
        status = read_rows(r, err);
    if (status == DV_OK)
        status = report(r, stats, arena, err);
    free_columns(r);
    return status;
}

static dv_status read_all(reading *r, dv_column_stats *stats, int64_t *rows_out, dvi_arena *arena,
                          dv_error *err)
{
    const int32_t count = r->plan->count;
    r->n = count;
    do {
        const dv_status status = read_once(r, stats, arena, err);
        if (status != DV_OK)
            return status;
        *rows_out = r->first == 0 ? r->rows : *rows_out;
        r->first += r->n;
        /* as many again, and some more: they may have smaller summaries */
        r->n = (int32_t)dvi_min_i64(count - r->first, (int64_t)r->n + r->n / 4 + 1);
    } while (r->first < count);
    return DV_OK;
}

dv_status dvi_stats_read_in_order(const dvi_stats_plan *plan, dv_view *view,
                                  const dv_stats_options *options, dv_column_stats *stats,
                                  int64_t *rows_out, dvi_arena *arena, dv_error *err)
{
    void *many;
    const size_t nbytes = (size_t)plan->count * sizeof(atomic_bool);
    reading r = {.plan = plan, .view = view, .options = options};
    r.allocator = (dv_allocator){allocate, release, &r};
    DVI_TRY(dvi_alloc_zeroed(&plan->allocator, &many, nbytes, err));
    r.many = many;
    const dv_status status = read_all(&r, stats, rows_out, arena, err);
    dvi_free(&plan->allocator, many, nbytes);
    return status;
}
