/* SPDX-License-Identifier: MIT */
/* epoch_view.c: the rows of one epoch that fall to one worker (epoch.h). */
#include "order/epoch_view.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/identity.h"
#include "scan/cursor.h"
#include "scan/derived.h"
#include "scan/view_chain.h"
#include "gather/gather_cursor.h"
#include "order/epoch_order.h"

/* One row of nine million is still in the pool after so many pools of rows were drawn. */
#define WINDOW_POOLS 16

typedef struct epoch {
    dvi_derived base;
    dv_view *of; /* the view that was given: the source, unless columns are made above the order */
    bool is_below; /* such columns are made of these rows */
    dvi_epoch_plan plan;
} epoch;

/* --- Rows in an order of their own ------------------------------------------------------------ */

static int64_t next_numbers(void *ctx, int64_t position, int64_t *rows_out, int64_t n)
{
    dvi_epoch_order *order = ctx;
    dvi_epoch_order_seek(order, position);
    return dvi_epoch_order_next(order, rows_out, n);
}

static void close_numbers(void *ctx)
{
    dvi_epoch_order *order = ctx;
    dvi_epoch_order_free(&order);
}

dvi_gather_plan dvi_epoch_gather_plan(const dvi_epoch_plan *plan, int64_t position, bool all)
{
    dvi_gather_plan how = {.what = "rows of the epoch", .end_row = plan->rows};
    const bool is_pool = plan->shuffle == DV_SHUFFLE_POOL && plan->input != DVI_POOL_OF_A_CACHE;
    const bool is_blocks = plan->shuffle == DV_SHUFFLE_BLOCKS;
    const bool deals_rows = plan->shards > 1 && !plan->by_blocks;
    const int64_t pool_rows = is_pool ? plan->pool_rows : is_blocks ? plan->block_rows : 0;
    if (is_pool || is_blocks)
        how.block_rows = plan->block_rows;
    if (all && !deals_rows)
        how.pool_rows = pool_rows;
    else /* other readers have most rows of a block */
        how.window_rows = dvi_min_i64(pool_rows, INT64_MAX / WINDOW_POOLS) * WINDOW_POOLS;
    how.every_block = position == 0 && plan->first == 0 && (plan->shards == 1 || deals_rows);
    how.ascending = plan->shuffle == DV_SHUFFLE_NONE;
    how.keeps_blocks = plan->shuffle == DV_SHUFFLE_UNIFORM;
    return how;
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    const epoch *e = self;
    dvi_epoch_order *order;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "zero_copy_only",
                        "rows as they are stored|rows of an epoch, which are gathered");
    DVI_TRY(dvi_epoch_order_create(&order, &e->plan, request->allocator, err));
    const dvi_gather_plan plan = dvi_epoch_gather_plan(&e->plan, request->first_row, true);
    const dvi_row_numbers numbers = {next_numbers, close_numbers, order};
    return dvi_gather_cursor_open(cursor_out, e->base.source, request, &plan, &numbers, err);
}

static int64_t count_rows(void *self)
{
    return ((const epoch *)self)->plan.count;
}

/* Reaching a row of a pool takes all draws before it.  Rows for columns above are not divided by
 * number, as two members of a set would read the same blocks. */
static int64_t block_rows(void *self)
{
    const epoch *e = self;
    const int64_t stored = dv_view_block_rows(e->of);
    if (e->is_below)
        return 0;
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

/* What the order is made from, and where the view begins in it. */
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
    return dv_identity_add_view(identity, e->of, err);
}

static const dv_view_class epoch_class = {.size = sizeof epoch_class,
                                          .kind = "epoch",
                                          .rows = count_rows,
                                          .can_shuffle = dvi_never_shuffles,
                                          .open_cursor = open_cursor,
                                          .next = dvi_gather_cursor_next,
                                          .close_cursor = dvi_gather_cursor_close,
                                          .check = dvi_nothing_to_check,
                                          .inspect = dvi_no_facts,
                                          .seek = dvi_gather_cursor_seek,
                                          .block_rows = block_rows,
                                          .identify = identify};

/* Rows that the source has in their order: in the order of the view, for one worker, or made of
 * rows in order.  The batches are the source's. */
static const dv_view_class passing_class = {.size = sizeof passing_class,
                                            .kind = "epoch",
                                            .rows = count_rows,
                                            .can_shuffle = dvi_never_shuffles,
                                            .inspect = dvi_no_facts,
                                            .block_rows = block_rows,
                                            .identify = identify};

/* What its columns cost, which are read as they are. */
static int64_t job_rows(void *self, int32_t column)
{
    return dvi_view_job_rows(((const epoch *)self)->of, &column, 1);
}

static bool decodes_blocks(void *self)
{
    return dvi_view_decodes_blocks(((const epoch *)self)->of);
}

