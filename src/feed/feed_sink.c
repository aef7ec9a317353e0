/* SPDX-License-Identifier: MIT */
/* feed_sink.c: rows that are there anyway, copied once, from where they lie into a matrix.
 *
 * A matrix is plain when its columns hold items of its own, dense, and NA stays: then rows are
 * copied as they are.  Of other columns the rows are gathered first, and then made dense as those
 * of any batch. */
#include "feed/feed_sink.h"
#include "base/alloc.h"
#include "base/attrs.h"
#include "base/check.h"
#include "base/threads.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "view/view.h"
#include "epoch/epoch_order.h"
#include "matrix/dense.h"
#include "rows/block_cache.h"
#include "rows/kept_batch.h"
#include <string.h>

#define LINE 64
#define FETCHED_MOST 512  /* bytes of a row that are fetched ahead; the CPU does the rest */
#define AHEAD_NBYTES 4096 /* so far ahead, where rows are short */
#define BLOCKS_NBYTES ((int64_t)64 << 20) /* that blocks may take which are not there anyway */
#define SHARED_NBYTES ((size_t)128 << 10) /* of a batch that threads copy together */
#define BLOCK_ROWS 1024                   /* where rows are not stored in blocks */

/* The columns of one of the matrices. */
typedef struct side {
    const dvi_feed_matrix *matrix;
    int32_t first, n; /* of the cursor's columns */
    bool is_plain;
} side;

struct dvi_feed_sink {
    const dvi_feed_plan *plan;
    const dv_allocator *allocator;
    dv_cursor_request request;
    int64_t rows; /* of the view */
    side sides[2];

    dvi_block_cache *blocks; /* NULL: rows turned out not to be there anyway */
    dvi_epoch_order *order;
    int64_t
        *numbers; /* of the rows of this batch, `numbered` of them, of which `found` were found */
    dvi_row_ref *refs;
    int64_t numbered, found;

    const dv_type **types; /* of the columns */
    dvi_gather *gathers;   /* one for each column, where a matrix is not plain */
    dv_batch *batch;       /* what they hold */

    dvi_threads *threads; /* `workers` that help the caller to copy a batch; NULL: none does */
    int32_t workers;
    int64_t pieces, jobs; /* into which this batch is cut; pieces of all batches */
    const side *copied;   /* what they copy, and where */
    uint8_t *dst;
    size_t stride;
};

/* --- Does it pay? ----------------------------------------------------------------------------- */

/* One batch from the front: mapped, or in memory that stays?  What cannot be read is numbered
 * later. */
static dv_status is_there(const dvi_feed_plan *plan, bool *there_out, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = plan->columns;
    options.columns_count = plan->columns_count;
    options.threads = 1;
    dv_status status = dv_cursor_open(&cursor, plan->view, &options, err);
    if (status == DV_OK)
        status = dv_cursor_next(cursor, &batch, err);
    *there_out = status == DV_OK && batch->rows > 1;
    for (int32_t k = 0; *there_out && k < plan->columns_count; k++)
        *there_out = dvi_kept_batch_is_free(dv_batch_column(batch, k));
    dv_cursor_close(&cursor);
    return status == DV_ERR_MEMORY ? status : DV_OK;
}

static dv_status does_pay(const dvi_feed_plan *plan, bool *pays_out, dv_error *err)
{
    const dv_epoch_options *order = &plan->order;
    const bool is_straight = order->shuffle == DV_SHUFFLE_NONE && order->shards == 1;
    *pays_out = false;
    if (is_straight || plan->columns_count == 0 || dv_view_rows(plan->view) < 1 ||
        dv_view_block_rows(plan->view) < 1)
        return DV_OK;
    return is_there(plan, pays_out, err);
}

/* --- Making ----------------------------------------------------------------------------------- */

/* Are the items of a column those of the matrix, as many in each row as it has slots? */
static bool is_own(const dvi_feed_matrix *m, const dv_type *type, int32_t k)
{
    const bool is_ticks = type->kind == DV_KIND_TS && m->items == DV_KIND_I8;
    const size_t width = m->dense.widths ? m->dense.widths[k] : 0;
    const size_t slots = (size_t)dv_type_value_count(type);
    return !type->is_key && (type->kind == m->items || is_ticks) && slots > 0 &&
           (width == 0 || width == slots);
}

