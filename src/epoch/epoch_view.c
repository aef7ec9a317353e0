/* SPDX-License-Identifier: MIT */
/* epoch_view.c: the rows of one epoch that fall to one worker (epoch.h). */
#include "epoch/epoch_view.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "view/derived.h"
#include "view/identity.h"
#include "epoch/epoch_order.h"
#include "rows/row_batches.h"

/* A row is still in the pool when so many pools of rows have come since: one of nine million. */
#define WINDOW_POOLS 16

typedef struct epoch {
    dvi_derived base;
    dvi_epoch_plan plan;
} epoch;

typedef struct reader {
    const epoch *e;
    const dv_cursor_request *request;
    dvi_epoch_order *order;
    dvi_row_batches *batches;
    int64_t told; /* the first position whose number the fetch was not told */
    int64_t at;   /* the first that is not delivered */
} reader;

/* --- Rows in an order of their own ------------------------------------------------------------ */

static int64_t next_numbers(void *ctx, int64_t *rows_out, int64_t n)
{
    reader *r = ctx;
    n = dvi_epoch_order_next(r->order, rows_out, dvi_min_i64(n, r->request->end_row - r->told));
    r->told += n;
    return n;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    reader *r = cursor;
    const dv_status status = dvi_row_batches_next(r->batches, r->at, batch, err);
    if (status == DV_OK)
        r->at += batch->rows;
    return status;
}

static dv_status seek(void *cursor, dv_error *err)
{
    reader *r = cursor;
    r->at = r->told = r->request->first_row;
    dvi_epoch_order_seek(r->order, r->at);
    return dvi_row_batches_restart(r->batches, err);
}

static void close_cursor(void *cursor)
{
    reader *r = cursor;
    dvi_row_batches_free(&r->batches);
    dvi_epoch_order_free(&r->order);
    dvi_free(r->request->allocator, r, sizeof *r);
}

/* How the numbers of a plan come, from its number `at` on. */
static dvi_gather_plan gather_plan_of(const dvi_epoch_plan *plan, int64_t at)
{
    dvi_gather_plan how = {.what = "rows of the epoch", .end_row = plan->rows};
    const bool is_pool = plan->shuffle == DV_SHUFFLE_POOL && plan->input != DVI_POOL_OF_A_CACHE;
    if (is_pool || plan->shuffle == DV_SHUFFLE_BLOCKS)
        how.block_rows = plan->block_rows;
    const bool is_shared = plan->shards > 1 && !plan->by_blocks;
    if (is_pool && !is_shared)
        how.pool_rows = plan->pool_rows;
    if (is_pool && is_shared) /* most rows of a block are others' */
        how.window_rows = plan->pool_rows * WINDOW_POOLS;
    if (plan->shuffle == DV_SHUFFLE_BLOCKS)
        how.pool_rows = plan->block_rows;
    how.every_block = at == 0 && plan->first == 0 && (plan->shards == 1 || !plan->by_blocks);
    how.ascending = plan->shuffle == DV_SHUFFLE_NONE;
    return how;
}

static dv_status open_batches(reader *r, dv_error *err)
{
    const epoch *e = r->e;
    const dvi_gather_plan how = gather_plan_of(&e->plan, r->at);
    DVI_TRY(dvi_epoch_order_create(&r->order, &e->plan, r->request->allocator, err));
    dvi_epoch_order_seek(r->order, r->at);
    return dvi_row_batches_create(&r->batches, e->base.source, r->request, &how,
                                  &(dvi_row_numbers){next_numbers, r}, err);
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    void *made;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "zero_copy_only",
                        "rows as they are stored|rows of an epoch, which are gathered");
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(reader), err));
    reader *r = made;
    *r = (reader){.e = self, .request = request, .told = request->first_row};
    r->at = request->first_row;
    const dv_status status = open_batches(r, err);
    if (status < 0)
        close_cursor(r);
    else
        *cursor_out = r;
    return status;
}

static int64_t count_rows(void *self)
{
    return ((const epoch *)self)->plan.count;
}

