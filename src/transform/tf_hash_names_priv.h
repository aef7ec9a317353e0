/* SPDX-License-Identifier: MIT */
/* tf_hash_names_priv.h: what the files that name keys share. */
#ifndef DVI_TRANSFORM_TF_HASH_NAMES_PRIV_H
#define DVI_TRANSFORM_TF_HASH_NAMES_PRIV_H

#include "base/hashtab.h"
#include "base/owner.h"
#include "transform/tf_hash_names.h"
#include "transform/tf_hash_priv.h"

/* A value that a key was made of. */
typedef struct dvi_seen_value {
    uint32_t key;
    int32_t slot;
    int64_t row;      /* where it came first */
    dv_text bytes;    /* text, or the bytes of the item, of -0 those of 0 */
    bool is_negative; /* -0 came first */
} dvi_seen_value;

/* Different values, in the order of row and slot. */
typedef struct dvi_seen_values {
    const dv_allocator *allocator;
    dvi_seen_value *values;
    size_t count, cap;
    bool is_by_slot; /* the same value in another slot is another value */
    int32_t most;    /* values of a key; -1: all */

    dvi_arena arena;     /* of the records, which are the keys of both tables */
    dvi_hashtab records; /* their numbers */
    dvi_hashtab keys;    /* the number of each key in `counts` */
    int32_t *counts;     /* values of each key */
    size_t keys_count, counts_cap;
    dvi_memory *record; /* in progress */
    int64_t nbytes;     /* of memory for values, about */
} dvi_seen_values;

/* Start without values. The allocator must outlive it. */
void dvi_seen_init(dvi_seen_values *seen, bool is_by_slot, int32_t most,
                   const dv_allocator *allocator);
void dvi_seen_free(dvi_seen_values *seen);
/* Add a value that comes after all others, unless it is there already, or its key has enough.
 * Copies `bytes`. DV_OK; DV_ERR_LIMIT: more than 1 GiB; DV_ERR_MEMORY: call again. */
dv_status dvi_seen_add(dvi_seen_values *seen, const dvi_seen_value *value, dv_error *err);

/* Add the values of another one, which has seen other rows. DV_OK; DV_ERR_LIMIT, DV_ERR_MEMORY:
 * neither has changed. */
dv_status dvi_seen_merge(dvi_seen_values *seen, const dvi_seen_values *other, dv_error *err);

struct dvi_hash_names {
    dv_allocator allocator;
    dvi_hash hash;
    const dv_schema *source;
    int32_t column;
    dvi_seen_values seen;
    dvi_memory *keys;    /* of the items of a batch */
    dvi_memory *offered; /* a bit for each slot that has been without an item; for all slots, one */
    size_t offered_nbytes;
};

#endif