static void make_side(dvi_feed_sink *d, side *s, const dvi_feed_matrix *matrix, int32_t first)
{
    *s = (side){matrix, first, matrix->dense.columns_count, matrix->dense.na == DV_DENSE_NA_KEEP};
    for (int32_t k = 0; k < s->n; k++)
        s->is_plain = s->is_plain && is_own(matrix, d->types[first + k], k);
}

static dv_status make_blocks(dvi_feed_sink *d, dv_error *err)
{
    const dvi_feed_plan *plan = d->plan;
    const int64_t block_rows = dv_view_block_rows(plan->view);
    const dvi_block_plan blocks = {.block_rows = block_rows > 1 ? block_rows : BLOCK_ROWS,
                                   .end_row = d->rows,
                                   .most_nbytes = INT64_MAX};
    d->request = (dv_cursor_request){.size = sizeof d->request,
                                     .schema = dv_view_schema(plan->view),
                                     .columns = plan->columns,
                                     .columns_count = plan->columns_count,
                                     .end_row = d->rows,
                                     .threads = 1,
                                     .allocator = d->allocator,
                                     .ids = plan->ids};
    return dvi_block_cache_create(&d->blocks, plan->view, &d->request, &blocks, err);
}

static dv_status alloc(const dvi_feed_sink *d, void *list_out, size_t n, size_t nbytes,
                       dv_error *err)
{
    void *made;
    const dv_status status = dvi_alloc_zeroed(d->allocator, &made, n * nbytes, err);
    memcpy(list_out, &made, sizeof made);
    return status;
}

static void copy_piece(void *ctx, int64_t job, int32_t worker);

/* Pieces of one batch after the other are their jobs; they are started by the first one. */
static dv_status make_threads(dvi_feed_sink *d, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = d->plan->threads;
    d->workers = dvi_cursor_read_threads(&options) - 1;
    return d->workers < 1 ? DV_OK
                          : dvi_threads_create(&d->threads, d->workers, d->workers + 1, 0,
                                               copy_piece, d, d->allocator, err);
}

static dv_status make(dvi_feed_sink *d, dv_error *err)
{
    const dvi_feed_plan *plan = d->plan;
    const size_t columns = (size_t)plan->columns_count, rows = (size_t)plan->batch_rows;
    const dv_schema *schema = dv_view_schema(plan->view);
    DVI_TRY(alloc(d, &d->numbers, rows, sizeof *d->numbers, err));
    DVI_TRY(alloc(d, &d->refs, rows, sizeof *d->refs, err));
    DVI_TRY(alloc(d, &d->types, columns, sizeof *d->types, err));
    for (size_t k = 0; k < columns; k++)
        d->types[k] = &dv_schema_column(schema, plan->columns[k])->type;
    make_side(d, &d->sides[0], &plan->features, 0);
    make_side(d, &d->sides[1], &plan->labels, plan->features.dense.columns_count);
    DVI_TRY(alloc(d, &d->gathers, columns, sizeof *d->gathers, err));
    DVI_TRY(
        dvi_batch_create(&d->batch, plan->view, d->types, plan->columns_count, d->allocator, err));
    DVI_TRY(make_threads(d, err));
    return make_blocks(d, err);
}

dv_status dvi_feed_sink_create(dvi_feed_sink **direct_out, const dvi_feed_plan *plan, dv_error *err)
{
    bool pays;
    void *made;
    *direct_out = NULL;
    DVI_TRY(does_pay(plan, &pays, err));
    if (!pays)
        return DV_OK;
    const dv_allocator *allocator = dvi_view_allocator(plan->view);
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_feed_sink), err));
    dvi_feed_sink *d = made;
    d->plan = plan;
    d->allocator = allocator;
    d->rows = dv_view_rows(plan->view);
    const dv_status status = make(d, err);
    if (status < 0)
        dvi_feed_sink_free(&d);
    *direct_out = d;
    return status == DV_ERR_MEMORY ? status : DV_OK; /* others are a cursor's to tell */
}

void dvi_feed_sink_free(dvi_feed_sink **direct)
{
    dvi_feed_sink *d = *direct;
    *direct = NULL;
    if (!d)
        return;
    const size_t columns = (size_t)d->plan->columns_count, rows = (size_t)d->plan->batch_rows;
    const dv_batch *batch = d->batch;
    dv_batch_release(&batch);
    dvi_threads_free(&d->threads);
    dvi_block_cache_free(&d->blocks);
    dvi_epoch_order_free(&d->order);
    for (size_t k = 0; d->gathers && k < columns; k++)
        dvi_gather_free(&d->gathers[k]);
    dvi_free(d->allocator, d->gathers, columns * sizeof *d->gathers);
    dvi_free(d->allocator, d->types, columns * sizeof *d->types);
    dvi_free(d->allocator, d->refs, rows * sizeof *d->refs);
    dvi_free(d->allocator, d->numbers, rows * sizeof *d->numbers);
    dvi_free(d->allocator, d, sizeof *d);
}

