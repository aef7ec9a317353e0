/* SPDX-License-Identifier: MIT */
/* gram_hash.h: slots that are hashes of grams, and the grams that each slot stands for
 * (semantics:7.10). */
#ifndef DVI_TRANSFORM_GRAM_HASH_H
#define DVI_TRANSFORM_GRAM_HASH_H

#include "transform/grams.h"
#include "transform/seen_names.h"

/* How grams become slots. */
typedef struct dvi_gram_hash {
    dvi_gram_shape shape;
    int32_t bits; /* of a slot: 1 to DVI_HASH_NAMED_BITS */
    uint32_t seed;
    bool is_ordered; /* the number of the source is hashed, too */
    bool rehash;     /* a single key, which is else its own hash */
} dvi_gram_hash;

/* The slot of a gram of a source. */
uint32_t dvi_gram_hash_slot(const dvi_gram_hash *hash, const uint32_t *gram, int32_t length,
                            int32_t source);

/* The same of n grams of one key. */
void dvi_gram_hash_ones(const dvi_gram_hash *hash, const uint32_t *keys, int n, int32_t source,
                        uint32_t *slots_out);

/* --- Names ------------------------------------------------------------------------------------ */

/* The grams of each slot that come first; and, if the keys are hashes of words, the words of each
 * key that come first. */
typedef struct dvi_gram_seen {
    dv_allocator allocator;
    dvi_gram_hash hash;
    dvi_seen_values grams;
    dvi_seen_values *words; /* of each source; NULL: none */
    int32_t sources;
} dvi_gram_seen;

/* most: grams of a slot, and words of a key; -1: all. *seen must not move. */
dv_status dvi_gram_seen_init(dvi_gram_seen *seen, const dvi_gram_hash *hash, int32_t sources,
                             bool has_words, int32_t most, const dv_allocator *allocator,
                             dv_error *err);
void dvi_gram_seen_free(dvi_gram_seen *seen);
/* See the grams of a row of n keys of a source. Statuses: dvi_seen_add. */
dv_status dvi_gram_seen_row(dvi_gram_seen *seen, int32_t source, const uint32_t *keys, int32_t n,
                            int64_t place, dv_error *err);
/* Add what another one has seen of other rows. Statuses: dvi_seen_merge. */
dv_status dvi_gram_seen_merge(dvi_gram_seen *seen, const dvi_gram_seen *other, dv_error *err);

/* A table as dvi_hash_names_table makes it: the name of slot k is that of key k + 1. Texts are
 * those of the words, or else of the KeyValues of the columns.
 *
 * DV_OK
 * DV_ERR_LIMIT  names of more than 1 GiB
 * DV_ERR_MEMORY, and what reading the KeyValues returns */
dv_status dvi_gram_seen_table(dv_view **table_out, const dvi_gram_seen *seen,
                              const dv_schema *schema, const int32_t *columns, dv_error *err);

#endif
