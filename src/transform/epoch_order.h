/* SPDX-License-Identifier: MIT */
/* epoch_order.h: which row is the next one of an epoch?  Row numbers, made without reading data
 * (docs/shuffling.md). */
#ifndef DVI_TRANSFORM_EPOCH_ORDER_H
#define DVI_TRANSFORM_EPOCH_ORDER_H

#include "base/random.h"
#include <dataview/epoch.h>

/* Where ML.NET's generator finds its rows. */
typedef enum dvi_pool_input {
    DVI_POOL_OF_BLOCKS,  /* blocks permuted by the generator, unless the pool holds all rows */
    DVI_POOL_IN_ORDER,   /* rows as they are: Shuffle with poolOnly (semantics.md 7.14) */
    DVI_POOL_OF_A_CACHE, /* all rows permuted by the generator, no pool (semantics.md 8) */
} dvi_pool_input;

/* What an order is made from: checked options, and what follows from them.  A plain value. */
typedef struct dvi_epoch_plan {
    dv_shuffle shuffle;
    uint64_t key; /* of the epoch: of seed and number */

    int64_t rows, block_rows; /* of the view */
    int64_t blocks;           /* how many; the last one may be short */

    dvi_pool_input input; /* of a pool */
    int64_t pool_rows;
    dvi_random random; /* as it is before the first draw of the epoch */

    int32_t shard, shards;
    bool by_blocks;
    bool pad;

    int64_t first; /* by rows: the epoch's first position; by blocks: the shard's own */
    int64_t count; /* rows that this shard delivers from there on */
} dvi_epoch_plan;

/* rows: of the view, >= 0.  block_rows: what dv_view_block_rows says.  options: NULL as INIT.
 * DV_OK; DV_ERR_ARGUMENT, DV_ERR_LIMIT: see epoch.h. */
dv_status dvi_epoch_plan_make(dvi_epoch_plan *plan_out, int64_t rows, int64_t block_rows,
                              const dv_epoch_options *options, dv_error *err);

/* An order of ML.NET's under a generator of the caller's, for one worker.  rows and block_rows (>=
 * 1) as above; pool_rows >= 1 has no meaning for a cache.  Where an input is to be shuffled under a
 * generator of its own, draw that one first (dvi_random_child).
 * DV_OK; DV_ERR_LIMIT: more than 2^32-1 blocks, or rows of a cache. */
dv_status dvi_epoch_plan_pool(dvi_epoch_plan *plan_out, int64_t rows, int64_t block_rows,
                              dvi_pool_input input, int64_t pool_rows, dvi_random random,
                              dv_error *err);

/* A stream of the plan's `count` row numbers.  One thread at a time; each cursor has its own. */
typedef struct dvi_epoch_order dvi_epoch_order;

/* At its first number.  Memory, all of it here: a few numbers; of a pool 8 bytes for each of its
 * rows and 4 for each block, of a cache 4 for each row.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_epoch_order_create(dvi_epoch_order **order_out, const dvi_epoch_plan *plan,
                                 const dv_allocator *allocator, dv_error *err);

/* Stand before number `position`, 0 to count.  At once; but a pool draws its way there, from the
 * beginning when that lies behind. */
void dvi_epoch_order_seek(dvi_epoch_order *order, int64_t position);

/* The next n row numbers, or fewer at the end: how many; 0 says that there are none left. */
int64_t dvi_epoch_order_next(dvi_epoch_order *order, int64_t *rows_out, int64_t n);

/* The generator as the draws until now left it. */
dvi_random dvi_epoch_order_random(const dvi_epoch_order *order);

void dvi_epoch_order_free(dvi_epoch_order **order);

#endif
