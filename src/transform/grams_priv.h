/* SPDX-License-Identifier: MIT */
/* grams_priv.h: what the files of the dictionary of grams share. */
#ifndef DVI_TRANSFORM_GRAMS_PRIV_H
#define DVI_TRANSFORM_GRAMS_PRIV_H

#include "transform/grams.h"

struct dvi_grams {
    dv_allocator allocator;
    dvi_gram_options options;
    int32_t most[DVI_GRAM_KEYS + 1];   /* grams of a length that are kept */
    int64_t counts[DVI_GRAM_KEYS + 1]; /* that there are of a length */
    int64_t count;
    uint64_t seed;

    uint64_t *slots;  /* a hash above, and below 1 + the number of its gram; 0: free */
    size_t cap;       /* of slots: a power of two */
    uint32_t *ones;   /* of small keys: 1 + the number of the gram of that key; 0: there is none */
    size_t ones_cap;  /* of ones: cap, or 0 if all grams have more keys than one */
    dvi_memory *keys; /* uint32: of all grams, end to end */
    dvi_memory *ends; /* uint64: keys up to the end of each gram */
    dvi_memory *idf;  /* double, of each gram */
    size_t keys_count;

    /* While it learns: */
    dvi_memory *places; /* int64: where each gram came first */
    dvi_memory *within; /* int64: rows with it; NULL: they are not counted */
    dvi_memory *last;   /* int64: the place of the last one */
    int64_t rows;
    bool has_left_out; /* grams that another thread may need the count of */
};

/* Make room for so many more grams. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_grams_reserve(dvi_grams *grams, int64_t more, dv_error *err);
/* Find a gram, or add it if there is room for one of its length. Returns its number; -1: none. Call
 * dvi_grams_reserve before. */
int64_t dvi_grams_put(dvi_grams *grams, const uint32_t *keys, int32_t length);

/* The same as dvi_grams_find, of a single key. */
static inline int64_t dvi_grams_find_one(const dvi_grams *grams, const uint32_t *key)
{
    return *key < grams->ones_cap ? (int64_t)grams->ones[*key] - 1 : dvi_grams_find(grams, key, 1);
}

static inline uint64_t *dvi_grams_ends(const dvi_grams *grams)
{
    return (uint64_t *)(void *)grams->ends->data;
}

/* A list of int64 of the grams. */
static inline int64_t *dvi_grams_list(const dvi_memory *list)
{
    return (int64_t *)(void *)list->data;
}

#endif
