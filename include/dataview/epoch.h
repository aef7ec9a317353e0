/* SPDX-License-Identifier: MIT */
/* epoch.h: in which order does a training loop see the rows, and which worker sees which? */
#ifndef DATAVIEW_EPOCH_H
#define DATAVIEW_EPOCH_H

#include <dataview/buffer.h>
#include <dataview/status.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An epoch is every row of a view once, in an order.  The order is a pure function of how many rows
 * there are, of block_rows and of the options, the same on every machine: workers that agree on
 * those agree on the epoch without talking.  Each order, number by number: docs/shuffling.md. */

typedef enum dv_shuffle {
    DV_SHUFFLE_NONE = 0,    /* as they are */
    DV_SHUFFLE_UNIFORM = 1, /* a permutation of all rows; for rows that can be had by themselves */
    DV_SHUFFLE_POOL = 2, /* ML.NET's: blocks permuted, then rows drawn from a pool (semantics:7.14);
                            the blocks stay in order where rows are reached only by
                            walking there, and where the pool holds all rows */
    DV_SHUFFLE_BLOCKS = 3 /* blocks permuted, and the rows of each block: one block at a time */
} dv_shuffle;

/* What is dealt out to shards in turn? */
typedef enum dv_shard_by {
    DV_SHARD_BY_DEFAULT = 0, /* rows for NONE and UNIFORM, blocks for POOL and BLOCKS */
    DV_SHARD_BY_ROWS = 1,    /* row p of the epoch goes to shard p mod shards */
    DV_SHARD_BY_BLOCKS = 2   /* block j of the epoch's order of blocks goes to shard j mod shards,
                                which reads no other; a pool is the shard's own */
} dv_shard_by;

/* How many rows has a shard? */
typedef enum dv_shard_size {
    DV_SHARD_AS_IS = 0, /* as many as fall to it: shards may differ by a row, or by a block */
    DV_SHARD_DROP = 1,  /* as many as the smallest: the last rows of the others are left out */
    DV_SHARD_PAD = 2    /* as many as the largest: its own first rows come again, those of another
                           where it has none */
} dv_shard_size;

/* Start from DV_EPOCH_OPTIONS_INIT: all rows in their order, for one worker. */
typedef struct dv_epoch_options {
    size_t size; /* of this struct: set by the INIT */

    dv_shuffle shuffle;
    uint64_t seed;
    int64_t epoch; /* 0, 1, 2, ...: each another order of the same seed */

    int64_t block_rows; /* rows of each block but the last, for POOL, BLOCKS and shards by blocks;
                           0: as they are stored (dv_view_block_rows), or 1024 where they are in no
                           blocks.  Of all workers the same */
    double pool_blocks; /* rows of the pool, in blocks: pool_blocks * block_rows, rounded up */
    int64_t pool_rows;  /* the same in rows; 0: see pool_blocks.  At most 2^31-1 */

    int32_t shard, shards; /* this is worker `shard` of `shards`: 0 of 1 */
    dv_shard_by shard_by;
    dv_shard_size shard_size;

    int64_t start; /* rows of this epoch that all shards together have delivered: go on behind them.
                      By rows they are the first ones of the epoch, delivered by any number of
                      shards.  By blocks they are start / shards of each shard, which must divide;
                      there were as many shards as now or, without a pool, each had delivered whole
                      blocks, and start is a multiple of shards * block_rows */
} dv_epoch_options;

#define DV_EPOCH_POOL_BLOCKS 4 /* ML.NET's */

#define DV_EPOCH_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(dv_epoch_options), DV_SHUFFLE_NONE, 0, 0, 0, DV_EPOCH_POOL_BLOCKS, 0, 0, 1,         \
            DV_SHARD_BY_DEFAULT, DV_SHARD_AS_IS, 0                                                 \
    }

/* The rows of one epoch of a view that fall to one worker, in their order.
 *
 * source     retained.  One that does not know its rows is read once, without columns, to count
 *            them
 * options    NULL: as INIT
 * allocator  NULL: malloc.  A cursor of UNIFORM, BLOCKS and NONE keeps a few numbers, one of POOL
 *            8 bytes for each row of the pool and 4 for each block, besides the rows it gathers
 *
 * schema     that of the source, metadata too
 * rows       known.  ids: those of the source's rows, which travel with them (semantics:5.4)
 * batches    the source's, where nothing is shuffled and there is one shard; else copies, each row
 *            copied once (dv_view_take), and zero_copy_only is refused with DV_ERR_COPY when a
 *            cursor is opened.  Blocks that had to be decoded are kept while they hold rows of the
 *            pool, or of the block: about five pools of rows; of UNIFORM 64 MiB of them
 * order      the view itself cannot be shuffled: dv_view_can_shuffle is false
 * cost       nothing is read by this call where rows are known, so one view per epoch is cheap.  To
 *            begin at a row costs nothing but for POOL, whose draws before it are repeated, without
 *            data: some nanoseconds each
 * errors     as the source tells them, after the rows before
 * facts      none; verification checks the source
 *
 * DV_OK
 * DV_ERR_ARGUMENT  an unknown size of options; a number below zero, or no such enum; shard not
 *                  below shards; pool_blocks that is NaN; UNIFORM by blocks; UNIFORM or BLOCKS
 *                  where rows are reached only by walking there (text, filters): hold the view
 *                  first (dv_view_materialize) or cache it; by blocks, a start that shards do not
 *                  divide
 * DV_ERR_LIMIT     (shuffle) POOL with more than 2^32-1 blocks; UNIFORM or BLOCKS of more than 2^62
 *                  rows
 * DV_ERR_MEMORY
 * DV_ERR_*         what the source says while its rows are counted
 */
DV_API dv_status dv_view_epoch(dv_view **view_out, dv_view *source, const dv_epoch_options *options,
                               const dv_allocator *allocator, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
