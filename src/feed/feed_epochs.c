/* SPDX-License-Identifier: MIT */
/* feed_epochs.c: the rows of one epoch after the other, as matrices. */
#include "feed/feed_epochs.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/view.h"
#include "feed/feed_rows.h"
#include "matrix/dense.h"
#include "order/epoch_plan.h"
#include <dataview/cursor.h>
#include <string.h>

/* --- Epochs ----------------------------------------------------------------------------------- */

static void close_epoch(dvi_feed_epochs *r)
{
    r->is_open = r->has_moved = false;
    dv_cursor_close(&r->cursor);
    dv_view_release(&r->view);
    r->waiting = 0;
}

static dv_epoch_options order_of(const dvi_feed_epochs *r)
{
    dv_epoch_options order = r->plan->order;
    order.epoch = r->at.epoch;
    order.start = r->at.start;
    return order;
}

/* Are the options of the order as an epoch wants them? */
static dv_status check_order(const dv_view *view, const dv_epoch_options *order, dv_error *err)
{
    dvi_epoch_plan plan;
    return dvi_epoch_plan_make(&plan, dvi_max_i64(dv_view_rows(view), 0), dv_view_block_rows(view),
                               order, err);
}

/* Make the view of the epoch; *first_out is the first of its rows that is wanted. */
static dv_status open_view(dvi_feed_epochs *r, int64_t *first_out, dv_error *err)
{
    const dvi_feed_plan *plan = r->plan;
    const dv_epoch_options order = order_of(r);
    if (dvi_feed_plan_is_straight(plan)) {
        DVI_TRY(check_order(plan->view, &order, err));
        DVI_REQUIRE(!__builtin_add_overflow(r->at.start, r->at.rows, first_out),
                    dvi_fail_argument(err, "start %lld is too large", (long long)r->at.start));
        dv_view_retain(plan->view);
        r->view = plan->view;
        return DV_OK;
    }
    *first_out = r->at.rows;
    return dv_view_epoch(&r->view, plan->view, &order, dvi_view_allocator(plan->view), err);
}

static dv_status open_cursor(dvi_feed_epochs *r, dv_error *err)
{
    const dvi_feed_plan *plan = r->plan;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_status status = open_view(r, &options.first_row, err);
    options.columns = plan->columns;
    options.columns_count = plan->columns_count;
    options.batch_rows = plan->batch_rows;
    options.threads = plan->threads;
    options.ids = plan->ids;
    options.epoch = r->at.epoch;
    if (status == DV_OK)
        status = dv_cursor_open(&r->cursor, r->view, &options, err);
    if (status < 0)
        close_epoch(r);
    return status;
}

static dv_status open_epoch(dvi_feed_epochs *r, dv_error *err)
{
    const dv_epoch_options order = order_of(r);
    const dv_status status =
        r->rows ? dvi_feed_rows_begin(r->rows, &order, r->at.rows, err) : open_cursor(r, err);
    r->is_open = status == DV_OK;
    return status;
}

static void next_epoch(dvi_feed_epochs *r)
{
    close_epoch(r);
    r->at = (dvi_feed_position){.epoch = r->at.epoch + 1, .batches = r->at.batches};
}

dv_status dvi_feed_epochs_open(dvi_feed_epochs *r, const dvi_feed_plan *plan, dv_error *err)
{
    *r = (dvi_feed_epochs){.plan = plan, .at = plan->first};
    if (r->at.epoch >= plan->end_epoch)
        return DV_OK;
    r->whole_request = (dv_cursor_request){.size = sizeof r->whole_request,
                                           .schema = dv_view_schema(plan->view),
                                           .columns = plan->columns + plan->whole,
                                           .columns_count = plan->whole_count,
                                           .allocator = dvi_view_allocator(plan->view)};
    DVI_TRY(dvi_gathered_make(&r->whole, &r->whole_request, err));
    r->whole.first = plan->whole;
    DVI_TRY(dvi_feed_rows_create(&r->rows, plan, &r->whole, err));
    return open_epoch(r, err);
}

void dvi_feed_epochs_close(dvi_feed_epochs *r)
{
    close_epoch(r);
    dvi_feed_rows_free(&r->rows);
    dvi_gathered_free(&r->whole);
}

/* --- Batches ---------------------------------------------------------------------------------- */

/* Make a batch for columns as they are.  The target's is used again unless it is retained. */
static dv_status make_columns(const dvi_feed_epochs *r, dvi_feed_target *target, dv_error *err)
{
    const dvi_feed_plan *plan = r->plan;
    const dv_allocator *allocator = dvi_view_allocator(plan->view);
    const dv_type **types;
    if (target->columns && dvi_batch_is_sole(target->columns)) {
        dvi_batch_clear(target->columns);
        return DV_OK;
    }
    dvi_feed_target_free(target);
    const size_t n = (size_t)plan->whole_count;
    DVI_TRY(DVI_NEW(allocator, &types, n, err));
    for (int32_t k = 0; k < plan->whole_count; k++)
        types[k] = dvi_row_type(&r->whole_request, k);
    const dv_status status =
        dvi_batch_create(&target->columns, plan->view, types, plan->whole_count, allocator, err);
    dvi_free(allocator, types, n * sizeof *types);
    return status;
}

