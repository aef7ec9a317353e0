/* SPDX-License-Identifier: MIT */
/* epoch.h: the order in which a training loop sees the rows, and the share of each worker. */
#ifndef DATAVIEW_EPOCH_H
#define DATAVIEW_EPOCH_H

#include <dataview/buffer.h>
#include <dataview/status.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An epoch is every row of a view once, in an order.  The order is a pure function of the number of
 * rows, of block_rows and of the options, the same on every machine: workers that agree on these
 * agree on the epoch without communicating.  docs/shuffling.md defines each order. */

typedef enum dv_shuffle {
    DV_SHUFFLE_NONE = 0,    /* the order of the view */
    DV_SHUFFLE_UNIFORM = 1, /* a permutation of all rows; for rows that can be read by number */
    DV_SHUFFLE_POOL = 2,    /* ML.NET's: blocks permuted, then rows drawn from a pool
                               (semantics:7.14).  The blocks stay in order if rows are reached only
                               in sequence, and if the pool holds all rows */
    DV_SHUFFLE_BLOCKS = 3   /* blocks permuted, and the rows of each block: one block at a time */
} dv_shuffle;

/* The unit that is dealt to the shards in turn. */
typedef enum dv_shard_by {
    DV_SHARD_BY_DEFAULT = 0, /* rows for NONE and UNIFORM, blocks for POOL and BLOCKS */
    DV_SHARD_BY_ROWS = 1,    /* row p of the epoch goes to shard p mod shards */
    DV_SHARD_BY_BLOCKS = 2   /* block j of the epoch's order of blocks goes to shard j mod shards,
                                which reads no other; each shard has a pool of its own */
} dv_shard_by;

/* The number of rows of a shard. */
typedef enum dv_shard_size {
    DV_SHARD_AS_IS = 0, /* its share: shards may differ by a row, or by a block */
    DV_SHARD_DROP = 1,  /* as many as the smallest: the last rows of the others are left out */
    DV_SHARD_PAD = 2    /* as many as the largest: its own first rows come again, or those of
                           another shard if it has none */
} dv_shard_size;

/* Start from DV_EPOCH_OPTIONS_INIT: all rows in their order, for one worker. */
typedef struct dv_epoch_options {
    size_t size; /* of this struct: set by the INIT */

    dv_shuffle shuffle;
    uint64_t seed; /* a negative one of 32 bits, as ML.NET takes it: (uint64_t)(int64_t)seed */
    int64_t epoch; /* 0, 1, 2, ...: each gives a different order for the same seed */

    int64_t block_rows; /* rows of each block but the last, for POOL, BLOCKS and shards by blocks;
                           0: as they are stored (dv_view_block_rows), or 1024 if they are not
                           stored in blocks.  The same for all workers */
    double pool_blocks; /* rows of the pool, in blocks: pool_blocks * block_rows, rounded up */
    int64_t pool_rows;  /* the same in rows; 0: see pool_blocks.  At most 2^31-1 */

    int32_t shard, shards; /* this is worker `shard` of `shards`: 0 of 1 */
    dv_shard_by shard_by;
    dv_shard_size shard_size;

    int64_t start; /* rows of this epoch that all shards together have delivered: continue after
                      them.  By rows, they are the first rows of the epoch, whatever the number of
                      shards was.  By blocks, they are start / shards rows of each shard, and shards
                      must divide start.  The number of shards must be the same as before; without a
                      pool it may differ if each shard had delivered whole blocks, and start is a
                      multiple of shards * block_rows */

    dv_progress progress; /* of dv_view_epoch while it counts the rows of the source */
} dv_epoch_options;

#define DV_EPOCH_POOL_BLOCKS 4 /* ML.NET's */

#define DV_EPOCH_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(dv_epoch_options), DV_SHUFFLE_NONE, 0, 0, 0, DV_EPOCH_POOL_BLOCKS, 0, 0, 1,         \
            DV_SHARD_BY_DEFAULT, DV_SHARD_AS_IS, 0,                                                \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* Make a view of the rows of one epoch that belong to one worker, in the order of the epoch
 * (semantics:5.6, docs/shuffling.md; ML.NET: ShuffleRows).  Any thread.
 *
 * source     retained.  If it does not know its number of rows, it is read once, without columns,
 *            to count them
 * options    NULL: as INIT
 * allocator  NULL: malloc.  A cursor of UNIFORM, BLOCKS and NONE keeps a few numbers, one of POOL
 *            8 bytes for each row of the pool and 4 for each block, besides the rows it gathers
 *
 * schema     that of the source, metadata included
 * rows       known.  ids: those of the source's rows (semantics:5.4)
 * batches    the source's, if nothing is shuffled and there is one shard.  Otherwise each row is
 *            copied once (as by dv_view_take), and opening a cursor with zero_copy_only fails with
 *            DV_ERR_COPY.  Decoded blocks are kept while they have rows of the pool, or of the
 *            block: about five pools of rows; for UNIFORM 64 MiB of blocks and, if that is not
 *            all of them, as much of rows that are read ahead.  Columns that take long
 *            (dv_step_class.batch_rows: pictures) are not among what is kept, if all steps above
 *            them make each row of one row: they are made of rows in their new order, once they are
 *            read, by the cursor's threads
 * order      the view itself cannot be shuffled: dv_view_can_shuffle is false
 * cost       if the number of rows is known, this call reads nothing, so make one view per epoch.
 *            Starting at a row costs nothing except for POOL, whose draws before it are repeated,
 *            without data: some nanoseconds each
 * errors     as the source reports them, after the rows before.  If a message says "in the new
 *            order", the rows that it counts are those of this view
 * facts      none; verification checks the source
 *
 * DV_OK
 * DV_ERR_ARGUMENT  options of an unknown size; a negative number; an unknown enum value; shard not
 *                  less than shards; pool_blocks that is NaN; UNIFORM by blocks; UNIFORM or BLOCKS
 *                  if rows are reached only in sequence (text, filters): materialize the view
 *                  (dv_view_materialize) or cache it first; by blocks, a start that shards does not
 *                  divide
 * DV_ERR_LIMIT     (shuffle) POOL with more than 2^32-1 blocks; UNIFORM or BLOCKS of more than 2^62
 *                  rows
 * DV_ERR_STOPPED   `progress` returned false: there is no view
 * DV_ERR_MEMORY
 * DV_ERR_*         what the source returns while its rows are counted
 */
DV_API dv_status dv_view_epoch(dv_view **view_out, dv_view *source, const dv_epoch_options *options,
                               const dv_allocator *allocator, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
