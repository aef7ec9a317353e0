/* SPDX-License-Identifier: MIT */
/* feed_token.c: the position of a feed as text (docs/training.md).
 *
 *   dvf1-EPOCH-START-ROWS-BATCHES-SHARDS-SEED-ORDER-IDENTITY-CHECKSUM
 *
 * ORDER is a digest of the other options of the order. */
#include "feed/feed_token.h"
#include "base/check.h"
#include "view/identity.h"
#include "view/token_text.h"
#include "order/epoch_plan.h"
#include <dataview/digest.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RULE "docs/training.md"
#define NUMBERS 5

static const dvi_token_kind feed_token = {"feed", "dvf", RULE};

/* The fields: five numbers, and the order in which they were counted. */
typedef struct content {
    int64_t number[NUMBERS]; /* epoch, start, rows, batches, shards */
    uint64_t seed;
    uint32_t order;
} content;

/* The options that decide which row comes when, besides seed and epoch. */
static uint32_t digest_order(const dv_epoch_options *order)
{
    uint64_t parts[6] = {
        (uint64_t)order->shuffle,   (uint64_t)order->block_rows, 0,
        (uint64_t)order->pool_rows, (uint64_t)order->shard_by,   (uint64_t)order->shard_size};
    memcpy(&parts[2], &order->pool_blocks, sizeof parts[2]);
    return (uint32_t)dv_digest_8(parts, sizeof parts, 0);
}

static content content_of(const dvi_feed_plan *plan, const dvi_feed_position *position)
{
    const dv_epoch_options *order = &plan->order;
    return (content){.number = {position->epoch, position->start, position->rows, position->batches,
                                order->shards},
                     .seed = order->seed,
                     .order = digest_order(order)};
}

dv_status dvi_feed_token_write(dv_token *token_out, const dvi_feed_plan *plan,
                               const dvi_feed_position *position, dv_error *err)
{
    const content c = content_of(plan, position);
    dv_u128 identity;
    memset(token_out, 0, sizeof *token_out);
    DVI_TRY(dvi_view_identity(plan->view, false, &identity, err));
    dvi_token_start(token_out, &feed_token);
    for (int i = 0; i < NUMBERS; i++)
        dvi_token_add_number(token_out, (uint64_t)c.number[i]);
    dvi_token_add_number(token_out, c.seed);
    dvi_token_add_number(token_out, c.order);
    dvi_token_finish(token_out, identity);
    return DV_OK;
}

static bool read_content(content *c, dvi_identity_text *identity, const char *at)
{
    uint64_t number;
    for (int i = 0; i < NUMBERS; i++) {
        if (!dvi_token_read_number(&at, INT64_MAX, &number))
            return false;
        c->number[i] = (int64_t)number;
    }
    if (c->number[4] < 1 || c->number[4] > INT32_MAX ||
        !dvi_token_read_number(&at, UINT64_MAX, &c->seed) ||
        !dvi_token_read_number(&at, UINT32_MAX, &number))
        return false;
    c->order = (uint32_t)number;
    return dvi_token_read_identity(at, identity);
}

/* Read the fields of a token of this view. */
static dv_status parse(content *c, dv_view *view, const char *token, dv_error *err)
{
    const char *at;
    dvi_identity_text identity;
    DVI_TRY(dvi_token_check(&at, &feed_token, token, err));
    if (!read_content(c, &identity, at))
        return dvi_token_malformed(&feed_token, "EPOCH-START-ROWS-BATCHES-SHARDS-SEED-ORDER", token,
                                   err);
    return dvi_token_check_view(&feed_token, view, &identity, err);
}

/* The order of the feed that wrote the token: as here, but for the shards.  False: another order.
 */
static bool find_order(dv_epoch_options *order_out, const dvi_feed_plan *plan, const content *c)
{
    *order_out = plan->order;
    order_out->shards = (int32_t)c->number[4];
    for (int by = DV_SHARD_BY_DEFAULT; by <= DV_SHARD_BY_BLOCKS; by++) {
        order_out->shard_by = (dv_shard_by)by;
        if (digest_order(order_out) == c->order)
            return true;
    }
    return false;
}

static dv_status check_order(dv_epoch_options *order_out, const dvi_feed_plan *plan,
                             const content *c, dv_error *err)
{
    const content own = content_of(plan, &plan->first);
    if (own.seed != c->seed)
        return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "seed of the token", "%" PRIu64 "|%" PRIu64,
                        own.seed, c->seed);
    if (!find_order(order_out, plan, c))
        return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "order of the token",
                        "%" PRIu32 " as these options make it|%" PRIu32, own.order, c->order);
    DVI_REQUIRE(c->number[0] >= plan->order.epoch,
                dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "epoch of the token",
                         "%lld, the first one, or a later one|%lld", (long long)plan->order.epoch,
                         (long long)c->number[0]));
    return DV_OK;
}

