/* SPDX-License-Identifier: MIT */
/* feed_sink.c: rows of an epoch, copied once, from where they lie into a matrix.
 *
 * A matrix is plain if its columns hold items of its own type, dense, and NA stays: its rows are
 * copied as they are. Scalars are copied straight from their places (places.h), also where NA is
 * refused: a cursor then finds it again and reports it.  The rows of other columns are
 * gathered first, and then made dense as those of any batch.  Costly rows are made by themselves
 * (feed_single.h). */
#include "feed/feed_sink.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "view/places.h"
#include "view/view.h"
#include "epoch/epoch_order.h"
#include "epoch/epoch_view.h"
#include "feed/feed_single.h"
#include "feed/feed_window.h"
#include "matrix/dense.h"
#include "scan/tasks.h"
#include <string.h>

#define SHARED_NBYTES ((size_t)128 << 10) /* a larger batch is copied by several threads */

/* The columns of one of the matrices. */
typedef struct side {
    const dvi_feed_matrix *matrix;
    int32_t first, n; /* columns of the cursor */
    bool is_plain, is_own;
} side;

struct dvi_feed_sink {
    const dvi_feed_plan *plan;
    const dv_allocator *allocator;
    dv_cursor_request request;
    int64_t rows; /* the view has */
    side sides[2];

    dvi_feed_single *single;    /* makes the rows; NULL: it does not */
    dvi_places *places;         /* all columns; NULL: not all are plain scalars */
    dvi_feed_window *window;    /* reads many batches together; NULL: it would not pay */
    int64_t *numbers, position; /* rows for these two; the next position in the order */

    dvi_row_gatherer *gatherer;
    dvi_epoch_order *order;
    int64_t count;                 /* rows of the epoch that this shard has */
    const dvi_feed_target *target; /* receives this batch, which has `taken` rows */
    int64_t taken;
    const dvi_row_ref *refs; /* n rows that are copied now */
    int64_t n;

    const dv_type **types;       /* one per column */
    dvi_growing_column *gathers; /* one per column, for matrices that are not plain */
    dv_batch *batch;             /* what they hold */

    dvi_tasks *tasks; /* copy a batch in `threads` pieces; NULL: the caller copies it */
    int64_t threads;
    const side *copied; /* what they copy, and where */
    uint8_t *dst;
    size_t stride;
};

/* --- Making ----------------------------------------------------------------------------------- */

static void make_side(const dvi_feed_sink *s, side *m, const dvi_feed_matrix *matrix, int32_t first)
{
    const int32_t n = matrix->dense.columns_count;
    *m = (side){matrix, first, n, matrix->dense.na == DV_DENSE_NA_KEEP, true};
    for (int32_t k = 0; k < n; k++)
        m->is_own &= dvi_dense_is_own(s->types[first + k], matrix->items,
                                      matrix->dense.widths ? matrix->dense.widths[k] : 0);
    m->is_plain &= m->is_own;
}

/* The numbers of this epoch, from a position on. */
static int64_t next_numbers(void *ctx, int64_t position, int64_t *rows_out, int64_t n)
{
    const dvi_feed_sink *s = ctx;
    dvi_epoch_order_seek(s->order, position);
    return dvi_epoch_order_next(s->order, rows_out, n);
}

/* Costly rows are left to a cursor: they are made above the order, by several threads. */
static dv_status make_gatherer(dvi_feed_sink *s, dv_error *err)
{
    const dvi_feed_plan *plan = s->plan;
    const bool all = plan->workers == 1;
    dv_epoch_options order = plan->order;
    dvi_epoch_plan epoch;
    if (dvi_view_job_rows(plan->view, plan->columns, plan->columns_count) > 0)
        return DV_NOT_FOUND;
    order.start = 0;
    DVI_TRY(dvi_epoch_plan_make(&epoch, s->rows, dv_view_block_rows(plan->view), &order, err));
    dvi_gather_plan how = dvi_epoch_gather_plan(&epoch, 0, all);
    how.batch_rows = plan->most_rows;
    const dvi_row_numbers numbers = {.next = next_numbers, .ctx = s};
    s->request = (dv_cursor_request){.size = sizeof s->request,
                                     .schema = dv_view_schema(plan->view),
                                     .columns = plan->columns,
                                     .columns_count = plan->columns_count,
                                     .end_row = INT64_MAX, /* the order ends */
                                     .threads = 1,
                                     .allocator = s->allocator,
                                     .ids = plan->ids,
                                     .epoch = plan->first.epoch};
    return dvi_row_gatherer_create(&s->gatherer, plan->view, &s->request, &how, &numbers, err);
}

