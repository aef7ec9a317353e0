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

/* The rows of a matrix, one after the other. */
typedef struct kept {
    void *memory;
    size_t row_nbytes;   /* 0: it has no slots */
    size_t group_nbytes; /* scratch of a thread for sorted rows */
} kept;

struct dvi_feed_window {
    const dvi_feed_plan *plan;
    const dvi_places *places;
    const dv_allocator *allocator;
    dvi_tasks *tasks; /* each a share of the rows */
    int64_t threads;
    int shift; /* a bucket has 1 << shift rows of the view */

    int64_t most, next; /* rows of a window, and of the next one */
    int64_t first, n;   /* positions in the order; n 0: nothing is held */
    kept *kept;         /* one per matrix */
    int64_t *numbers;   /* rows in the order of the epoch */
    int64_t *sorted;    /* the same by bucket */
    uint32_t *rows_of;  /* the row of the window for each sorted row */
    uint32_t starts[BUCKETS];
};

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status run_share(void *ctx, const dvi_task *task, dv_error *err);

static dv_status set_up(dvi_feed_window *w, int64_t rows, dv_error *err)
{
    const dvi_feed_plan *plan = w->plan;
    const size_t most = (size_t)w->most;
    void *numbers, *sorted, *rows_of;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = plan->threads;
    w->threads = dvi_cursor_read_threads(&options);
    while (rows >> w->shift >= BUCKETS)
        w->shift++;
    size_t scratch = 0;
    for (int32_t m = 0; m < plan->matrices_count; m++)
        scratch = w->kept[m].group_nbytes > scratch ? w->kept[m].group_nbytes : scratch;
    const dvi_tasks_how how = {.ctx = w,
                               .run = run_share,
                               .scratch_nbytes = scratch,
                               .workers = (int32_t)w->threads - 1,
                               .window = w->threads};
    DVI_TRY(dvi_tasks_create(&w->tasks, &how, w->allocator, err));
    for (int32_t m = 0; m < plan->matrices_count; m++) /* not zeroed: little of it may be needed */
        DVI_TRY(dvi_alloc(w->allocator, &w->kept[m].memory, most * w->kept[m].row_nbytes, err));
    DVI_TRY(dvi_alloc(w->allocator, &numbers, most * sizeof *w->numbers, err));
    w->numbers = numbers;
    DVI_TRY(dvi_alloc(w->allocator, &sorted, most * sizeof *w->sorted, err));
    w->sorted = sorted;
    DVI_TRY(dvi_alloc(w->allocator, &rows_of, most * sizeof *w->rows_of, err));
    w->rows_of = rows_of;
    return DV_OK;
}

static dv_status find_widths(dvi_feed_window *w, dv_error *err)
{
    const dvi_feed_plan *plan = w->plan;
    DVI_TRY(DVI_NEW(w->allocator, &w->kept, (size_t)plan->matrices_count, err));
    for (int32_t m = 0; m < plan->matrices_count; m++) {
        const dvi_feed_matrix *matrix = &plan->matrices[m];
        w->kept[m].row_nbytes = matrix->width * matrix->item_nbytes;
        w->kept[m].group_nbytes =
            dvi_places_group_nbytes(w->places, matrix->first, matrix->dense.columns_count);
    }
    return DV_OK;
}

dv_status dvi_feed_window_create(dvi_feed_window **window_out, const dvi_feed_plan *plan,
                                 const dvi_places *places, int64_t rows,
                                 const dv_allocator *allocator, dv_error *err)
{
    const size_t row_nbytes = dvi_feed_plan_row_nbytes(plan);
    const size_t numbers = 2 * sizeof(int64_t) + sizeof(uint32_t);
    const int64_t fit = WINDOW_NBYTES / (int64_t)(row_nbytes + numbers);
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
    w->most = most;
    w->next = dvi_min_i64(w->most, BATCHES_FIRST * plan->most_rows);
    dv_status status = find_widths(w, err);
    if (status == DV_OK)
        status = set_up(w, rows, err);
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
    for (int32_t m = 0; w->kept && m < w->plan->matrices_count; m++)
        dvi_free(w->allocator, w->kept[m].memory, most * w->kept[m].row_nbytes);
    dvi_free(w->allocator, w->kept, (size_t)w->plan->matrices_count * sizeof *w->kept);
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
    dv_status status = DV_OK;
    for (int32_t m = 0; status == DV_OK && m < w->plan->matrices_count; m++) {
        const dvi_feed_matrix *matrix = &w->plan->matrices[m];
        const kept *k = &w->kept[m];
        if (k->row_nbytes > 0)
            status = dvi_places_read_sorted(w->places, matrix->first, matrix->dense.columns_count,
                                            w->sorted + from, n, k->memory, k->row_nbytes,
                                            w->rows_of + from,
                                            k->group_nbytes > 0 ? task->scratch : NULL, err);
    }
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

/* Copy n rows from `row` of the window on to rows `at` and on of the target. */
static void copy_out(const dvi_feed_window *w, int64_t row, int64_t n, const dvi_feed_target *to,
                     int64_t at)
{
    for (int32_t m = 0; m < w->plan->matrices_count; m++) {
        const dv_feed_items *items = &to->matrices[m];
        const size_t nbytes = w->kept[m].row_nbytes;
        const size_t pitch = items->stride * w->plan->matrices[m].item_nbytes;
        if (nbytes > 0)
            dvi_kernels()->rows_copy((uint8_t *)items->items + (size_t)at * pitch, pitch,
                                     (const uint8_t *)w->kept[m].memory + (size_t)row * nbytes,
                                     nbytes, nbytes, (size_t)n, DVI_STORE_CACHED);
    }
}

dv_status dvi_feed_window_read(dvi_feed_window *w, int64_t position, int64_t n,
                               dvi_feed_numbers *next, void *ctx, const dvi_feed_target *to,
                               int64_t *rows_out, dv_error *err)
{
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
        copy_out(w, row, rows, to, *rows_out);
        *rows_out += rows;
        position += rows;
    }
    return DV_OK;
}