dv_status dvi_feed_sink_begin(dvi_feed_sink *d, const dv_epoch_options *order, int64_t first,
                              dv_error *err)
{
    dvi_epoch_plan plan;
    dvi_epoch_order_free(&d->order);
    d->numbered = d->found = 0;
    DVI_TRY(dvi_epoch_plan_make(&plan, d->rows, dv_view_block_rows(d->plan->view), order, err));
    DVI_TRY(dvi_epoch_order_create(&d->order, &plan, d->allocator, err));
    dvi_epoch_order_seek(d->order, first < plan.count ? first : plan.count);
    return DV_OK;
}

/* --- Where the rows are ----------------------------------------------------------------------- */

/* The stock takes more memory than it should: rows have to be decoded after all. */
static bool is_too_much(const dvi_feed_sink *d)
{
    return dvi_block_cache_nbytes(d->blocks) > BLOCKS_NBYTES;
}

static dv_status find_rows(dvi_feed_sink *d, dv_error *err)
{
    if (!d->blocks)
        return DV_NOT_FOUND;
    for (;;) {
        d->found += dvi_block_cache_find(d->blocks, d->numbers + d->found, d->numbered - d->found,
                                         d->refs + d->found);
        if (d->found == d->numbered)
            break;
        const dv_status status = dvi_block_cache_load(d->blocks, d->numbers[d->found], err);
        DVI_TRY(status);
        if (status == DV_END || is_too_much(d)) {
            dvi_block_cache_free(&d->blocks);
            return DV_NOT_FOUND;
        }
    }
    return dvi_view_check(d->plan->view, NULL) == DV_OK ? DV_OK : DV_NOT_FOUND;
}

/* --- Plain matrices --------------------------------------------------------------------------- */

static bool is_dense(const dvi_feed_sink *d, const side *s)
{
    for (int32_t k = s->first; k < s->first + s->n; k++)
        for (int64_t i = 0; d->types[k]->rank > 0 && i < d->numbered; i++)
            if (d->refs[i].columns[k].item_at)
                return false;
    return true;
}

/* Where the slots of a column begin in row 0 of a matrix, and how they are copied. */
typedef struct lot {
    uint8_t *dst;
    size_t pitch, nbytes; /* bytes from row to row, and of one */
    int32_t column;
} lot;

static const uint8_t *row_of(const dvi_row_ref *ref, const lot *l)
{
    return ref->columns[l->column].values + (size_t)ref->row * l->nbytes;
}

/* With a width that the compiler knows, a copy is a load and a store. */
#define COPY_ROWS(width)                                                                           \
    for (int64_t i = 0; i < n; i++) {                                                              \
        DVI_FETCH(row_of(&refs[i + ahead < n ? i + ahead : i], l));                                \
        memcpy(l->dst + (size_t)i * l->pitch, row_of(&refs[i], l), width);                         \
    }

static void copy_items(const lot *l, const dvi_row_ref *refs, int64_t n)
{
    const int64_t ahead = AHEAD_NBYTES / LINE;
    if (l->nbytes == 4) {
        COPY_ROWS(4)
    } else {
        COPY_ROWS(8)
    }
}

/* Rows that are vectors start where nobody expects them. */
static void fetch_row(const uint8_t *at, size_t nbytes)
{
    const size_t most = nbytes < FETCHED_MOST ? nbytes : FETCHED_MOST;
    for (size_t i = 0; i < most; i += LINE)
        DVI_FETCH(at + i);
}

static void copy_vectors(const lot *l, const dvi_row_ref *refs, int64_t n)
{
    const int64_t ahead = 1 + (int64_t)(AHEAD_NBYTES / l->nbytes);
    for (int64_t i = 0; i < n; i++) {
        if (i + ahead < n)
            fetch_row(row_of(&refs[i + ahead], l), l->nbytes);
        memcpy(l->dst + (size_t)i * l->pitch, row_of(&refs[i], l), l->nbytes);
    }
}

