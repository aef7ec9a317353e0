/* SPDX-License-Identifier: MIT */
/* tf_gram_hash.h: columns of counts of hashed grams, of keys or of the hashes of words
 * (semantics:7.10, semantics:7.11; ML.NET: NgramHash, WordHashBag). */
#ifndef DVI_TRANSFORM_TF_GRAM_HASH_H
#define DVI_TRANSFORM_TF_GRAM_HASH_H

#include "codec/murmur.h"
#include "transform/gram_hash.h"
#include "transform/mapper.h"
#include "transform/word_keys.h"

#define DVI_WORD_HASH_BITS 30

/* How words become keys. */
typedef struct dvi_word_hash {
    dvi_words words;
    uint32_t seed;
    dvi_murmur_version version;
    int32_t bits; /* of a key; of wordhashbag DVI_WORD_HASH_BITS */
} dvi_word_hash;

/* Hash words: a dvi_word_number, whose ctx is a dvi_word_hash. */
dv_status dvi_word_hash_number(void *ctx, const dv_text *words, int n, const char *end,
                               uint32_t *keys_out, dv_error *err);

typedef struct dvi_gram_hash_options {
    dvi_gram_hash hash;
    const dvi_word_hash *words; /* columns of texts; NULL: of vectors of keys. In the arena */
    dv_view *names;             /* dvi_gram_seen_table; NULL: none */
} dvi_gram_hash_options;

/* Check the columns, and the options without the names. DV_OK; DV_ERR_ARGUMENT. */
dv_status dvi_gram_hash_check(const dvi_gram_hash_options *options, const dv_schema *source,
                              const int32_t *columns, int32_t n, dv_error *err);

/* Plan a column V<R4,2^bits> of n columns. `names` is read now, and retained by the schema of the
 * new column.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  dvi_gram_hash_check
 * DV_ERR_CORRUPT   `names` is no such table
 * DV_ERR_LIMIT, DV_ERR_MEMORY */
dv_status dvi_gram_hash_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                             const int32_t *columns, int32_t n,
                             const dvi_gram_hash_options *options, dv_error *err);

/* The options of a column that was planned so. */
const dvi_gram_hash_options *dvi_gram_hash_options_of(const dvi_mapped *mapped);
/* Let a column be made of its sources with these options. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_gram_hash_map(dvi_mapped *mapped, dvi_arena *arena,
                            const dvi_gram_hash_options *options, dv_error *err);

#endif
