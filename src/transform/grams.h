/* SPDX-License-Identifier: MIT */
/* grams.h: the grams of rows of keys, and dictionaries of them (semantics:7.9).
 *
 * A gram is one key or more that follow each other in a row, some of them skipped. Keys are numbers
 * of 32 bits; 0, a missing one, is part of grams like any other. */
#ifndef DVI_TRANSFORM_GRAMS_H
#define DVI_TRANSFORM_GRAMS_H

#include "base/owner.h"
#include <dataview/batch.h>
#include <dataview/own_view.h>
#include <dataview/view.h>

#define DVI_GRAM_KEYS 10 /* the most of a gram, those that are skipped included */

/* Which grams a row has. */
typedef struct dvi_gram_shape {
    int32_t n, skips; /* keys of a gram at most; keys that may be skipped in it */
    bool all;         /* those of fewer keys too */
} dvi_gram_shape;

/* DV_ERR_ARGUMENT: n is not 1 to DVI_GRAM_KEYS - skips, or a key is to be skipped in one. */
dv_status dvi_gram_shape_check(const dvi_gram_shape *shape, dv_error *err);
/* The most grams that begin with one key. */
int32_t dvi_gram_shape_starts(const dvi_gram_shape *shape);

/* Take a gram, which is valid during the call. */
typedef void dvi_gram_visit(void *ctx, const uint32_t *gram, int32_t length);

/* Visit the longer grams that begin with the `length` keys of `gram`, the last of which is key `at`
 * of the row. */
void dvi_gram_extend(const dvi_gram_shape *shape, const uint32_t *keys, int32_t n, int32_t at,
                     uint32_t *gram, int32_t length, int32_t left, dvi_gram_visit *visit,
                     void *ctx);

/* Visit the grams of n keys that begin with key `at`, in their order. */
static inline void dvi_gram_each(const dvi_gram_shape *shape, const uint32_t *keys, int32_t n,
                                 int32_t at, dvi_gram_visit *visit, void *ctx)
{
    if (shape->skips > 0) {
        uint32_t gram[DVI_GRAM_KEYS] = {keys[at]};
        dvi_gram_extend(shape, keys, n, at, gram, 1, shape->skips, visit, ctx);
        return;
    }
    const int32_t most = n - at < shape->n ? n - at : shape->n;
    for (int32_t length = shape->all ? 1 : shape->n; length <= most; length++)
        visit(ctx, keys + at, length);
}

/* --- Dictionaries ----------------------------------------------------------------------------- */

typedef enum dvi_gram_weight { DVI_GRAM_TF, DVI_GRAM_IDF, DVI_GRAM_TFIDF } dvi_gram_weight;

typedef struct dvi_gram_options {
    dvi_gram_shape shape;
    int32_t most[DVI_GRAM_KEYS]; /* grams of each length, from 1 on */
    dvi_gram_weight weight;
} dvi_gram_options;

/* Grams numbered from 0 in the order in which they came. One thread at a time may add to it; any
 * number may look grams up when none are added. */
typedef struct dvi_grams dvi_grams;

/* One without grams. DV_ERR_ARGUMENT: dvi_gram_shape_check, or more than 2^31-2 grams may come. */
dv_status dvi_grams_create(dvi_grams **grams_out, const dvi_gram_options *options,
                           const dv_allocator *allocator, dv_error *err);
void dvi_grams_free(dvi_grams **grams); /* NULL is fine */

int64_t dvi_grams_count(const dvi_grams *grams);
const dvi_gram_options *dvi_grams_options(const dvi_grams *grams);
/* The keys of a gram; returns how many. */
int32_t dvi_grams_at(const dvi_grams *grams, int64_t number, const uint32_t **keys_out);
/* The number of a gram; -1: it is none of the dictionary. */
int64_t dvi_grams_find(const dvi_grams *grams, const uint32_t *keys, int32_t length);
/* The natural logarithm of rows / rows with the gram, of those that it learned from. */
double dvi_grams_idf(const dvi_grams *grams, int64_t number);

/* Learn from a row of n keys. Places rise from row to row. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_grams_learn(dvi_grams *grams, const uint32_t *keys, int32_t n, int64_t place,
                          dv_error *err);
/* Before a merge: let key k be keys[k], for all k of its grams. */
void dvi_grams_map_keys(dvi_grams *grams, const uint32_t *keys);
/* Make the dictionary of all rows that n others have seen.
 *
 * DV_OK
 * DV_NOT_FOUND  they have left out what one that sees all rows would have counted
 * DV_ERR_MEMORY */
dv_status dvi_grams_merge(dvi_grams **merged_out, dvi_grams *const *parts, int32_t n,
                          dv_error *err);
/* End learning: *grams may be replaced. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_grams_finish(dvi_grams **grams, dv_error *err);

/* Add what differs from other dictionaries. */
void dvi_grams_identify(const dvi_grams *grams, dv_identity *identity);

/* --- Tables ----------------------------------------------------------------------------------- */

/* A table in memory with the grams in order: Length I4, Keys V<U4,n>, filled up with 0, and Idf R8
 * unless the weight is DVI_GRAM_TF. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_grams_table(dv_view **table_out, const dvi_grams *grams,
                          const dv_allocator *allocator, dv_error *err);
/* The dictionary of such a table, which may come from a file. keys_most: the greatest key.
 *
 * DV_OK
 * DV_ERR_CORRUPT  the table is none of grams with these options
 * DV_ERR_MEMORY, and what reading the table returns */
dv_status dvi_grams_from_table(dvi_grams **grams_out, dv_view *table,
                               const dvi_gram_options *options, uint32_t keys_most,
                               const dv_allocator *allocator, dv_error *err);

/* The texts of keys: text i, below count, belongs to key i + 1. It is valid until the next call. */
typedef struct dvi_gram_texts {
    dv_text (*text_of)(const void *ctx, int32_t i);
    const void *ctx;
    int64_t count;
} dvi_gram_texts;

/* A text_of whose ctx is a dv_value, a vector of texts. */
dv_text dvi_gram_value_text(const void *vector, int32_t i);

/* Make a batch of one row, V<TX,...>, of the names of all grams: the texts of their keys, joined by
 * "|"; key 0 is "*". DV_OK; DV_ERR_LIMIT: more than 2^31-1 bytes; DV_ERR_MEMORY. */
dv_status dvi_grams_names(const dv_batch **batch_out, const dvi_grams *grams,
                          const dvi_gram_texts *texts, const dv_allocator *allocator,
                          dv_error *err);

#endif
