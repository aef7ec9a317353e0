/* SPDX-License-Identifier: MIT */
/* bucket_view.c: rows in buckets of similar lengths (bucket.h). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "view/identity.h"
#include "scan/derived.h"
#include "gather/gather_cursor.h"
#include "order/bucket_order.h"
#include "order/epoch_list.h"
#include "order/permutation.h"
#include "order/row_lengths.h"
#include <dataview/bucket.h>

#define POOL_GROUPS 100

typedef struct bucket {
    dvi_derived base;
    int32_t column;
    dvi_bucket_plan plan;
    dvi_epoch_list list;
} bucket;

/* --- Rows ------------------------------------------------------------------------------------- */

/* Rows of a pool are near each other, unless pools are drawn from all rows. */
static dvi_gather_plan gather_plan(const dvi_bucket_plan *p)
{
    const bool is_any = p->shuffle == DV_SHUFFLE_UNIFORM;
    return (dvi_gather_plan){.what = "rows in buckets",
                             .end_row = p->rows,
                             .window_rows = is_any ? 0 : p->pool_rows,
                             .keeps_blocks = is_any};
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    bucket *b = self;
    const dvi_epoch_lister lister = {&b->plan, b->plan.rows, dvi_bucket_list};
    dvi_row_numbers rows;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "rows in buckets",
                        "rows as they are stored|rows in an order of their own");
    DVI_TRY(dvi_epoch_list_open(&rows, &b->list, &lister, dvi_max_i64(request->epoch, 0),
                                request->allocator, err));
    const dvi_gather_plan plan = gather_plan(&b->plan);
    return dvi_gather_cursor_open(cursor_out, b->base.source, request, &plan, &rows, err);
}

/* --- What is known of the view ---------------------------------------------------------------- */

static int64_t count_rows(void *self)
{
    return ((const bucket *)self)->plan.rows;
}

/* Neighbouring rows are not stored together. */
static int64_t block_rows(void *self)
{
    return dvi_derived_block_rows(self) > 0;
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const bucket *b = self;
    const dvi_bucket_plan *p = &b->plan;
    const int64_t numbers[] = {b->column,  p->batch_rows,    p->pool_rows,
                               p->shuffle, (int64_t)p->seed, p->rows};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dvi_identity_add_i8(identity, numbers[i]);
    return dv_identity_add_view(identity, b->base.source, err);
}

static void close_view(void *self)
{
    bucket *b = self;
    dvi_epoch_list_free(&b->list);
    dvi_free(&b->base.arena.allocator, b->plan.lengths,
             (size_t)b->plan.rows * sizeof *b->plan.lengths);
    dvi_derived_close(b);
}

static const dv_view_class bucket_class = {.size = sizeof bucket_class,
                                           .kind = "bucket",
                                           .rows = count_rows,
                                           .can_shuffle = dvi_never_shuffles,
                                           .close = close_view,
                                           .open_cursor = open_cursor,
                                           .next = dvi_gather_cursor_next,
                                           .close_cursor = dvi_gather_cursor_close,
                                           .check = dvi_nothing_to_check,
                                           .inspect = dvi_no_facts,
                                           .seek = dvi_gather_cursor_seek,
                                           .block_rows = block_rows,
                                           .identify = identify};

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status check_options(const dv_bucket_options *o, dv_error *err)
{
    DVI_TRY(dvi_options_least("batch_rows", o->batch_rows, 1, err));
    DVI_TRY(dvi_options_least("pool_rows", o->pool_rows, 0, err));
    DVI_TRY(dvi_options_least("threads", o->threads, 0, err));
    DVI_REQUIRE(o->batch_rows <= INT32_MAX && o->pool_rows <= INT32_MAX,
                dvi_fail_argument(err, "batch_rows is %lld, pool_rows %lld: at most 2^31-1",
                                  (long long)o->batch_rows, (long long)o->pool_rows));
    DVI_REQUIRE(o->shuffle == DV_SHUFFLE_NONE || o->shuffle == DV_SHUFFLE_UNIFORM ||
                    o->shuffle == DV_SHUFFLE_POOL,
                dvi_fail_argument(err,
                                  "shuffle is %d: buckets are shuffled by DV_SHUFFLE_UNIFORM, "
                                  "DV_SHUFFLE_POOL or DV_SHUFFLE_NONE",
                                  (int)o->shuffle));
    return DV_OK;
}

static dv_status check_source(const dv_view *source, dv_error *err)
{
    const int64_t rows = dv_view_rows(source);
    DVI_REQUIRE(dv_view_block_rows(source) > 0 && rows >= 0,
                dvi_fail_argument(err, "buckets of rows that are reached only in sequence: "
                                       "materialize the view (dv_view_materialize), or cache it"));
    DVI_REQUIRE(rows <= DVI_PERMUTATION_MOST,
                dvi_fail(err, DV_ERR_LIMIT, "rows", -1, "rows in buckets", "%lld at most|%lld",
                         (long long)DVI_PERMUTATION_MOST, (long long)rows));
    return DV_OK;
}

/* Whole groups: below 2^32 rows, so that a position in a pool has 32 bits. */
static int64_t pool_rows_of(const dv_bucket_options *o)
{
    const int64_t wanted =
        o->pool_rows > 0 ? o->pool_rows : dvi_min_i64(POOL_GROUPS * o->batch_rows, INT32_MAX);
    return (wanted + o->batch_rows - 1) / o->batch_rows * o->batch_rows;
}

/* The lengths are not zeroed: a file may claim rows. */
static dv_status read_lengths(bucket *b, const dv_bucket_options *o, dv_error *err)
{
    dvi_bucket_plan *p = &b->plan;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    void *lengths;
    size_t nbytes;
    cursor.threads = o->threads;
    cursor.progress = o->progress;
    if (!dvi_size_mul((size_t)p->rows, sizeof *p->lengths, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_alloc(&b->base.arena.allocator, &lengths, nbytes, err));
    p->lengths = lengths;
    return dvi_row_lengths_read(lengths, p->rows, b->base.source, b->column, &cursor, false, err);
}

static dv_status set_up(bucket *b, int32_t column, const dv_bucket_options *given, dv_error *err)
{
    dv_bucket_options o = DV_BUCKET_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(&o, sizeof o, given, "DV_BUCKET_OPTIONS_INIT", err));
    DVI_TRY(check_options(&o, err));
    DVI_TRY(check_source(b->base.source, err));
    b->column = column;
    b->plan.rows = dv_view_rows(b->base.source);
    b->plan.batch_rows = o.batch_rows;
    b->plan.pool_rows = pool_rows_of(&o);
    b->plan.shuffle = o.shuffle;
    b->plan.seed = o.seed;
    return read_lengths(b, &o, err);
}

dv_status dv_view_bucket(dv_view **view_out, dv_view *source, int32_t column,
                         const dv_bucket_options *options, const dv_allocator *allocator,
                         dv_error *err)
{
    void *made;
    *view_out = NULL;
    DVI_TRY(dvi_derived_create(&made, sizeof(bucket), source, allocator, err));
    bucket *b = made;
    dvi_epoch_list_init(&b->list, &b->base.arena.allocator);
    const dv_status status = set_up(b, column, options, err);
    if (status != DV_OK) {
        close_view(b);
        return status;
    }
    b->base.traits = &dvi_reordered_traits;
    return dvi_derived_view(view_out, &bucket_class, b, NULL, err);
}