/* Hand the columns that were gathered to the target: none were of the batch of another worker. */
static dv_status deliver_columns(dvi_feed_epochs *r, dvi_feed_target *target, int64_t rows,
                                 dv_error *err)
{
    if (r->plan->whole_count == 0 || !dvi_feed_plan_has(r->plan, &r->at))
        return DV_OK;
    DVI_TRY(make_columns(r, target, err));
    DVI_TRY(dv_batch_start(target->columns, r->at.rows, rows, err));
    dvi_gathered_lend(&r->whole, 0, r->plan->whole_count, target->columns);
    dvi_gathered_reset(&r->whole);
    return DV_OK;
}

void dvi_feed_target_free(dvi_feed_target *target)
{
    const dv_batch *columns = target->columns;
    dv_batch_release(&columns);
    target->columns = NULL;
}

/* The target holds these rows; move the position after them. */
static dv_status deliver(dvi_feed_epochs *r, dvi_feed_target *target, int64_t rows, dv_error *err)
{
    DVI_TRY(deliver_columns(r, target, rows, err));
    target->rows = rows;
    target->before = r->at;
    r->at.rows += rows;
    r->at.batches++;
    target->after = r->at;
    return DV_OK;
}

/* The epoch is over.  An endless feed must not search for a batch forever: it ends if no epoch has
 * one.  A shard that gets only the last, short block in some epochs has batches in others. */
static void count_barren(dvi_feed_epochs *r)
{
    r->barren = r->at.start == 0 && r->at.rows == 0 ? r->barren + 1 : 0;
    r->is_over = r->barren == DVI_FEED_BARREN;
}

/* The rows of the epoch are over.  DV_OK: the target holds its last batch; DV_END: none is left. */
static dv_status end_epoch(dvi_feed_epochs *r, dvi_feed_target *target, dv_error *err)
{
    const int64_t rows = r->waiting;
    const bool is_batch = rows > 0 && !r->plan->drop_last;
    if (is_batch)
        DVI_TRY(deliver(r, target, rows, err));
    count_barren(r);
    next_epoch(r);
    if (is_batch)
        target->after = r->at;
    return is_batch ? DV_OK : DV_END;
}

/* Fill the target by number; a batch of another worker is only counted. */
static dv_status fill_from_rows(dvi_feed_epochs *r, dvi_feed_target *target, int64_t *rows_out,
                                dv_error *err)
{
    if (!dvi_feed_plan_has(r->plan, &r->at)) {
        const int64_t left = dvi_feed_rows_count(r->rows) - r->at.rows;
        *rows_out = dvi_min_i64(r->plan->batch_rows, dvi_max_i64(left, 0));
        r->has_moved = true;
        return DV_OK;
    }
    if (r->has_moved)
        dvi_feed_rows_seek(r->rows, r->at.rows);
    r->has_moved = false;
    return dvi_feed_rows_next(r->rows, target, rows_out, err);
}

/* As next_in_epoch; DV_NOT_FOUND: use a cursor. */
static dv_status next_from_rows(dvi_feed_epochs *r, dvi_feed_target *target, dv_error *err)
{
    int64_t rows;
    const dv_status status = fill_from_rows(r, target, &rows, err);
    if (status != DV_OK)
        return status;
    if (rows == r->plan->batch_rows)
        return deliver(r, target, rows, err);
    r->waiting = rows;
    return end_epoch(r, target, err);
}

static dv_status write_batch(dvi_feed_epochs *r, dvi_feed_target *target, const dv_batch *batch,
                             dv_error *err)
{
    DVI_TRY(dvi_feed_write(r->plan, target, 0, batch, err));
    return dvi_gathered_add_batch(&r->whole, batch, err);
}

/* DV_OK: a batch; DV_END: the epoch has no more. */
static dv_status next_by_cursor(dvi_feed_epochs *r, dvi_feed_target *target, dv_error *err)
{
    const dv_batch *batch;
    for (;;) {
        const dv_status status = dv_cursor_next(r->cursor, &batch, err);
        if (status == DV_END)
            return end_epoch(r, target, err);
        DVI_TRY(status);
        if (dvi_feed_plan_has(r->plan, &r->at))
            DVI_TRY(write_batch(r, target, batch, err));
        if (batch->rows == r->plan->batch_rows)
            return deliver(r, target, batch->rows, err);
        r->waiting = batch->rows; /* the end follows, or an error in a row of this batch */
    }
}

/* If a row is not in place, a cursor delivers the rest of the epoch. */
static dv_status next_in_epoch(dvi_feed_epochs *r, dvi_feed_target *target, dv_error *err)
{
    dvi_gathered_reset(&r->whole);
    if (!r->cursor) {
        const dv_status status = next_from_rows(r, target, err);
        if (status != DV_NOT_FOUND)
            return status;
        dvi_gathered_reset(&r->whole);
        DVI_TRY(open_cursor(r, err));
    }
    return next_by_cursor(r, target, err);
}

dv_status dvi_feed_epochs_next(dvi_feed_epochs *r, dvi_feed_target *target, dv_error *err)
{
    while (!r->is_over && r->at.epoch < r->plan->end_epoch) {
        if (!r->is_open)
            DVI_TRY(open_epoch(r, err));
        const dvi_feed_position at = r->at;
        const dv_status status = next_in_epoch(r, target, err);
        if (status < 0)
            dvi_error_within(err, "epoch %lld, the batch from row %lld on", (long long)at.epoch,
                             (long long)at.rows);
        DVI_TRY(status);
        if (status == DV_OK && dvi_feed_plan_has(r->plan, &target->before))
            return DV_OK;
    }
    return DV_END;
}