/* Are all columns scalars that the matrices have as they are? */
static dv_status open_places(dvi_feed_sink *s, dv_error *err)
{
    const dvi_feed_plan *plan = s->plan;
    bool are_scalars = !plan->ids;
    for (int m = 0; m < 2; m++) {
        const side *x = &s->sides[m];
        are_scalars &= x->n == 0 || (x->is_own && x->matrix->dense.na != DV_DENSE_NA_VALUE);
    }
    for (int32_t k = 0; k < plan->columns_count; k++)
        are_scalars &= s->types[k]->rank == 0;
    if (!are_scalars)
        return DV_NOT_FOUND;
    const dv_status status = dvi_places_open(&s->places, plan->view, plan->columns,
                                             plan->columns_count, s->allocator, err);
    if (status != DV_OK)
        return status;
    if (!dvi_places_keep_rows(s->places, 0, s->sides[0].n))
        DVI_TRY(dvi_feed_window_create(&s->window, plan, s->places, s->allocator, err));
    return s->window ? DV_OK : DVI_NEW(s->allocator, &s->numbers, (size_t)plan->most_rows, err);
}

static dv_status run_piece(void *ctx, const dvi_task *task, dv_error *err);

static dv_status make_tasks(dvi_feed_sink *s, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = s->plan->threads;
    s->threads = dvi_cursor_read_threads(&options);
    const dvi_tasks_how how = {
        .ctx = s, .run = run_piece, .workers = (int32_t)s->threads - 1, .window = s->threads};
    return s->threads > 1 ? dvi_tasks_create(&s->tasks, &how, s->allocator, err) : DV_OK;
}

