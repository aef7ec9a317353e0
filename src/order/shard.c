/* SPDX-License-Identifier: MIT */
/* shard.c: which rows of an epoch belong to a shard. */
#include "order/shard.h"
#include "base/size.h"

/* --- How many rows ---------------------------------------------------------------------------- */

/* How many of n things that are dealt in turn a shard gets. */
static int64_t dealt(int64_t n, int32_t shard, int32_t shards)
{
    return n > shard ? (n - 1 - shard) / shards + 1 : 0;
}

/* Rows of a shard by blocks; `owner` is the shard that has the last block. */
static int64_t rows_of_shard(const dvi_epoch_plan *p, int64_t shard, int64_t owner)
{
    const int64_t blocks = dealt(p->blocks, (int32_t)shard, p->shards);
    return shard == owner ? (blocks - 1) * p->block_rows + dvi_epoch_plan_last_rows(p)
                          : blocks * p->block_rows;
}

/* The least and the greatest number of rows of a shard by blocks.  There are three kinds of shards:
 * those with a block more than others, those without, and the owner of the last block. */
static void measure_shards(const dvi_epoch_plan *p, int64_t owner, int64_t *least_out,
                           int64_t *greatest_out)
{
    const int64_t more = p->blocks % p->shards;
    const int64_t kinds[] = {0, 1, more, more + 1, owner};
    *least_out = *greatest_out = rows_of_shard(p, 0, owner);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i] >= p->shards)
            continue; /* no such shard */
        const int64_t rows = rows_of_shard(p, kinds[i], owner);
        *least_out = dvi_min_i64(*least_out, rows);
        *greatest_out = dvi_max_i64(*greatest_out, rows);
    }
}

static void deal_blocks(dvi_epoch_plan *p, const dv_epoch_options *o)
{
    if (p->blocks == 0)
        return;
    int64_t least, greatest;
    const int64_t owner = p->shards > 1 ? dvi_epoch_plan_last_block(p) % p->shards : 0;
    measure_shards(p, owner, &least, &greatest);
    const int64_t own = rows_of_shard(p, p->shard, owner);
    const int64_t rows = o->shard_size == DV_SHARD_DROP  ? least
                         : o->shard_size == DV_SHARD_PAD ? greatest
                                                         : own;
    if (own == 0 && rows > 0)
        p->shard = (int32_t)(p->shard % p->blocks); /* there are fewer blocks than shards */
    p->length = rows_of_shard(p, p->shard, owner);
    p->first = dvi_min_i64(o->start / p->shards, rows);
    p->count = rows - p->first;
}

static void deal_rows(dvi_epoch_plan *p, const dv_epoch_options *o)
{
    const int64_t left = dvi_max_i64(p->rows - o->start, 0);
    p->length = p->rows;
    p->first = dvi_min_i64(o->start, p->rows);
    p->count = o->shard_size == DV_SHARD_DROP  ? left / p->shards
               : o->shard_size == DV_SHARD_PAD ? dealt(left, 0, p->shards)
                                               : dealt(left, p->shard, p->shards);
}

void dvi_shard_deal(dvi_epoch_plan *plan, const dv_epoch_options *options)
{
    if (plan->by_blocks)
        deal_blocks(plan, options);
    else
        deal_rows(plan, options);
}

/* --- Which rows ------------------------------------------------------------------------------- */

int64_t dvi_shard_block(const dvi_epoch_plan *p, int64_t index)
{
    return p->by_blocks ? p->shard + index * p->shards : index;
}

int64_t dvi_shard_index(const dvi_epoch_plan *p, int64_t block)
{
    if (!p->by_blocks)
        return block;
    return block % p->shards == p->shard ? block / p->shards : -1;
}

int64_t dvi_shard_run(const dvi_epoch_plan *p, int64_t position, int64_t n, int64_t *at_out,
                      int64_t *step_out)
{
    const int64_t left = dvi_min_i64(n, p->count - position);
    if (p->by_blocks) {
        *step_out = 1;
        *at_out = (p->first + position) % p->length;
        return dvi_min_i64(left, p->length - *at_out);
    }
    *step_out = p->shards;
    const int64_t own = dealt(p->length - p->first, p->shard, p->shards); /* not padding */
    if (position >= own) {
        *at_out = p->shard % p->length;
        return 1;
    }
    *at_out = p->first + p->shard + position * p->shards;
    return dvi_min_i64(left, own - position);
}
