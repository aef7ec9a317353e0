/* SPDX-License-Identifier: MIT */
/* stats_ranks.h: counts how many of many numbers are not above x, by a mergeable sketch with a
 * known error.
 *
 * Level l keeps sorted numbers, each of which stands for 2^l.  When a level has more than
 * DVI_RANKS_KEPT numbers, every second one moves up a level.  Keeping the first of each pair counts
 * up to 2^l too many below any x, keeping the second as many too few.  The sums of both are the
 * error bounds, and the sketch always chooses the kind with the smaller sum (Manku, Rajagopalan,
 * Lindsay; without the coin of KLL). */
#ifndef DVI_VIEW_STATS_RANKS_H
#define DVI_VIEW_STATS_RANKS_H

#include <dataview/buffer.h>

#define DVI_RANKS_KEPT ((size_t)2048)

typedef struct dvi_rank_level {
    uint64_t *items; /* n, rising */
    size_t n;
} dvi_rank_level;

/* Start from {0}.  After DV_ERR_MEMORY it can only be freed. */
typedef struct dvi_ranks {
    dvi_rank_level *level;
    size_t levels, cap;
    int64_t above, below; /* ranks can be this much too large, and too small */
} dvi_ranks;

/* Add n >= 1 sorted numbers; their memory is used as scratch. */
dv_status dvi_ranks_add(dvi_ranks *ranks, uint64_t *items, size_t n, const dv_allocator *allocator,
                        dv_error *err);
/* Add all of `other`, which is then empty. */
dv_status dvi_ranks_merge(dvi_ranks *ranks, dvi_ranks *other, const dv_allocator *allocator,
                          dv_error *err);
void dvi_ranks_free(dvi_ranks *ranks, const dv_allocator *allocator);

/* The number of those not above x, within the bounds. */
int64_t dvi_ranks_at_most(const dvi_ranks *ranks, uint64_t x);

/* How many of n sorted numbers are not above x. */
size_t dvi_count_at_most(const uint64_t *items, size_t n, uint64_t x);

#endif
