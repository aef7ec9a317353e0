/* SPDX-License-Identifier: MIT */
/* feed_count.c: where a feed stands after a number of batches, without reading them.
 *
 * The steps are those of feed_epochs.c: a position after the last full batch of an epoch stays in
 * it, one after its short last batch is the start of the next one. */
#include "feed/feed_count.h"
#include "base/check.h"
#include "base/size.h"
#include "feed/feed_epochs.h"
#include "order/epoch_plan.h"

/* The rows of the epoch at a position that this shard has. */
static dv_status count_rows(int64_t *rows_out, const dvi_feed_plan *plan,
                            const dvi_feed_position *at, dv_error *err)
{
    dvi_epoch_plan epoch;
    *rows_out = 0;
    dv_epoch_options order = plan->order;
    order.epoch = at->epoch;
    order.start = at->start;
    const int64_t rows = dv_view_rows(plan->view);
    DVI_REQUIRE(rows != DV_ROWS_UNKNOWN,
                dvi_fail_argument(err, "a token after some batches: the view does not know its "
                                       "number of rows; cache it (dv_view_cache)"));
    DVI_TRY(dvi_epoch_plan_make(&epoch, rows, dv_view_block_rows(plan->view), &order, err));
    *rows_out = epoch.count;
    return DV_OK;
}

/* Move over at most `most` batches of the epoch at *at, and after them to the next epoch if the
 * batches go on there.  Returns how many; `rows` are those of the epoch. */
static int64_t pass(dvi_feed_position *at, const dvi_feed_plan *plan, int64_t rows, int64_t most)
{
    const int64_t left = dvi_max_i64(rows - at->rows, 0), full = left / plan->batch_rows;
    const int64_t passed = dvi_min_i64(full, most);
    const bool has_rest = left % plan->batch_rows > 0 && !plan->drop_last;
    at->rows += passed * plan->batch_rows;
    at->batches += passed;
    if (passed == most)
        return passed;
    *at = (dvi_feed_position){.epoch = at->epoch + 1, .batches = at->batches + has_rest};
    return passed + has_rest;
}

dv_status dvi_feed_count(dvi_feed_position *after_out, const dvi_feed_plan *plan, int64_t batches,
                         dv_error *err)
{
    dvi_feed_position at = plan->first;
    int64_t left = batches;
    DVI_REQUIRE(batches >= 0,
                dvi_fail_argument(err, "a token after %lld batches", (long long)batches));
    for (int32_t barren = 0; left > 0 && at.epoch < plan->end_epoch && barren < DVI_FEED_BARREN;) {
        const bool is_whole = at.start == 0 && at.rows == 0;
        int64_t rows;
        DVI_TRY(count_rows(&rows, plan, &at, err));
        const int64_t passed = pass(&at, plan, rows, left);
        barren = is_whole && passed == 0 ? barren + 1 : 0;
        left -= passed;
    }
    DVI_REQUIRE(left == 0, dvi_fail_argument(err, "a token after %lld batches: the feed has %lld",
                                             (long long)batches, (long long)(batches - left)));
    *after_out = at;
    return DV_OK;
}