static const dvi_view_traits straight_traits = {.job_rows = job_rows,
                                                .decodes_blocks = decodes_blocks};

/* --- Making ----------------------------------------------------------------------------------- */

static void release_view(void *of)
{
    dv_view *view = of;
    dv_view_release(&view);
}

/* How the rows of a view come from its source. */
typedef enum role { ORDERED, BELOW, ABOVE, STRAIGHT } role;

/* The epoch of the view `of`, as rows of `source`. */
static dv_status create_from(dv_view **view_out, dv_view *source, dv_view *of,
                             const dvi_epoch_plan *plan, role as, const dv_allocator *allocator,
                             dv_error *err)
{
    void *made;
    DVI_TRY(dvi_derived_create(&made, sizeof(epoch), source, allocator, err));
    epoch *e = made;
    e->of = of;
    e->plan = *plan;
    e->is_below = as == BELOW;
    e->base.traits = &dvi_reordered_traits;
    if (as == STRAIGHT) {
        e->base.traits = &straight_traits;
        e->base.first_row = plan->first;
        e->base.rows_most = plan->count;
    }
    dv_view_retain(of);
    const dv_status status = dvi_arena_own(&e->base.arena, release_view, of, err);
    const bool is_ordered = as == ORDERED || as == BELOW;
    if (status == DV_OK)
        return dvi_derived_view(view_out, is_ordered ? &epoch_class : &passing_class, e, NULL, err);
    dvi_derived_close(e);
    return status;
}

/* Columns that take long are made of rows that are in order already: then it is what they are made
 * of that is kept of other rows of a block or of the pool, and threads share the work. */
static dv_status create_above(dv_view **view_out, dv_view *source, dv_view *base,
                              const dvi_epoch_plan *plan, const dv_allocator *allocator,
                              dv_error *err)
{
    dv_view *ordered = NULL, *made;
    DVI_TRY(create_from(&ordered, base, base, plan, BELOW, allocator, err));
    dv_status status = dvi_rebase(&made, source, base, ordered, err);
    dv_view_release(&ordered);
    if (status == DV_OK)
        status = create_from(view_out, made, source, plan, ABOVE, allocator, err);
    dv_view_release(&made);
    return status;
}

static dv_status create(dv_view **view_out, dv_view *source, const dvi_epoch_plan *plan,
                        const dv_allocator *allocator, dv_error *err)
{
    const bool is_straight = plan->shuffle == DV_SHUFFLE_NONE && plan->shards == 1;
    dv_view *base = is_straight ? NULL : dvi_find_quick(source);
    if (base)
        return create_above(view_out, source, base, plan, allocator, err);
    return create_from(view_out, source, source, plan, is_straight ? STRAIGHT : ORDERED, allocator,
                       err);
}

static dv_status count_by_reading(dv_cursor *cursor, const dv_progress *progress, int64_t *rows_out,
                                  dv_error *err)
{
    const dv_batch *batch;
    dv_status status;
    int64_t rows = 0;
    DVI_TRY(dvi_report_progress(progress, "rows not counted", 0, DV_ROWS_UNKNOWN, err));
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        rows += batch->rows;
        DVI_TRY(dvi_report_progress(progress, "rows not counted", rows, DV_ROWS_UNKNOWN, err));
    }
    DVI_TRY(status);
    *rows_out = rows;
    return dvi_report_progress(progress, "rows not counted", rows, rows, err);
}

dv_status dvi_epoch_count_rows(dv_view *source, const dv_progress *progress, int64_t *rows_out,
                               dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    *rows_out = dv_view_rows(source);
    if (*rows_out >= 0)
        return DV_OK;
    options.columns_count = 0;
    DVI_TRY(dv_cursor_open(&cursor, source, &options, err));
    const dv_status status = count_by_reading(cursor, progress, rows_out, err);
    dv_cursor_close(&cursor);
    return status;
}

dv_status dv_view_epoch(dv_view **view_out, dv_view *source, const dv_epoch_options *options,
                        const dv_allocator *allocator, dv_error *err)
{
    dv_epoch_options own;
    dvi_epoch_plan plan;
    int64_t rows;
    *view_out = NULL;
    DVI_TRY(dvi_epoch_read_options(options, &own, err));
    DVI_TRY(dvi_epoch_count_rows(source, &own.progress, &rows, err));
    DVI_TRY(dvi_epoch_plan_make(&plan, rows, dv_view_block_rows(source), &own, err));
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
    DVI_TRY(dvi_epoch_count_rows(source, &(dv_progress){NULL, NULL}, &rows, err));
    DVI_TRY(dvi_epoch_plan_pool(&plan, rows, stored > 1 ? stored : DVI_EPOCH_BLOCK_ROWS, input,
                                pool_rows, random, err));
    return create(view_out, source, &plan, allocator, err);
}
