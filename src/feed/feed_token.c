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
#include <dataview/digest.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RULE "docs/training.md"
#define NUMBERS 5

static const dvi_token_kind feed_token = {"feed", "dvf", RULE};

/* The fields: the five numbers, and what they were counted in. */
typedef struct content {
    int64_t number[NUMBERS]; /* epoch, start, rows, batches, shards */
    uint64_t seed;
    uint32_t order;
} content;

/* What decides which row comes when, besides view, seed and epoch. */
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

static dv_status check_order(const content *own, const content *c, dv_error *err)
{
    if (own->seed != c->seed)
        return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "seed of the token", "%" PRIu64 "|%" PRIu64,
                        own->seed, c->seed);
    if (own->order != c->order)
        return dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "order of the token",
                        "%" PRIu32 " as these options make it|%" PRIu32, own->order, c->order);
    return DV_OK;
}

/* Rows of an epoch that n shards have delivered together, when one of them has `rows`. */
static bool count_all(const content *c, int64_t *rows_out)
{
    int64_t all;
    return !__builtin_mul_overflow(c->number[2], c->number[4], &all) &&
           !__builtin_add_overflow(all, c->number[1], rows_out);
}

dv_status dvi_feed_token_read(dvi_feed_position *position_out, const dvi_feed_plan *plan,
                              const char *token, dv_error *err)
{
    content c = {.seed = 0};
    int64_t start;
    DVI_TRY(parse(&c, plan->view, token, err));
    const content own = content_of(plan, &plan->first);
    DVI_TRY(check_order(&own, &c, err));
    DVI_REQUIRE(c.number[0] >= plan->order.epoch,
                dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "epoch of the token",
                         "%lld, the first one, or a later one|%lld", (long long)plan->order.epoch,
                         (long long)c.number[0]));
    *position_out = (dvi_feed_position){c.number[0], c.number[1], c.number[2], c.number[3]};
    if (c.number[4] == plan->order.shards)
        return DV_OK;
    DVI_REQUIRE(count_all(&c, &start),
                dvi_fail(err, DV_ERR_ARGUMENT, RULE, -1, "token", "rows of an epoch|%s",
                         dvi_show(dv_text_of(token)).text));
    const int64_t rows = dv_view_rows(plan->view);
    position_out->start = rows >= 0 && start > rows ? rows : start; /* the last ones were padded */
    position_out->rows = 0;
    return DV_OK;
}
