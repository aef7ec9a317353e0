/* SPDX-License-Identifier: MIT */
/* row_queue.c: takes batches of any size and gives batches of the size that is asked for. */
#include "format/idv/save/row_queue.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include <string.h>

dv_status dvi_row_queue_open(dvi_row_queue *q, const dv_type *const *types, int32_t n,
                             const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *q = (dvi_row_queue){.allocator = allocator, .types = types, .columns = n};
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, (size_t)n * sizeof *q->rest, err));
    q->rest = made;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, (size_t)n * sizeof *q->gather, err));
    q->gather = made;
    return DV_OK;
}

void dvi_row_queue_close(dvi_row_queue *q)
{
    const size_t n = (size_t)q->columns;
    while (q->first < q->end)
        dv_batch_release(&q->batches[q->first++]);
    for (size_t k = 0; q->gather && k < n; k++)
        dvi_growing_free(&q->gather[k]);
    dvi_free(q->allocator, q->gather, n * sizeof *q->gather);
    dvi_free(q->allocator, q->rest, n * sizeof *q->rest);
    dvi_free(q->allocator, (void *)q->batches, q->cap * sizeof *q->batches);
    *q = (dvi_row_queue){0};
}

/* Look at the first batch from its first row on. */
static void begin_first(dvi_row_queue *q)
{
    q->taken = 0;
    for (int32_t k = 0; q->first < q->end && k < q->columns; k++)
        dvi_column_assign(&q->rest[k], dv_batch_column(q->batches[q->first], k));
}

dv_status dvi_row_queue_add(dvi_row_queue *q, const dv_batch *batch, dv_error *err)
{
    if (q->first > 0) {
        memmove((void *)q->batches, (const void *)(q->batches + q->first),
                (q->end - q->first) * sizeof *q->batches);
        q->end -= q->first;
        q->first = 0;
    }
    void *batches = (void *)q->batches;
    const dv_status status =
        dvi_array_reserve(q->allocator, &batches, &q->cap, q->end + 1, sizeof *q->batches, err);
    q->batches = batches;
    DVI_TRY(status);
    dv_batch_retain(batch);
    q->batches[q->end++] = batch;
    q->rows += batch->rows;
    if (q->end == 1)
        begin_first(q);
    return DV_OK;
}

static int64_t rows_left(const dvi_row_queue *q)
{
    return q->batches[q->first]->rows - q->taken;
}

/* Remove rows of the first batch. */
static void skip(dvi_row_queue *q, int64_t rows)
{
    q->rows -= rows;
    q->taken += rows;
    if (rows_left(q) > 0) {
        for (int32_t k = 0; k < q->columns; k++)
            dvi_column_advance(&q->rest[k].view, rows);
        return;
    }
    dv_batch_release(&q->batches[q->first++]);
    begin_first(q);
}

/* A part of the first batch, in place. */
static dv_status slice(dvi_row_queue *q, int64_t rows, dv_batch *batch, dv_error *err)
{
    DVI_TRY(dv_batch_start(batch, q->batches[q->first]->first_row + q->taken, rows, err));
    for (int32_t k = 0; k < q->columns; k++) {
        dvi_column run;
        dvi_column_assign(&run, &q->rest[k].view);
        dvi_column_limit(&run.view, rows);
        dvi_batch_set_slot(batch, k, &run.view);
    }
    skip(q, rows);
    return DV_OK;
}

static dv_status append(dvi_row_queue *q, int64_t rows, dv_error *err)
{
    for (int32_t k = 0; k < q->columns; k++)
        DVI_TRY(dvi_growing_reserve(&q->gather[k], &q->rest[k].view, rows, q->allocator, err));
    for (int32_t k = 0; k < q->columns; k++)
        dvi_growing_append(&q->gather[k], &q->rest[k].view, rows);
    skip(q, rows);
    return DV_OK;
}

/* Rows of several batches, copied. */
static dv_status gather(dvi_row_queue *q, int64_t rows, dv_batch *batch, dv_error *err)
{
    DVI_TRY(dv_batch_start(batch, q->batches[q->first]->first_row + q->taken, rows, err));
    for (int64_t n, left = rows; left > 0; left -= n) {
        n = dvi_min_i64(left, rows_left(q));
        DVI_TRY(append(q, n, err));
    }
    for (int32_t k = 0; k < q->columns; k++) {
        dvi_column column;
        dvi_growing_view(&q->gather[k], q->types[k], &column);
        dvi_batch_set_slot(batch, k, &column.view);
        dvi_growing_reset(&q->gather[k]);
    }
    return DV_OK;
}

dv_status dvi_row_queue_take(dvi_row_queue *q, int64_t rows, const dv_batch **batch_out,
                             dv_error *err)
{
    const dv_batch *first = q->batches[q->first];
    const bool is_one = rows_left(q) >= rows;
    dv_batch *batch;
    *batch_out = NULL;
    if (first->rows == rows && q->taken == 0) {
        dv_batch_retain(first);
        *batch_out = first;
        skip(q, rows);
        return DV_OK;
    }
    DVI_TRY(dvi_batch_create(&batch, is_one ? dvi_batch_view(first) : NULL, q->types, q->columns,
                             q->allocator, err));
    const dv_status status = is_one ? slice(q, rows, batch, err) : gather(q, rows, batch, err);
    *batch_out = batch;
    if (status < 0)
        dv_batch_release(batch_out);
    return status;
}
