/* SPDX-License-Identifier: MIT */
/* feed_single.c: rows that are made by themselves, each into its place in the matrices. */
#include "feed/feed_single.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/threads.h"
#include "view/cursor.h"
#include "view/view.h"
#include "matrix/dense.h"

#define WINDOW 4 /* rows of each thread that may be done before those of others */

/* What one thread needs. */
typedef struct maker {
    dv_cursor *cursor; /* NULL: not opened in this epoch */
    int64_t failed;    /* the first row of the batch that it cannot make; INT64_MAX: none */
    dv_status status;  /* why */
    dv_error error;
} maker;

struct dvi_feed_single {
    const dvi_feed_plan *plan;
    const dv_allocator *allocator;
    int64_t epoch;
    maker *makers; /* of each thread, the caller's first */
    int32_t n;
    dvi_threads *threads; /* that help the caller; NULL: none does */

    int64_t first_job, jobs; /* of this batch; of all batches */
    const dvi_feed_target *target;
    const int64_t *rows;
};

/* --- One row ---------------------------------------------------------------------------------- */

static dv_status open_cursor(const dvi_feed_single *s, maker *m, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    if (m->cursor)
        return DV_OK;
    options.columns = s->plan->columns;
    options.columns_count = s->plan->columns_count;
    options.ids = s->plan->ids;
    options.epoch = s->epoch;
    options.threads = 1; /* each row is far from the one before */
    return dvi_cursor_open(&m->cursor, s->plan->view, &options, NULL, DVI_CURSOR_PLAIN, err);
}

static dv_status read_row(const dvi_feed_single *s, maker *m, int64_t row,
                          const dv_batch **batch_out, dv_error *err)
{
    DVI_TRY(open_cursor(s, m, err));
    DVI_TRY(dvi_cursor_seek(m->cursor, row, row + 1, err));
    const dv_status status = dv_cursor_next(m->cursor, batch_out, err);
    if (status == DV_END)
        return dvi_fail(err, DV_ERR_CORRUPT, "", -1, "rows of the epoch", "row %lld|the last row",
                        (long long)row);
    return status;
}

/* Write the row to row i of a matrix. */
static dv_status write_row(const dvi_feed_matrix *m, int64_t i, const dv_batch *batch, void *matrix,
                           size_t stride, dv_error *err)
{
    if (m->dense.columns_count == 0)
        return DV_OK;
    uint8_t *dst = (uint8_t *)matrix + (size_t)i * stride * m->item_nbytes;
    return dvi_dense_rows(batch, i, dst, stride, m->items, &m->dense, &m->names, err);
}

static dv_status make_row(const dvi_feed_single *s, maker *m, int64_t i, dv_error *err)
{
    const dvi_feed_plan *plan = s->plan;
    const dvi_feed_target *to = s->target;
    const dv_batch *batch;
    DVI_TRY(read_row(s, m, s->rows[i], &batch, err));
    DVI_TRY(write_row(&plan->features, i, batch, to->features, to->features_stride, err));
    DVI_TRY(write_row(&plan->labels, i, batch, to->labels, to->labels_stride, err));
    if (plan->ids)
        to->ids[i] = batch->ids[0];
    return DV_OK;
}

/* Jobs begin in the order of their numbers: after a failure a thread has only later rows. */
static void run(void *ctx, int64_t job, int32_t worker)
{
    const dvi_feed_single *s = ctx;
    maker *m = &s->makers[worker];
    const int64_t i = job - s->first_job;
    if (m->status != DV_OK)
        return;
    m->status = make_row(s, m, i, &m->error);
    if (m->status != DV_OK)
        m->failed = i;
}

/* --- Batches ---------------------------------------------------------------------------------- */

static dv_status first_failure(const dvi_feed_single *s, dv_error *err)
{
    const maker *first = &s->makers[0];
    for (int32_t k = 1; k < s->n; k++)
        if (s->makers[k].failed < first->failed)
            first = &s->makers[k];
    if (first->status != DV_OK && err)
        *err = first->error;
    return first->status;
}

dv_status dvi_feed_single_fill(dvi_feed_single *s, const dvi_feed_target *target,
                               const int64_t *rows, int64_t n, dv_error *err)
{
    s->target = target;
    s->rows = rows;
    s->first_job = s->jobs;
    s->jobs += n;
    for (int32_t k = 0; k < s->n; k++) {
        s->makers[k].status = DV_OK;
        s->makers[k].failed = INT64_MAX;
        s->makers[k].error = (dv_error)DV_ERROR_INIT;
    }
    if (s->threads)
        dvi_threads_allow(s->threads, s->jobs);
    for (int64_t job = s->first_job; job < s->jobs; job++) {
        if (!s->threads) {
            run(s, job, 0);
            continue;
        }
        dvi_threads_wait(s->threads, job);
        dvi_threads_give_back(s->threads, job + 1);
    }
    return first_failure(s, err);
}

void dvi_feed_single_begin(dvi_feed_single *s, int64_t epoch)
{
    s->epoch = epoch;
    for (int32_t k = 0; k < s->n; k++)
        dv_cursor_close(&s->makers[k].cursor);
}

/* --- Life ------------------------------------------------------------------------------------- */

/* Rows that come block by block are made so. */
static bool may_pay(const dvi_feed_plan *plan)
{
    const dv_shuffle shuffle = plan->order.shuffle;
    return (shuffle == DV_SHUFFLE_UNIFORM || shuffle == DV_SHUFFLE_NONE) &&
           dvi_view_makes_single_rows(plan->view, plan->columns, plan->columns_count);
}

static dv_status make(dvi_feed_single *s, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    void *made;
    options.threads = s->plan->threads;
    const int32_t n = dvi_cursor_read_threads(&options);
    DVI_TRY(dvi_alloc_zeroed(s->allocator, &made, (size_t)n * sizeof *s->makers, err));
    s->makers = made;
    s->n = n;
    return n == 1 ? DV_OK
                  : dvi_threads_create(&s->threads, n - 1, (int64_t)n * WINDOW, 0, run, s,
                                       s->allocator, err);
}

dv_status dvi_feed_single_create(dvi_feed_single **single_out, const dvi_feed_plan *plan,
                                 dv_error *err)
{
    void *made;
    *single_out = NULL;
    if (!may_pay(plan))
        return DV_OK;
    const dv_allocator *allocator = dvi_view_allocator(plan->view);
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_feed_single), err));
    dvi_feed_single *s = made;
    s->plan = plan;
    s->allocator = allocator;
    const dv_status status = make(s, err);
    if (status != DV_OK)
        dvi_feed_single_free(&s);
    *single_out = s;
    return status;
}

void dvi_feed_single_free(dvi_feed_single **single)
{
    dvi_feed_single *s = *single;
    *single = NULL;
    if (!s)
        return;
    dvi_threads_free(&s->threads);
    for (int32_t k = 0; k < s->n; k++)
        dv_cursor_close(&s->makers[k].cursor);
    dvi_free(s->allocator, s->makers, (size_t)s->n * sizeof *s->makers);
    dvi_free(s->allocator, s, sizeof *s);
}
