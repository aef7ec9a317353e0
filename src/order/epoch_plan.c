/* SPDX-License-Identifier: MIT */
/* epoch_plan.c: checks the options of an epoch, and plans its order. */
#include "order/epoch_plan.h"
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "order/permutation.h"
#include "order/shard.h"
#include <math.h>

#define BLOCK_ROWS 1024       /* if rows are not stored in blocks */
#define DRAWN_MOST UINT32_MAX /* generators draw numbers of 32 bits */

/* --- Options ---------------------------------------------------------------------------------- */

dv_status dvi_epoch_read_options(const dv_epoch_options *given, dv_epoch_options *options,
                                 dv_error *err)
{
    *options = (dv_epoch_options)DV_EPOCH_OPTIONS_INIT;
    return dvi_options_read(options, sizeof *options, given, "DV_EPOCH_OPTIONS_INIT", err);
}

static dv_status check_enums(const dv_epoch_options *o, dv_error *err)
{
    if ((unsigned)o->shuffle > DV_SHUFFLE_BLOCKS)
        return dvi_fail_argument(err, "no such shuffle: %d", (int)o->shuffle);
    if ((unsigned)o->shard_by > DV_SHARD_BY_BLOCKS)
        return dvi_fail_argument(err, "no such shard_by: %d", (int)o->shard_by);
    if ((unsigned)o->shard_size > DV_SHARD_PAD)
        return dvi_fail_argument(err, "no such shard_size: %d", (int)o->shard_size);
    return DV_OK;
}

static dv_status check_numbers(const dv_epoch_options *o, dv_error *err)
{
    if (o->epoch < 0)
        return dvi_fail_argument(err, "epoch is %lld: 0 or more", (long long)o->epoch);
    if (o->block_rows < 0)
        return dvi_fail_argument(err, "block_rows is %lld: 0 or more", (long long)o->block_rows);
    if (!(o->pool_blocks >= 0))
        return dvi_fail_argument(err, "pool_blocks is %g: 0 or more", o->pool_blocks);
    if (o->pool_rows < 0 || o->pool_rows > INT32_MAX)
        return dvi_fail_argument(err, "pool_rows is %lld: 0 to 2147483647",
                                 (long long)o->pool_rows);
    if (o->shards < 1 || o->shard < 0 || o->shard >= o->shards)
        return dvi_fail_argument(err, "shard %d of %d", (int)o->shard, (int)o->shards);
    if (o->start < 0)
        return dvi_fail_argument(err, "start is %lld: 0 or more", (long long)o->start);
    return DV_OK;
}

bool dvi_epoch_deals_blocks(const dv_epoch_options *o)
{
    if (o->shard_by == DV_SHARD_BY_DEFAULT)
        return o->shuffle == DV_SHUFFLE_POOL || o->shuffle == DV_SHUFFLE_BLOCKS;
    return o->shard_by == DV_SHARD_BY_BLOCKS;
}

