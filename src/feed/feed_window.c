/* SPDX-License-Identifier: MIT */
/* feed_window.c: rows of many batches of a uniform order, read together. */
#include "feed/feed_window.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "view/view.h"
#include "scan/cursor.h"
#include <string.h>

#define WINDOW_NBYTES (INT64_C(128) << 20) /* rows of a window and their numbers */
#define BATCHES_FIRST 32                   /* in the first window */
#define GROWTH 8                           /* the next one has 8 times as many rows */
#define BATCHES_LEAST 4                    /* fewer do not share lines */
#define BUCKETS 4096 /* runs of rows of the view, into which rows are sorted */

struct dvi_feed_window {
    const dvi_feed_plan *plan;
    const dvi_places *places;
    const dv_allocator *allocator;
    dvi_tasks *tasks; /* each a share of the rows */
    int64_t threads;
    int shift; /* a bucket has 1 << shift rows of the view */

    int64_t most, next; /* rows of a window, and of the next one */
    int64_t first, n;   /* positions in the order; n 0: nothing is held */
    void *memory[2];    /* features and labels, row after row */
    size_t row_nbytes[2];
    size_t group_nbytes[2]; /* scratch of a thread for sorted rows */
    int64_t *numbers;       /* rows in the order of the epoch */
    int64_t *sorted;        /* the same by bucket */
    uint32_t *rows_of;      /* the row of the window for each sorted row */
    uint32_t starts[BUCKETS];
};

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status run_share(void *ctx, const dvi_task *task, dv_error *err);

static dv_status set_up(dvi_feed_window *w, dv_error *err)
{
    const dvi_feed_plan *plan = w->plan;
    const size_t most = (size_t)w->most;
    void *numbers, *sorted, *rows_of;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = plan->threads;
    w->threads = dvi_cursor_read_threads(&options);
    for (int64_t rows = dv_view_rows(plan->view); rows >> w->shift >= BUCKETS;)
        w->shift++;
    const dvi_tasks_how how = {.ctx = w,
                               .run = run_share,
                               .scratch_nbytes = w->group_nbytes[0] > w->group_nbytes[1]
                                                     ? w->group_nbytes[0]
                                                     : w->group_nbytes[1],
                               .workers = (int32_t)w->threads - 1,
                               .window = w->threads};
    DVI_TRY(dvi_tasks_create(&w->tasks, &how, w->allocator, err));
    for (int m = 0; m < 2; m++) /* not zeroed: an epoch may need little of it */
        DVI_TRY(dvi_alloc(w->allocator, &w->memory[m], most * w->row_nbytes[m], err));
    DVI_TRY(dvi_alloc(w->allocator, &numbers, most * sizeof *w->numbers, err));
    w->numbers = numbers;
    DVI_TRY(dvi_alloc(w->allocator, &sorted, most * sizeof *w->sorted, err));
    w->sorted = sorted;
    DVI_TRY(dvi_alloc(w->allocator, &rows_of, most * sizeof *w->rows_of, err));
    w->rows_of = rows_of;
    return DV_OK;
}

dv_status dvi_feed_window_create(dvi_feed_window **window_out, const dvi_feed_plan *plan,
                                 const dvi_places *places, const dv_allocator *allocator,
                                 dv_error *err)
{
    const size_t features = plan->features.width * plan->features.item_nbytes;
    const size_t labels = plan->labels.width * plan->labels.item_nbytes;
    const size_t numbers = 2 * sizeof(int64_t) + sizeof(uint32_t);
    const int64_t fit = WINDOW_NBYTES / (int64_t)(features + labels + numbers);
    const int64_t most = dvi_min_i64(fit, dv_view_rows(plan->view));
    dvi_feed_window *w;
    *window_out = NULL;
    if (plan->order.shuffle != DV_SHUFFLE_UNIFORM || plan->workers > 1 ||
        most / plan->most_rows < BATCHES_LEAST)
        return DV_OK;
    DVI_TRY(DVI_NEW(allocator, &w, 1, err));
    w->plan = plan;
    w->places = places;
    w->allocator = allocator;
    w->row_nbytes[0] = features;
    w->row_nbytes[1] = labels;
    for (int32_t m = 0, k = 0; m < 2; m++) {
        const int32_t n = (m == 0 ? &plan->features : &plan->labels)->dense.columns_count;
        w->group_nbytes[m] = dvi_places_group_nbytes(places, k, n);
        k += n;
    }
    w->most = most;
    w->next = dvi_min_i64(w->most, BATCHES_FIRST * plan->most_rows);
    const dv_status status = set_up(w, err);
    if (status < 0)
        dvi_feed_window_free(&w);
    *window_out = w;
    return status;
}