static dv_status make(dvi_feed_sink *s, dv_error *err)
{
    const dvi_feed_plan *plan = s->plan;
    const size_t columns = (size_t)plan->columns_count;
    const dv_schema *schema = dv_view_schema(plan->view);
    DVI_TRY(dvi_feed_single_create(&s->single, plan, err));
    if (s->single)
        return DVI_NEW(s->allocator, &s->numbers, (size_t)plan->most_rows, err);
    DVI_TRY(DVI_NEW(s->allocator, &s->types, columns, err));
    for (size_t k = 0; k < columns; k++)
        s->types[k] = &dv_schema_column(schema, plan->columns[k])->type;
    make_side(s, &s->sides[0], &plan->features, 0);
    make_side(s, &s->sides[1], &plan->labels, plan->features.dense.columns_count);
    dv_status status = open_places(s, err);
    if (status == DV_OK)
        return s->window ? DV_OK : make_tasks(s, err);
    if (status == DV_NOT_FOUND)
        status = make_gatherer(s, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(DVI_NEW(s->allocator, &s->gathers, columns, err));
    DVI_TRY(
        dvi_batch_create(&s->batch, plan->view, s->types, plan->columns_count, s->allocator, err));
    return make_tasks(s, err);
}

/* Rows in the order of the view need no sink of their own, unless other workers have some of their
 * batches; nor do rows that are reached only over those before. */
static bool may_pay(const dvi_feed_plan *plan)
{
    const bool is_straight = dvi_feed_plan_is_straight(plan) && plan->workers == 1;
    return !is_straight && plan->columns_count > 0 && dv_view_rows(plan->view) >= 1 &&
           dv_view_block_rows(plan->view) >= 1;
}

dv_status dvi_feed_sink_create(dvi_feed_sink **sink_out, const dvi_feed_plan *plan, dv_error *err)
{
    dvi_feed_sink *s;
    *sink_out = NULL;
    if (!may_pay(plan))
        return DV_OK;
    const dv_allocator *allocator = dvi_view_allocator(plan->view);
    DVI_TRY(DVI_NEW(allocator, &s, 1, err));
    s->plan = plan;
    s->allocator = allocator;
    s->rows = dv_view_rows(plan->view);
    const dv_status status = make(s, err);
    if (status != DV_OK)
        dvi_feed_sink_free(&s);
    *sink_out = s;
    return status == DV_ERR_MEMORY ? status : DV_OK; /* a cursor reports the others */
}

void dvi_feed_sink_free(dvi_feed_sink **sink)
{
    dvi_feed_sink *s = *sink;
    *sink = NULL;
    if (!s)
        return;
    const size_t columns = (size_t)s->plan->columns_count;
    const dv_batch *batch = s->batch;
    dv_batch_release(&batch);
    dvi_tasks_free(&s->tasks);
    dvi_feed_single_free(&s->single);
    dvi_feed_window_free(&s->window);
    dvi_places_free(&s->places);
    dvi_free(s->allocator, s->numbers, (size_t)s->plan->most_rows * sizeof *s->numbers);
    dvi_row_gatherer_free(&s->gatherer);
    dvi_epoch_order_free(&s->order);
    for (size_t k = 0; s->gathers && k < columns; k++)
        dvi_growing_free(&s->gathers[k]);
    dvi_free(s->allocator, s->gathers, columns * sizeof *s->gathers);
    dvi_free(s->allocator, s->types, columns * sizeof *s->types);
    dvi_free(s->allocator, s, sizeof *s);
}

dv_status dvi_feed_sink_begin(dvi_feed_sink *s, const dv_epoch_options *order, int64_t first,
                              dv_error *err)
{
    dvi_epoch_plan plan;
    dvi_epoch_order_free(&s->order);
    s->taken = 0;
    DVI_TRY(dvi_epoch_plan_make(&plan, s->rows, dv_view_block_rows(s->plan->view), order, err));
    DVI_TRY(dvi_epoch_order_create(&s->order, &plan, s->allocator, err));
    s->count = plan.count;
    if (s->single)
        dvi_feed_single_begin(s->single, order->epoch);
    if (s->window)
        dvi_feed_window_reset(s->window);
    s->position = dvi_min_i64(first, s->count);
    s->request.epoch = order->epoch;
    if (s->gatherer)
        dvi_row_gatherer_restart(s->gatherer, s->position);
    return DV_OK;
}

void dvi_feed_sink_seek(dvi_feed_sink *s, int64_t first)
{
    if (s->gatherer)
        dvi_row_gatherer_skip(s->gatherer, first - s->position);
    s->position = first;
}

int64_t dvi_feed_sink_rows(const dvi_feed_sink *s)
{
    return s->count;
}

/* --- Plain matrices --------------------------------------------------------------------------- */

static bool is_dense(const dvi_feed_sink *s, const side *m)
{
    for (int32_t k = m->first; k < m->first + m->n; k++)
        for (int64_t i = 0; s->types[k]->rank > 0 && i < s->n; i++)
            if (s->refs[i].columns[k].item_at)
                return false;
    return true;
}

/* Copy one of some pieces of the batch. */
static void copy_piece(const dvi_feed_sink *s, int64_t piece, int64_t pieces)
{
    const side *m = s->copied;
    const int64_t from = s->n * piece / pieces, to = s->n * (piece + 1) / pieces;
    const size_t item = m->matrix->item_nbytes, pitch = s->stride * item;
    uint8_t *dst = s->dst + (size_t)from * pitch;
    for (int32_t k = m->first; k < m->first + m->n; k++) {
        const size_t nbytes = (size_t)dv_type_value_count(s->types[k]) * item;
        dvi_row_refs_copy(dst, pitch, k, s->refs + from, to - from, nbytes);
        dst += nbytes;
    }
}

/* The same of rows in place, for both matrices. */
static dv_status copy_places(const dvi_feed_sink *s, int64_t piece, int64_t pieces, dv_error *err)
{
    const dvi_feed_target *to = s->target;
    const int64_t from = s->n * piece / pieces, n = s->n * (piece + 1) / pieces - from;
    void *const dst[] = {to->features, to->labels};
    const size_t strides[] = {to->features_stride, to->labels_stride};
    dv_status status = DV_OK;
    for (int32_t m = 0; m < 2; m++) {
        const side *x = &s->sides[m];
        const size_t pitch = x->n > 0 ? strides[m] * x->matrix->item_nbytes : 0;
        if (status == DV_OK && x->n > 0)
            status = dvi_places_read(s->places, x->first, x->n, s->numbers + from, n,
                                     (uint8_t *)dst[m] + (size_t)from * pitch, pitch, NULL, err);
    }
    return status;
}

static dv_status run_piece(void *ctx, const dvi_task *task, dv_error *err)
{
    const dvi_feed_sink *s = ctx;
    const int64_t piece = task->number % s->threads;
    if (s->places)
        return copy_places(s, piece, s->threads, err);
    copy_piece(s, piece, s->threads);
    return DV_OK;
}

/* Where the next row of a matrix begins. */
static uint8_t *after_taken(const dvi_feed_sink *s, const side *m, void *matrix, size_t stride)
{
    return (uint8_t *)matrix + (size_t)s->taken * stride * m->matrix->item_nbytes;
}

static dv_status copy_rows(dvi_feed_sink *s, const side *m, void *matrix, size_t stride,
                           dv_error *err)
{
    const size_t nbytes = (size_t)s->n * m->matrix->width * m->matrix->item_nbytes;
    if (nbytes == 0)
        return DV_OK; /* no labels, and so no matrix of them */
    s->copied = m;
    s->dst = after_taken(s, m, matrix, stride);
    s->stride = stride;
    if (s->tasks && nbytes >= SHARED_NBYTES)
        return dvi_tasks_run(s->tasks, s->threads, err);
    copy_piece(s, 0, 1);
    return DV_OK;
}

/* --- Others ----------------------------------------------------------------------------------- */

static dv_status gather_rows(dvi_feed_sink *s, const side *m, dv_error *err)
{
    for (int32_t k = m->first; k < m->first + m->n; k++) {
        dvi_growing_reset(&s->gathers[k]);
        DVI_TRY(
            dvi_row_refs_reserve(&s->gathers[k], s->types[k], k, s->refs, s->n, s->allocator, err));
        DVI_TRY(dvi_row_refs_append(&s->gathers[k], s->types[k], k, s->refs, s->n, err));
        dvi_column column;
        dvi_growing_view(&s->gathers[k], s->types[k], &column);
        dvi_batch_set_slot(s->batch, k, &column.view);
    }
    return DV_OK;
}

/* Write the rows of a batch after those that the target has. */
static dv_status write_batch(const dvi_feed_sink *s, const side *m, const dv_batch *batch,
                             void *matrix, size_t stride, dv_error *err)
{
    if (m->n == 0)
        return DV_OK; /* no labels, and so no matrix of them */
    return dvi_dense_rows(batch, s->taken, after_taken(s, m, matrix, stride), stride,
                          m->matrix->items, &m->matrix->dense, &m->matrix->names, err);
}

static dv_status gather_and_fill(dvi_feed_sink *s, const side *m, void *matrix, size_t stride,
                                 dv_error *err)
{
    DVI_TRY(dv_batch_start(s->batch, 0, s->n, err));
    dv_status status = gather_rows(s, m, err);
    if (status == DV_OK)
        status = write_batch(s, m, s->batch, matrix, stride, err);
    dvi_batch_clear(s->batch);
    return status;
}

static dv_status fill(dvi_feed_sink *s, const side *m, void *matrix, size_t stride, dv_error *err)
{
    return m->is_plain && is_dense(s, m) ? copy_rows(s, m, matrix, stride, err)
                                         : gather_and_fill(s, m, matrix, stride, err);
}

static void copy_ids(const dvi_feed_sink *s, dv_u128 *ids)
{
    for (int64_t i = 0; s->plan->ids && i < s->n; i++) {
        const dvi_row_ref *ref = &s->refs[i];
        memcpy(&ids[s->taken + i], ref->columns[s->plan->columns_count].values + 16 * ref->row, 16);
    }
}

/* --- The sink --------------------------------------------------------------------------------- */

static int64_t room(void *ctx, int64_t *wanted_out)
{
    const dvi_feed_sink *s = ctx;
    return *wanted_out = s->plan->batch_rows - s->taken;
}

static dv_status take_refs(void *ctx, const dvi_row_ref *refs, int64_t n, int64_t *taken_out,
                           dv_error *err)
{
    dvi_feed_sink *s = ctx;
    const dvi_feed_target *target = s->target;
    s->refs = refs;
    s->n = n;
    DVI_TRY(fill(s, &s->sides[0], target->features, target->features_stride, err));
    DVI_TRY(fill(s, &s->sides[1], target->labels, target->labels_stride, err));
    copy_ids(s, target->ids);
    s->taken += n;
    *taken_out = n;
    return DV_OK;
}

static dv_status take_batch(void *ctx, const dv_batch *batch, bool *is_taken_out, dv_error *err)
{
    dvi_feed_sink *s = ctx;
    const dvi_feed_target *to = s->target;
    DVI_TRY(write_batch(s, &s->sides[0], batch, to->features, to->features_stride, err));
    DVI_TRY(write_batch(s, &s->sides[1], batch, to->labels, to->labels_stride, err));
    if (s->plan->ids)
        memcpy(to->ids + s->taken, batch->ids, (size_t)batch->rows * sizeof *batch->ids);
    s->taken += batch->rows;
    *is_taken_out = true;
    return DV_OK;
}

static dv_status next_single(dvi_feed_sink *s, const dvi_feed_target *target, int64_t *rows_out,
                             dv_error *err)
{
    const int64_t n = next_numbers(s, s->position, s->numbers, s->plan->most_rows);
    DVI_TRY(dvi_feed_single_fill(s->single, target, s->numbers, n, err));
    s->position += n;
    *rows_out = n;
    return DV_OK;
}

/* Does a matrix refuse NA and have one in its first rows? */
static bool has_refused(const dvi_feed_matrix *m, const void *dst, size_t stride, int64_t rows)
{
    const float *f4 = dst;
    const double *f8 = dst;
    const int64_t *i8 = dst;
    bool has = false;
    if (m->dense.na != DV_DENSE_NA_REFUSED)
        return false;
    for (int64_t i = 0; i < rows; i++)
        for (size_t at = (size_t)i * stride, end = at + m->width; at < end; at++)
            has |= m->items == DV_KIND_R4   ? f4[at] != f4[at]
                   : m->items == DV_KIND_R8 ? f8[at] != f8[at]
                                            : i8[at] == INT64_MIN;
    return has;
}

static dv_status read_in_place(dvi_feed_sink *s, const dvi_feed_target *target, int64_t *rows_out,
                               dv_error *err)
{
    const dvi_feed_plan *plan = s->plan;
    const size_t row_nbytes = plan->features.width * plan->features.item_nbytes;
    if (s->window)
        return dvi_feed_window_read(s->window, s->position, plan->most_rows, next_numbers, s,
                                    target, rows_out, err);
    s->target = target;
    s->n = next_numbers(s, s->position, s->numbers, plan->most_rows);
    *rows_out = s->n;
    const bool is_large = (size_t)s->n * row_nbytes >= SHARED_NBYTES;
    return s->tasks && is_large ? dvi_tasks_run(s->tasks, s->threads, err)
                                : copy_places(s, 0, 1, err);
}

static dv_status next_in_place(dvi_feed_sink *s, const dvi_feed_target *to, int64_t *rows_out,
                               dv_error *err)
{
    const dvi_feed_plan *plan = s->plan;
    const dv_status status = read_in_place(s, to, rows_out, err);
    if (status != DV_OK)
        return status;
    if (has_refused(&plan->features, to->features, to->features_stride, *rows_out) ||
        has_refused(&plan->labels, to->labels, to->labels_stride, *rows_out))
        return DV_NOT_FOUND;
    s->position += *rows_out;
    return DV_OK;
}

dv_status dvi_feed_sink_next(dvi_feed_sink *s, const dvi_feed_target *target, int64_t *rows_out,
                             dv_error *err)
{
    if (s->single)
        return next_single(s, target, rows_out, err);
    if (s->places)
        return next_in_place(s, target, rows_out, err);
    const dvi_row_sink sink = {
        .room = room, .take_refs = take_refs, .take_batch = take_batch, .ctx = s};
    s->target = target;
    s->taken = 0;
    const dv_status status = dvi_row_gatherer_fill(s->gatherer, &sink, err);
    if (status < 0)
        return status == DV_ERR_MEMORY ? status : DV_NOT_FOUND; /* a cursor reports the others */
    s->position += s->taken;
    *rows_out = s->taken;
    return DV_OK;
}