/* Options that contradict each other, or the view. */
static dv_status check_together(const dv_epoch_options *o, bool sequential, dv_error *err)
{
    if (sequential && (o->shuffle == DV_SHUFFLE_UNIFORM || o->shuffle == DV_SHUFFLE_BLOCKS))
        return dvi_fail_argument(
            err,
            "shuffle %s: the rows are reached only in sequence; "
            "materialize the view (dv_view_materialize), cache it, or use a pool",
            o->shuffle == DV_SHUFFLE_UNIFORM ? "uniform" : "blocks");
    if (o->shuffle == DV_SHUFFLE_UNIFORM && dvi_epoch_deals_blocks(o))
        return dvi_fail_argument(err, "shards by blocks: a uniform shuffle has no blocks");
    if (dvi_epoch_deals_blocks(o) && o->start % o->shards != 0)
        return dvi_fail_argument(err, "start is %lld: not a multiple of %d shards by blocks",
                                 (long long)o->start, (int)o->shards);
    return DV_OK;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

/* A power of two that is no less than the rows, if there is one: division by it is fast. */
static int64_t rows_of_all(int64_t rows)
{
    int64_t n = BLOCK_ROWS;
    while (n < rows && n <= INT64_MAX / 4)
        n *= 2;
    return dvi_max_i64(n, rows);
}

/* A block of many more rows than there are is a block of all rows, and needs no memory for more. */
static void set_blocks(dvi_epoch_plan *p, int64_t rows_of_block)
{
    const int64_t block_rows = dvi_min_i64(rows_of_block, rows_of_all(p->rows));
    p->block_rows = block_rows;
    p->blocks = p->rows / block_rows + (p->rows % block_rows != 0);
}

int64_t dvi_epoch_plan_last_rows(const dvi_epoch_plan *p)
{
    return p->blocks ? p->rows - (p->blocks - 1) * p->block_rows : 0;
}

/* Where dvi_random_permute leaves the last of n numbers: it stays until it is drawn. */
static int64_t index_of_last(dvi_random random, int64_t n)
{
    int64_t i = 0;
    while (dvi_random_below(&random, (uint32_t)(n - i)) != n - i - 1)
        i++;
    return i;
}

int64_t dvi_epoch_plan_last_block(const dvi_epoch_plan *p)
{
    if (p->shuffle == DV_SHUFFLE_POOL && p->input == DVI_POOL_OF_BLOCKS)
        return index_of_last(p->random, p->blocks);
    if (p->shuffle != DV_SHUFFLE_BLOCKS)
        return p->blocks - 1;
    dvi_permutation order;
    dvi_permutation_make(&order, p->blocks, p->key);
    return dvi_permutation_find(&order, p->blocks - 1);
}

static dv_status check_most(int64_t n, int64_t most, const char *what, dv_error *err)
{
    if (n > most)
        return dvi_fail(err, DV_ERR_LIMIT, "shuffle", -1, what, "%lld at most|%lld",
                        (long long)most, (long long)n);
    return DV_OK;
}

/* --- Making ----------------------------------------------------------------------------------- */

/* ML.NET's seeds have 32 bits, with or without a sign. */
static uint32_t pool_seed(const dvi_epoch_plan *p, const dv_epoch_options *o)
{
    const bool is_mlnets = o->seed <= UINT32_MAX || o->seed >= (uint64_t)(int64_t)INT32_MIN;
    return o->epoch == 0 && is_mlnets ? (uint32_t)o->seed : (uint32_t)p->key;
}

static int64_t pool_rows_of(const dv_epoch_options *o, int64_t block_rows)
{
    if (o->pool_rows > 0)
        return o->pool_rows;
    const double rows = ceil(o->pool_blocks * (double)block_rows);
    return rows < 1 ? 1 : rows > INT32_MAX ? INT32_MAX : (int64_t)rows;
}

/* Blocks stay in order if rows are reached only in sequence, and if one pool holds all rows. Shards
 * by blocks have a pool each: with blocks in order they would get the same rows in every epoch. */
static dvi_pool_input pool_input(const dvi_epoch_plan *p, bool sequential)
{
    const bool holds_all = p->pool_rows > 1 && p->pool_rows >= p->rows;
    const bool one = !p->by_blocks || p->shards == 1;
    return sequential || (one && holds_all) ? DVI_POOL_IN_ORDER : DVI_POOL_OF_BLOCKS;
}

dv_status dvi_epoch_plan_make(dvi_epoch_plan *plan_out, int64_t rows, int64_t block_rows,
                              const dv_epoch_options *options, dv_error *err)
{
    dv_epoch_options o;
    DVI_TRY(dvi_epoch_read_options(options, &o, err));
    DVI_TRY(check_enums(&o, err));
    DVI_TRY(check_numbers(&o, err));
    DVI_TRY(check_together(&o, block_rows == 0, err));
    dvi_epoch_plan p = {.shuffle = o.shuffle,
                        .key = dvi_key_derive(o.seed, (uint64_t)o.epoch),
                        .rows = rows,
                        .shard = o.shard,
                        .shards = o.shards,
                        .by_blocks = dvi_epoch_deals_blocks(&o)};
    const int64_t stored = block_rows > 1 ? block_rows : BLOCK_ROWS;
    const int64_t rows_of_block = o.block_rows > 0 ? o.block_rows : stored;
    set_blocks(&p, rows_of_block);
    if (o.shuffle == DV_SHUFFLE_POOL) {
        DVI_TRY(check_most(p.blocks, DRAWN_MOST, "blocks of a pool", err));
        p.random = dvi_random_of(pool_seed(&p, &o));
        p.pool_rows = pool_rows_of(&o, rows_of_block);
        p.input = pool_input(&p, block_rows == 0);
        p.pool_rows = dvi_min_i64(p.pool_rows, dvi_max_i64(rows, 1));
    } else if (o.shuffle != DV_SHUFFLE_NONE)
        DVI_TRY(check_most(rows, DVI_PERMUTATION_MOST, "shuffled rows", err));
    dvi_shard_deal(&p, &o);
    *plan_out = p;
    return DV_OK;
}

dv_status dvi_epoch_plan_pool(dvi_epoch_plan *plan_out, int64_t rows, int64_t block_rows,
                              dvi_pool_input input, int64_t pool_rows, dvi_random random,
                              dv_error *err)
{
    dvi_epoch_plan p = {.shuffle = DV_SHUFFLE_POOL,
                        .rows = rows,
                        .input = input,
                        .pool_rows = pool_rows,
                        .random = random,
                        .shards = 1,
                        .length = rows,
                        .count = rows};
    set_blocks(&p, block_rows);
    if (input == DVI_POOL_OF_A_CACHE)
        DVI_TRY(check_most(rows, DRAWN_MOST, "rows of a cache", err));
    else
        DVI_TRY(check_most(p.blocks, DRAWN_MOST, "blocks of a pool", err));
    if (input == DVI_POOL_OF_BLOCKS) {
        p.input = pool_input(&p, false);
        p.pool_rows = dvi_min_i64(pool_rows, dvi_max_i64(rows, 1));
    }
    *plan_out = p;
    return DV_OK;
}
