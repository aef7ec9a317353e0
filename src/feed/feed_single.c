/* SPDX-License-Identifier: MIT */
/* feed_single.c: rows that are made by themselves, each into its place in the matrices. */
#include "feed/feed_single.h"
#include "base/alloc.h"
#include "base/check.h"
#include "view/cursor.h"
#include "view/view.h"
#include "matrix/dense.h"
#include "scan/tasks.h"

#define WINDOW 4 /* rows of each thread that may be done before those of others */

struct dvi_feed_single {
    const dvi_feed_plan *plan;
    const dv_allocator *allocator;
    int64_t epoch;
    int32_t threads;
    dvi_tasks *tasks; /* one per row; a thread has a cursor, NULL: not opened in this epoch */

    int64_t first, end; /* tasks of this batch */
    const dvi_feed_target *target;
    const int64_t *rows;
};

/* --- One row ---------------------------------------------------------------------------------- */

static dv_status open_cursor(const dvi_feed_single *s, dv_cursor **cursor, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    if (*cursor)
        return DV_OK;
    options.columns = s->plan->columns;
    options.columns_count = s->plan->columns_count;
    options.ids = s->plan->ids;
    options.epoch = s->epoch;
    options.threads = 1; /* each row is far from the one before */
    return dvi_cursor_open(cursor, s->plan->view, &options, NULL, DVI_CURSOR_PLAIN, err);
}

static dv_status read_row(const dvi_feed_single *s, dv_cursor **cursor, int64_t row,
                          const dv_batch **batch_out, dv_error *err)
{
    DVI_TRY(open_cursor(s, cursor, err));
    DVI_TRY(dvi_cursor_seek(*cursor, row, row + 1, err));
    const dv_status status = dv_cursor_next(*cursor, batch_out, err);
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

static dv_status make_row(const dvi_feed_single *s, dv_cursor **cursor, int64_t i, dv_error *err)
{
    const dvi_feed_plan *plan = s->plan;
    const dvi_feed_target *to = s->target;
    const dv_batch *batch;
    DVI_TRY(read_row(s, cursor, s->rows[i], &batch, err));
    DVI_TRY(write_row(&plan->features, i, batch, to->features, to->features_stride, err));
    DVI_TRY(write_row(&plan->labels, i, batch, to->labels, to->labels_stride, err));
    if (plan->ids)
        to->ids[i] = batch->ids[0];
    return DV_OK;
}

static dv_status run(void *ctx, const dvi_task *task, dv_error *err)
{
    const dvi_feed_single *s = ctx;
    dv_cursor **cursor = task->scratch;
    const dv_status status = make_row(s, cursor, task->number - s->first, err);
    if (status < 0)
        dv_cursor_close(cursor);
    return status;
}

/* --- Batches ---------------------------------------------------------------------------------- */

dv_status dvi_feed_single_fill(dvi_feed_single *s, const dvi_feed_target *target,
                               const int64_t *rows, int64_t n, dv_error *err)
{
    s->target = target;
    s->rows = rows;
    s->first = s->end;
    s->end += n;
    return dvi_tasks_run(s->tasks, n, err);
}

void dvi_feed_single_begin(dvi_feed_single *s, int64_t epoch)
{
    s->epoch = epoch;
    for (int32_t k = 0; k < s->threads; k++)
        dv_cursor_close(dvi_tasks_scratch(s->tasks, k));
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
    options.threads = s->plan->threads;
    s->threads = dvi_cursor_read_threads(&options);
    const dvi_tasks_how how = {.ctx = s,
                               .run = run,
                               .scratch_nbytes = sizeof(dv_cursor *),
                               .free_scratch = dvi_cursor_close_scratch,
                               .workers = s->threads - 1,
                               .window = (int64_t)s->threads * WINDOW};
    return dvi_tasks_create(&s->tasks, &how, s->allocator, err);
}

dv_status dvi_feed_single_create(dvi_feed_single **single_out, const dvi_feed_plan *plan,
                                 dv_error *err)
{
    dvi_feed_single *s;
    *single_out = NULL;
    if (!may_pay(plan))
        return DV_OK;
    const dv_allocator *allocator = dvi_view_allocator(plan->view);
    DVI_TRY(DVI_NEW(allocator, &s, 1, err));
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
    dvi_tasks_free(&s->tasks);
    dvi_free(s->allocator, s, sizeof *s);
}
