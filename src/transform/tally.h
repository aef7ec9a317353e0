/* SPDX-License-Identifier: MIT */
/* tally.h: counts the distinct values of each slot. */
#ifndef DVI_TRANSFORM_TALLY_H
#define DVI_TRANSFORM_TALLY_H

#include "transform/slot_values.h"

/* The most entries of all slots. */
#define DVI_TALLY_MOST (INT64_C(1) << 27)

/* A distinct value of a class: 0, or the label of its row. -0 and 0 are the same value, which has
 * the sign that came first. */
typedef struct dvi_tally_entry {
    double value;
    int64_t count;
    int64_t first; /* number of the item that had it first */
    int32_t label;
} dvi_tally_entry;

/* Of one slot. */
typedef struct dvi_slot_tally {
    dvi_tally_entry *entries; /* the first `sorted` by value, then label; the others as they came */
    size_t n, sorted, cap;
    int64_t items; /* NaN too */
} dvi_slot_tally;

typedef struct dvi_tally {
    dv_allocator allocator;
    dvi_slot_tally *slot;
    int32_t slots;
    int64_t entries; /* of all slots, at most DVI_TALLY_MOST */
    int64_t items;   /* seen so far */
    int32_t label;   /* of the values that are taken next */
    dvi_tally_entry *scratch;
    size_t scratch_cap;
} dvi_tally;

dv_status dvi_tally_init(dvi_tally *tally, int32_t slots, const dv_allocator *allocator,
                         dv_error *err);
void dvi_tally_free(dvi_tally *tally); /* a zeroed one is fine */

/* Count the values, but NaN. DV_ERR_ARGUMENT: more than DVI_TALLY_MOST are distinct. */
dv_status dvi_tally_take(void *tally, const dvi_slot_values *values, dv_error *err);
/* Count a value of a slot `count` times. */
dv_status dvi_tally_add(dvi_tally *tally, int32_t slot, double value, int32_t label, int64_t count,
                        dv_error *err);
/* Count an entry of another tally, NaN too, as if its items followed: their numbers are those that
 * it has. */
dv_status dvi_tally_join(dvi_tally *tally, int32_t slot, const dvi_tally_entry *entry,
                         dv_error *err);
/* Sort the entries of a slot, each value and label once. */
dv_status dvi_tally_sort(dvi_tally *tally, int32_t slot, dv_error *err);

#endif