/* --- Other shards ----------------------------------------------------------------------------- */

/* One shard has all rows, whatever is dealt. */
static bool has_own_blocks(const dv_epoch_options *order)
{
    return order->shards > 1 && dvi_epoch_deals_blocks(order);
}

/* Go on after the rows that n shards have delivered together, when one of them has at->rows. */
static dv_status pass_rows(dvi_feed_position *at, const dvi_feed_plan *plan, int32_t shards,
                           const char *token, dv_error *err)
{
    int64_t start;
    if (__builtin_mul_overflow(at->rows, (int64_t)shards, &start) ||
        __builtin_add_overflow(at->start, start, &start))
        return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "token", "rows of an epoch|%s",
                        dvi_show(dv_text_of(token)).text);
    const int64_t rows = dv_view_rows(plan->view);
    at->start = rows >= 0 && start > rows ? rows : start; /* the last ones were padded */
    at->rows = 0;
    return DV_OK;
}

/* Has the longest shard no batch left?  Then none has, since all have had as many. */
static dv_status check_end(bool *is_over_out, const dvi_feed_plan *plan,
                           const dv_epoch_options *then, const dvi_feed_position *at, dv_error *err)
{
    dvi_epoch_plan epoch;
    dv_epoch_options order = *then;
    const int64_t rows = dv_view_rows(plan->view);
    *is_over_out = false;
    if (rows == DV_ROWS_UNKNOWN)
        return DV_OK;
    order.epoch = at->epoch;
    order.start = at->start;
    order.shard = 0;
    if (order.shard_size == DV_SHARD_AS_IS)
        order.shard_size = DV_SHARD_PAD;
    DVI_TRY(dvi_epoch_plan_make(&epoch, rows, dv_view_block_rows(plan->view), &order, err));
    *is_over_out = epoch.count - at->rows < (plan->drop_last ? plan->batch_rows : 1);
    return DV_OK;
}

static dv_status refuse_shards(const dv_epoch_options *now, const dv_epoch_options *then,
                               dv_error *err)
{
    const bool had_blocks = has_own_blocks(then);
    const dv_status status = dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "shards of the token",
                                      "%d by %s|%d by %s, within an epoch", now->shards,
                                      has_own_blocks(now) ? "blocks" : "rows", then->shards,
                                      had_blocks ? "blocks" : "rows");
    dvi_error_advise(err, had_blocks
                              ? "finish the epoch with the shards that had these blocks; shards by "
                                "rows (DV_SHARD_BY_ROWS, in Python shard_by=\"rows\") may become "
                                "more or fewer at any time"
                              : "finish the epoch by rows (DV_SHARD_BY_ROWS, in Python "
                                "shard_by=\"rows\")");
    return status;
}

/* Where these shards go on, when those of `then` have stopped together at *at. */
static dv_status move_to_shards(dvi_feed_position *at, const dvi_feed_plan *plan,
                                const dv_epoch_options *then, const char *token, dv_error *err)
{
    bool is_over;
    const dv_epoch_options *now = &plan->order;
    const bool had_blocks = has_own_blocks(then), has_blocks = has_own_blocks(now);
    const bool is_begin = at->start == 0 && at->rows == 0;
    if (is_begin || (had_blocks == has_blocks && then->shards == now->shards))
        return DV_OK;
    if (!had_blocks && !has_blocks)
        return pass_rows(at, plan, then->shards, token, err);
    DVI_TRY(check_end(&is_over, plan, then, at, err));
    if (!is_over)
        return refuse_shards(now, then, err);
    *at = (dvi_feed_position){.epoch = at->epoch + (at->epoch < INT64_MAX), .batches = at->batches};
    return DV_OK;
}

dv_status dvi_feed_token_read(dvi_feed_position *position_out, const dvi_feed_plan *plan,
                              const char *token, dv_error *err)
{
    content c = {.seed = 0};
    dv_epoch_options then;
    DVI_TRY(parse(&c, plan->view, token, err));
    DVI_TRY(check_order(&then, plan, &c, err));
    *position_out = (dvi_feed_position){c.number[0], c.number[1], c.number[2], c.number[3]};
    return move_to_shards(position_out, plan, &then, token, err);
}
