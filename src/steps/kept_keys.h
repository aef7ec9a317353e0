/* SPDX-License-Identifier: MIT */
/* kept_keys.h: the keys that rows get while their terms are learned, for whoever then reads the
 * same rows. */
#ifndef DVI_STEPS_KEPT_KEYS_H
#define DVI_STEPS_KEPT_KEYS_H

#include "base/owner.h"

/* Of one learner, which numbers the terms of the rows that it sees. Several learners of a column
 * share the memory: no row is seen by two. All zero: nothing is kept. */
typedef struct dvi_kept_keys {
    dvi_memory *keys;         /* uint32 of each row of the view; NULL: they are not kept */
    const int64_t *first_row; /* of the batch that is seen next, in the view */
    int64_t rows;             /* of the view */
    dvi_memory *runs;         /* of rows that were seen: first and end, int64 each */
    size_t runs_count;
    dv_allocator allocator;
} dvi_kept_keys;

/* Keep keys from now on, in memory for those of all rows of the view, which is retained. */
void dvi_kept_keys_start(dvi_kept_keys *kept, dvi_memory *keys, const int64_t *first_row,
                         const dv_allocator *allocator);
/* Keep nothing any longer. */
void dvi_kept_keys_stop(dvi_kept_keys *kept);

/* Where the keys of the next batch, of so many rows, go. NULL: nowhere. */
uint32_t *dvi_kept_keys_next(dvi_kept_keys *kept, int64_t rows);

/* Replace each key k of the rows that this learner has seen by map[k]. NULL: keys stay. */
void dvi_kept_keys_map(const dvi_kept_keys *kept, const uint32_t *map);

/* Let this learner have what another one of the same column has kept. If either keeps nothing, this
 * one does no longer. */
void dvi_kept_keys_join(dvi_kept_keys *kept, dvi_kept_keys *other);
/* Has each row of the view one key? */
bool dvi_kept_keys_are_all(dvi_kept_keys *kept);

#endif
