/* SPDX-License-Identifier: MIT */
/* tf_word_bag.h: columns of counts of grams of words, straight from texts (semantics:7.11; ML.NET:
 * WordBag). What comes out is what tokenize, term and ngram make, one after the other. */
#ifndef DVI_TRANSFORM_TF_WORD_BAG_H
#define DVI_TRANSFORM_TF_WORD_BAG_H

#include "transform/mapper.h"
#include "transform/terms.h"
#include "transform/tf_ngram.h"
#include "transform/word_keys.h"

/* What is known of words. Read-only once it is planned with. */
typedef struct dvi_word_bag {
    dvi_terms *terms; /* the words */
    dvi_grams *grams; /* of their keys */
    dv_allocator allocator;
} dvi_word_bag;

/* End learning, and take what was learned out of *from. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_word_bag_create(dvi_word_bag **bag_out, dvi_word_bag *from,
                              const dv_allocator *allocator, dv_error *err);
void dvi_word_bag_free(dvi_word_bag **bag); /* NULL is fine */

/* Make one of tables of terms and of grams, which may come from a file. DV_OK; DV_ERR_CORRUPT;
 * DV_ERR_MEMORY, and what reading the tables returns. */
dv_status dvi_word_bag_from_tables(dvi_word_bag **bag_out, dv_view *const *tables,
                                   const dvi_gram_options *options, const dv_allocator *allocator,
                                   dv_error *err);

/* Find the keys of words: a dvi_word_number, whose ctx is dvi_terms. */
dv_status dvi_word_bag_find(void *ctx, const dv_text *words, int n, const char *end,
                            uint32_t *keys_out, dv_error *err);

/* Plan a column V<R4,n> of n columns of texts. `words` and what it points to are in the arena;
 * `bag` must outlive the view. DV_OK; DV_ERR_ARGUMENT: another type; DV_ERR_MEMORY. */
dv_status dvi_word_bag_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                            const int32_t *columns, int32_t n, const dvi_words *words,
                            const dvi_word_bag *bag, dv_error *err);

/* Let a column be made of its sources, which are texts. `bag` outlives it. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_word_bag_map(dvi_mapped *mapped, dvi_arena *arena, const dvi_words *words,
                           const dvi_word_bag *bag, dv_error *err);

/* Make the names of the slots of grams of terms: a batch as dvi_grams_names makes it. */
dv_status dvi_word_bag_names(const dv_batch **batch_out, const dvi_word_bag *bag,
                             const dv_allocator *allocator, dv_error *err);

#endif