/* Going to a row of a pool takes all draws before it. */
static int64_t block_rows(void *self)
{
    const epoch *e = self;
    const int64_t stored = dv_view_block_rows(e->base.source);
    switch (e->plan.shuffle) {
    case DV_SHUFFLE_POOL:
        return 0;
    case DV_SHUFFLE_BLOCKS:
        return e->plan.block_rows;
    case DV_SHUFFLE_UNIFORM:
        return 1;
    default:
        return stored;
    }
}

/* What the order is made from, and where in it the view begins. */
static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const epoch *e = self;
    const dvi_epoch_plan *p = &e->plan;
    const int64_t numbers[] = {p->shuffle,   (int64_t)p->key, p->rows,  p->block_rows,
                               p->input,     p->pool_rows,    p->shard, p->shards,
                               p->by_blocks, p->first,        p->count};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dvi_identity_add_i8(identity, numbers[i]);
    dv_identity_add(identity, &p->random, sizeof p->random);
    return dv_identity_add_view(identity, e->base.source, err);
}

static const dv_view_class epoch_class = {.size = sizeof epoch_class,
                                          .kind = "epoch",
                                          .rows = count_rows,
                                          .can_shuffle = dvi_never_shuffles,
                                          .open_cursor = open_cursor,
                                          .next = next,
                                          .close_cursor = close_cursor,
                                          .check = dvi_nothing_to_check,
                                          .inspect = dvi_no_facts,
                                          .seek = seek,
                                          .block_rows = block_rows,
                                          .identify = identify};

/* Rows in their order, for one worker: batches are the source's. */
static const dv_view_class straight_class = {.size = sizeof straight_class,
                                             .kind = "epoch",
                                             .rows = count_rows,
                                             .can_shuffle = dvi_never_shuffles,
                                             .inspect = dvi_no_facts,
                                             .block_rows = block_rows,
                                             .identify = identify};

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status create(dv_view **view_out, dv_view *source, const dvi_epoch_plan *plan,
                        const dv_allocator *allocator, dv_error *err)
{
    void *made;
    const bool is_straight = plan->shuffle == DV_SHUFFLE_NONE && plan->shards == 1;
    DVI_TRY(dvi_derived_create(&made, sizeof(epoch), source, allocator, err));
    epoch *e = made;
    e->plan = *plan;
    e->base.first_row = plan->first;
    e->base.rows_most = plan->count;
    return dvi_derived_view(view_out, is_straight ? &straight_class : &epoch_class, e, NULL, err);
}

/* Where the source does not know it, by reading it without columns. */
static dv_status count_source(dv_view *source, int64_t *rows_out, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    *rows_out = dv_view_rows(source);
    if (*rows_out >= 0)
        return DV_OK;
    int64_t rows = 0;
    options.columns_count = 0;
    DVI_TRY(dv_cursor_open(&cursor, source, &options, err));
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        rows += batch->rows;
    dv_cursor_close(&cursor);
    *rows_out = rows;
    return status < 0 ? status : DV_OK;
}

dv_status dv_view_epoch(dv_view **view_out, dv_view *source, const dv_epoch_options *options,
                        const dv_allocator *allocator, dv_error *err)
{
    dvi_epoch_plan plan;
    int64_t rows;
    *view_out = NULL;
    DVI_TRY(count_source(source, &rows, err));
    DVI_TRY(dvi_epoch_plan_make(&plan, rows, dv_view_block_rows(source), options, err));
    return create(view_out, source, &plan, allocator, err);
}

dv_status dvi_epoch_of_pool(dv_view **view_out, dv_view *source, dvi_pool_input input,
                            int64_t pool_rows, dvi_random random, const dv_allocator *allocator,
                            dv_error *err)
{
    dvi_epoch_plan plan;
    int64_t rows;
    const int64_t stored = dv_view_block_rows(source);
    *view_out = NULL;
    DVI_TRY(count_source(source, &rows, err));
    DVI_TRY(dvi_epoch_plan_pool(&plan, rows, stored > 1 ? stored : DVI_EPOCH_BLOCK_ROWS, input,
                                pool_rows, random, err));
    return create(view_out, source, &plan, allocator, err);
}
