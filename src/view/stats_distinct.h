/* SPDX-License-Identifier: MIT */
/* stats_distinct.h: how many different values, and how often is each there?
 *
 * Exact up to a limit, as entries in the order of their hashes; beyond it HyperLogLog with 2^14
 * registers.  The result depends neither on the order of values nor on how they were cut. */
#ifndef DVI_VIEW_STATS_DISTINCT_H
#define DVI_VIEW_STATS_DISTINCT_H

#include <dataview/buffer.h>
#include <dataview/stats.h>
#include <stdatomic.h>

#define DVI_DISTINCT_REGISTERS ((size_t)1 << 14)
#define DVI_DISTINCT_ERROR 0.008125 /* 1.04 / sqrt(2^14) */

/* A value: numbers have themselves as lo and a hash of it, which no other number has, as hi; texts
 * have both halves of their hash. */
typedef struct dvi_entry {
    uint64_t hi, lo;
    int64_t count;
} dvi_entry;

/* Of a text: the beginning. */
typedef struct dvi_tail {
    int32_t nbytes; /* of all of it */
    char text[DV_STATS_TEXT_NBYTES];
} dvi_tail;

/* Entries with the tails of texts beside them. */
typedef struct dvi_entries {
    dvi_entry *entry;
    dvi_tail *tail; /* NULL: of numbers */
    size_t n, cap;
} dvi_entries;

typedef struct dvi_distinct {
    dv_allocator allocator;
    size_t limit;
    bool has_tails;
    atomic_bool *many;   /* some part of the column passed the limit: all of it will */
    dvi_entries entries; /* in order of hi, lo */
    dvi_entries pending; /* not yet among the entries; found by `places` */
    uint16_t *places;    /* twice pending.cap; 0: free, else 1 + its number in pending */
    uint8_t *registers;  /* not NULL: an estimate, and no entries */
} dvi_distinct;

/* many is shared by all that will be merged. */
void dvi_distinct_init(dvi_distinct *distinct, size_t limit, bool has_tails, atomic_bool *many,
                       const dv_allocator *allocator);
/* No value, and no memory. */
void dvi_distinct_clear(dvi_distinct *distinct);

/* count >= 1 of it.  Bytes may be NULL when there are none. */
dv_status dvi_distinct_number(dvi_distinct *distinct, uint64_t number, int64_t count,
                              dv_error *err);
dv_status dvi_distinct_bytes(dvi_distinct *distinct, const void *data, size_t nbytes, int64_t count,
                             dv_error *err);

/* Add all of `other`, which is then empty. */
dv_status dvi_distinct_merge(dvi_distinct *distinct, dvi_distinct *other, dv_error *err);

/* All that is pending is counted: for the functions below. */
dv_status dvi_distinct_finish(dvi_distinct *distinct, dv_error *err);

int64_t dvi_distinct_count(const dvi_distinct *distinct);
/* The most frequent entries, most first, of those as frequent the first by value; up to
 * DV_STATS_TOP of them, as numbers of entries. */
int32_t dvi_distinct_top(const dvi_distinct *distinct, size_t top[DV_STATS_TOP]);

#endif
