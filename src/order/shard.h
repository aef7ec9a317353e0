/* SPDX-License-Identifier: MIT */
/* shard.h: which rows of an epoch belong to a shard.
 *
 * A shard takes its rows from a sequence of `length` rows, from row `first` on.  By rows the
 * sequence is the epoch, and shard i of n takes the rows i, i + n, i + 2 n, ...; by blocks it is
 * the blocks i, i + n, i + 2 n, ... of the epoch's order of blocks, concatenated, and the shard
 * takes all of it. */
#ifndef DVI_ORDER_SHARD_H
#define DVI_ORDER_SHARD_H

#include "order/epoch_plan.h"

/* Set length, first and count of the plan, and another shard if there are fewer blocks than shards,
 * from its other members and the options start and shard_size. */
void dvi_shard_deal(dvi_epoch_plan *plan, const dv_epoch_options *options);

/* Number `index` of the shard's blocks: where it is in the epoch's order of blocks. */
int64_t dvi_shard_block(const dvi_epoch_plan *plan, int64_t index);

/* The reverse; -1: the block is another shard's. */
int64_t dvi_shard_index(const dvi_epoch_plan *plan, int64_t block);

/* How many of the next n rows of the shard, from number `position` on, are equally far apart in the
 * sequence: where the first one is, and their distance.  Padding starts again at the shard's first
 * row. */
int64_t dvi_shard_run(const dvi_epoch_plan *plan, int64_t position, int64_t n, int64_t *at_out,
                      int64_t *step_out);

#endif
