/* SPDX-License-Identifier: MIT */
/* word_bag_learn.h: learns words and the grams of their keys in one pass: a key is final as soon as
 * its word has come (semantics:7.11). */
#ifndef DVI_TRANSFORM_WORD_BAG_LEARN_H
#define DVI_TRANSFORM_WORD_BAG_LEARN_H

#include "transform/tf_word_bag.h"

typedef struct dvi_word_learner {
    dv_allocator allocator;
    dvi_word_bag bag;
    dvi_word_keys keys;
    bool has_left_out; /* a word, because there are as many as there may be */
} dvi_word_learner;

/* Start. The words are at most options->most[0], of text_nbytes together. Statuses:
 * dvi_terms_create, dvi_grams_create. DV_ERR_ARGUMENT: no word may come. */
dv_status dvi_word_learner_init(dvi_word_learner *learner, const dvi_gram_options *options,
                                size_t text_nbytes, const dv_allocator *allocator, dv_error *err);
void dvi_word_learner_free(dvi_word_learner *learner);

/* Learn a row from n columns that dvi_word_keys_start has been given. Statuses as
 * dvi_word_keys_next, dvi_terms_add. */
dv_status dvi_word_learner_row(dvi_word_learner *learner, int32_t n, int64_t place, dv_error *err);

/* Let the first of n be as if it had seen the rows of all. DV_OK; DV_NOT_FOUND: words or grams were
 * left out (dvi_grams_merge); DV_ERR_LIMIT; DV_ERR_MEMORY. */
dv_status dvi_word_learners_merge(dvi_word_learner *const *learners, int32_t n, dv_error *err);

#endif
