/* SPDX-License-Identifier: MIT */
/* stats_distinct.h: counts distinct values, and how often each occurs.
 *
 * Exact up to a limit, as entries in the order of their hashes; beyond it HyperLogLog with 2^14
 * registers.  The result depends neither on the order of values nor on how they are cut into runs.
 */
#ifndef DVI_VIEW_STATS_DISTINCT_H
#define DVI_VIEW_STATS_DISTINCT_H

#include <dataview/buffer.h>
#include <dataview/stats.h>
#include <stdatomic.h>

#define DVI_DISTINCT_REGISTERS ((size_t)1 << 14)
#define DVI_DISTINCT_ERROR 0.008125 /* 1.04 / sqrt(2^14) */

/* A value.  Of a number, lo is the number and hi a hash that no other number has; of a text, both
 * are halves of its hash. */
typedef struct dvi_entry {
    uint64_t hi, lo;
    int64_t count;
} dvi_entry;

/* The beginning of a text. */
typedef struct dvi_tail {
    int32_t nbytes; /* of the whole text */
    char text[DV_STATS_TEXT_NBYTES];
} dvi_tail;

/* Entries, with the tails of texts beside them. */
typedef struct dvi_entries {
    dvi_entry *entry;
    dvi_tail *tail; /* NULL for numbers */
    size_t n, cap;
} dvi_entries;

typedef struct dvi_distinct {
    dv_allocator allocator;
    size_t limit;
    bool has_tails;
    atomic_bool *many;   /* a run of the column passed the limit, so the whole column will */
    dvi_entries entries; /* in order of hi, lo */
    dvi_entries pending; /* not yet among the entries; found through `positions` */
    uint16_t *positions; /* twice pending.cap; 0: free, else 1 + its number in pending */
    uint8_t *registers;  /* not NULL: an estimate, and no entries */
} dvi_distinct;

/* `many` is shared by all sets that will be merged. */
void dvi_distinct_init(dvi_distinct *distinct, size_t limit, bool has_tails, atomic_bool *many,
                       const dv_allocator *allocator);
/* Empty it and free its memory. */
void dvi_distinct_clear(dvi_distinct *distinct);

/* Add a value count >= 1 times.  Bytes may be NULL if there are none. */
dv_status dvi_distinct_number(dvi_distinct *distinct, uint64_t number, int64_t count,
                              dv_error *err);
dv_status dvi_distinct_bytes(dvi_distinct *distinct, const void *data, size_t nbytes, int64_t count,
                             dv_error *err);

/* Add all of `other`, which is then empty. */
dv_status dvi_distinct_merge(dvi_distinct *distinct, dvi_distinct *other, dv_error *err);

/* Count what is pending; call this before the functions below. */
dv_status dvi_distinct_finish(dvi_distinct *distinct, dv_error *err);

int64_t dvi_distinct_count(const dvi_distinct *distinct);
/* The indices of up to DV_STATS_TOP most frequent entries, most frequent first, equally frequent
 * ones by value. */
int32_t dvi_distinct_top(const dvi_distinct *distinct, size_t top[DV_STATS_TOP]);

#endif
