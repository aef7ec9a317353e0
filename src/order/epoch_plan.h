/* SPDX-License-Identifier: MIT */
/* epoch_plan.h: the plan of an epoch: its checked options, and what follows from them. */
#ifndef DVI_ORDER_EPOCH_PLAN_H
#define DVI_ORDER_EPOCH_PLAN_H

#include "base/random.h"
#include <dataview/epoch.h>

/* Where ML.NET's pool takes its rows from. */
typedef enum dvi_pool_input {
    DVI_POOL_OF_BLOCKS,  /* blocks permuted by the generator, unless the pool holds all rows */
    DVI_POOL_IN_ORDER,   /* rows in order: Shuffle with poolOnly (semantics:7.14) */
    DVI_POOL_OF_A_CACHE, /* all rows permuted by the generator, no pool (semantics:8) */
} dvi_pool_input;

/* What an order is made from.  A plain value. */
typedef struct dvi_epoch_plan {
    dv_shuffle shuffle;
    uint64_t key; /* of the epoch: made of its seed and number */

    int64_t rows, block_rows; /* of the view */
    int64_t blocks;           /* how many; the last one may be short */

    dvi_pool_input input; /* of a pool */
    int64_t pool_rows;
    dvi_random random; /* as it is before the first draw of the epoch */

    int32_t shard, shards;
    bool by_blocks;

    int64_t length; /* of the sequence that the shard takes rows from: by rows the epoch, by blocks
                       the shard's blocks */
    int64_t first;  /* where in the sequence it begins */
    int64_t count;  /* rows that it delivers from there on */
} dvi_epoch_plan;

/* Copy options; `given` NULL: as INIT.  DV_OK; DV_ERR_ARGUMENT: an unknown size. */
dv_status dvi_epoch_read_options(const dv_epoch_options *given, dv_epoch_options *options_out,
                                 dv_error *err);

/* Are whole blocks dealt to the shards, rather than rows? */
bool dvi_epoch_deals_blocks(const dv_epoch_options *options);

/* rows: of the view, >= 0.  block_rows: of dv_view_block_rows.  options: NULL as INIT.
 * DV_OK; DV_ERR_ARGUMENT, DV_ERR_LIMIT: see epoch.h. */
dv_status dvi_epoch_plan_make(dvi_epoch_plan *plan_out, int64_t rows, int64_t block_rows,
                              const dv_epoch_options *options, dv_error *err);

/* An order of ML.NET's with a generator of the caller, for one worker.  rows and block_rows (>= 1)
 * as above; pool_rows >= 1 is not used for a cache.  If an input is to be shuffled with a generator
 * of its own, draw that one first (dvi_random_child).
 * DV_OK; DV_ERR_LIMIT: more than 2^32-1 blocks, or rows of a cache. */
dv_status dvi_epoch_plan_pool(dvi_epoch_plan *plan_out, int64_t rows, int64_t block_rows,
                              dvi_pool_input input, int64_t pool_rows, dvi_random random,
                              dv_error *err);

/* Rows of the last block, which may be short; 0: there are no blocks. */
int64_t dvi_epoch_plan_last_rows(const dvi_epoch_plan *plan);
/* The index of the last block in the epoch's order of blocks. */
int64_t dvi_epoch_plan_last_block(const dvi_epoch_plan *plan);

#endif