/* Some rows of the batch: what one thread copies. */
static void copy_piece(void *ctx, int64_t job, int32_t worker)
{
    const dvi_feed_sink *d = ctx;
    const side *s = d->copied;
    const int64_t piece = job % d->pieces;
    const int64_t from = d->numbered * piece / d->pieces,
                  to = d->numbered * (piece + 1) / d->pieces;
    const size_t item = s->matrix->item_nbytes, pitch = d->stride * item;
    uint8_t *dst = d->dst + (size_t)from * pitch;
    (void)worker;
    for (int32_t k = s->first; k < s->first + s->n; k++) {
        const size_t slots = (size_t)dv_type_value_count(d->types[k]);
        const lot l = {dst, pitch, slots * item, k};
        if (slots == 1)
            copy_items(&l, d->refs + from, to - from);
        else
            copy_vectors(&l, d->refs + from, to - from);
        dst += l.nbytes;
    }
}

static void copy_rows(dvi_feed_sink *d, const side *s, void *dst, size_t stride)
{
    const size_t nbytes = (size_t)d->numbered * s->matrix->width * s->matrix->item_nbytes;
    const bool is_shared = d->threads && nbytes >= SHARED_NBYTES;
    d->copied = s;
    d->dst = dst;
    d->stride = stride;
    d->pieces = is_shared ? d->workers + 1 : 1;
    if (!is_shared) {
        copy_piece(d, 0, 0);
        return;
    }
    const int64_t first = d->jobs;
    d->jobs += d->pieces;
    dvi_threads_allow(d->threads, d->jobs);
    for (int64_t job = first; job < d->jobs; job++)
        dvi_threads_wait(d->threads, job);
    dvi_threads_give_back(d->threads, d->jobs);
}

/* --- Others ----------------------------------------------------------------------------------- */

static dv_status gather_rows(dvi_feed_sink *d, const side *s, dv_error *err)
{
    for (int32_t k = s->first; k < s->first + s->n; k++) {
        dvi_gather_reset(&d->gathers[k]);
        DVI_TRY(dvi_row_refs_reserve(&d->gathers[k], d->types[k], k, d->refs, d->numbered,
                                     d->allocator, err));
        dvi_row_refs_append(&d->gathers[k], d->types[k], k, d->refs, d->numbered);
        dvi_column column;
        dvi_gather_view(&d->gathers[k], d->types[k], &column);
        dvi_batch_set_slot(d->batch, k, &column.view);
    }
    return DV_OK;
}

static dv_status gather_and_fill(dvi_feed_sink *d, const side *s, void *dst, size_t stride,
                                 dv_error *err)
{
    DVI_TRY(dv_batch_start(d->batch, 0, d->numbered, err));
    dv_status status = gather_rows(d, s, err);
    if (status == DV_OK)
        status = dvi_dense_batch(d->batch, dst, stride, s->matrix->items, &s->matrix->dense, err);
    dvi_batch_clear(d->batch);
    return status;
}

static dv_status fill(dvi_feed_sink *d, const side *s, void *dst, size_t stride, dv_error *err)
{
    if (s->n == 0)
        return DV_OK; /* no labels, and so no matrix of them */
    if (!s->is_plain || !is_dense(d, s))
        return gather_and_fill(d, s, dst, stride, err);
    copy_rows(d, s, dst, stride);
    return DV_OK;
}

static void copy_ids(const dvi_feed_sink *d, dv_u128 *ids)
{
    for (int64_t i = 0; d->plan->ids && i < d->numbered; i++) {
        const dvi_row_ref *ref = &d->refs[i];
        memcpy(&ids[i], ref->columns[d->plan->columns_count].values + 16 * ref->row, 16);
    }
}

dv_status dvi_feed_sink_next(dvi_feed_sink *d, const dvi_feed_target *target, int64_t *rows_out,
                             dv_error *err)
{
    *rows_out = 0;
    if (d->numbered == 0)
        d->numbered = dvi_epoch_order_next(d->order, d->numbers, d->plan->batch_rows);
    if (d->numbered == 0)
        return DV_OK;
    const dv_status status = find_rows(d, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(fill(d, &d->sides[0], target->features, target->features_stride, err));
    DVI_TRY(fill(d, &d->sides[1], target->labels, target->labels_stride, err));
    copy_ids(d, target->ids);
    *rows_out = d->numbered;
    d->numbered = d->found = 0;
    return DV_OK;
}