void dvi_feed_window_free(dvi_feed_window **window)
{
    dvi_feed_window *w = *window;
    *window = NULL;
    if (!w)
        return;
    const size_t most = (size_t)w->most;
    dvi_tasks_free(&w->tasks);
    for (int m = 0; m < 2; m++)
        dvi_free(w->allocator, w->memory[m], most * w->row_nbytes[m]);
    dvi_free(w->allocator, w->numbers, most * sizeof *w->numbers);
    dvi_free(w->allocator, w->sorted, most * sizeof *w->sorted);
    dvi_free(w->allocator, w->rows_of, most * sizeof *w->rows_of);
    dvi_free(w->allocator, w, sizeof *w);
}

void dvi_feed_window_reset(dvi_feed_window *w)
{
    w->n = 0;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Sort the rows by bucket. */
static void sort_rows(dvi_feed_window *w)
{
    uint32_t at = 0;
    memset(w->starts, 0, sizeof w->starts);
    for (int64_t i = 0; i < w->n; i++)
        w->starts[w->numbers[i] >> w->shift]++;
    for (int b = 0; b < BUCKETS; b++) {
        const uint32_t rows = w->starts[b];
        w->starts[b] = at;
        at += rows;
    }
    for (int64_t i = 0; i < w->n; i++) {
        const uint32_t j = w->starts[w->numbers[i] >> w->shift]++;
        w->sorted[j] = w->numbers[i];
        w->rows_of[j] = (uint32_t)i;
    }
}

/* Read a share of the sorted rows. */
static dv_status run_share(void *ctx, const dvi_task *task, dv_error *err)
{
    const dvi_feed_window *w = ctx;
    const int64_t share = task->number % w->threads, from = w->n * share / w->threads;
    const int64_t n = w->n * (share + 1) / w->threads - from;
    const int32_t counts[] = {w->plan->features.dense.columns_count,
                              w->plan->labels.dense.columns_count};
    dv_status status = DV_OK;
    for (int m = 0; m < 2; m++)
        if (status == DV_OK && counts[m] > 0)
            status = dvi_places_read_sorted(w->places, m * counts[0], counts[m], w->sorted + from,
                                            n, w->memory[m], w->row_nbytes[m], w->rows_of + from,
                                            w->group_nbytes[m] > 0 ? task->scratch : NULL, err);
    return status;
}

static dv_status fill(dvi_feed_window *w, int64_t position, dvi_feed_numbers *next, void *ctx,
                      dv_error *err)
{
    w->first = position;
    w->n = next(ctx, position, w->numbers, w->next);
    if (w->n == 0)
        return DV_OK;
    w->next = dvi_min_i64(w->most, GROWTH * w->next);
    sort_rows(w);
    const dv_status status = dvi_tasks_run(w->tasks, w->threads, err);
    if (status != DV_OK)
        w->n = 0;
    return status;
}

static void copy_out(const dvi_feed_window *w, int64_t row, int64_t n, int m, void *dst,
                     size_t stride, size_t item)
{
    const size_t nbytes = w->row_nbytes[m];
    if (nbytes > 0)
        dvi_kernels()->rows_copy(dst, stride * item,
                                 (const uint8_t *)w->memory[m] + (size_t)row * nbytes, nbytes,
                                 nbytes, (size_t)n, DVI_STORE_CACHED);
}

dv_status dvi_feed_window_read(dvi_feed_window *w, int64_t position, int64_t n,
                               dvi_feed_numbers *next, void *ctx, const dvi_feed_target *to,
                               int64_t *rows_out, dv_error *err)
{
    const dvi_feed_plan *plan = w->plan;
    *rows_out = 0;
    while (*rows_out < n) {
        if (position < w->first || position >= w->first + w->n) {
            const dv_status status = fill(w, position, next, ctx, err);
            if (status != DV_OK)
                return status;
        }
        const int64_t row = position - w->first;
        const int64_t rows = dvi_min_i64(n - *rows_out, w->n - row);
        if (rows == 0)
            break;
        const size_t at = (size_t)*rows_out, x = plan->features.item_nbytes,
                     y = plan->labels.item_nbytes;
        copy_out(w, row, rows, 0, (uint8_t *)to->features + at * to->features_stride * x,
                 to->features_stride, x);
        if (w->row_nbytes[1] > 0)
            copy_out(w, row, rows, 1, (uint8_t *)to->labels + at * to->labels_stride * y,
                     to->labels_stride, y);
        *rows_out += rows;
        position += rows;
    }
    return DV_OK;
}
