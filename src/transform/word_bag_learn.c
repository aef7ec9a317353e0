/* SPDX-License-Identifier: MIT */
/* word_bag_learn.c: learners of words and grams. Each numbers words of its own; before they are
 * merged, the keys of their grams become those of the merged words. */
#include "transform/word_bag_learn.h"
#include "base/alloc.h"
#include "base/check.h"

#define LEARNERS_MAX 256 /* DVI_LEARNERS_MAX */

dv_status dvi_word_learner_init(dvi_word_learner *l, const dvi_gram_options *options,
                                size_t text_nbytes, const dv_allocator *allocator, dv_error *err)
{
    const dv_type text = dv_type_of(DV_KIND_TX);
    const int32_t most = options->most[0] < INT32_MAX ? options->most[0] : INT32_MAX - 1;
    *l = (dvi_word_learner){.allocator = dvi_allocator_of(allocator)};
    if (most < 1)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.11", -1, "words to learn (max)",
                        "1 or more|0");
    DVI_TRY(dvi_terms_create(&l->bag.terms, &text, most, text_nbytes, allocator, err));
    return dvi_grams_create(&l->bag.grams, options, allocator, err);
}

void dvi_word_learner_free(dvi_word_learner *l)
{
    dvi_terms_free(&l->bag.terms);
    dvi_grams_free(&l->bag.grams);
    dvi_word_keys_free(&l->keys);
}

static dv_status add_words(void *ctx, const dv_text *words, int n, const char *end,
                           uint32_t *keys_out, dv_error *err)
{
    dvi_word_learner *l = ctx;
    DVI_TRY(dvi_terms_add_words(l->bag.terms, words, n, end, keys_out, err));
    for (int i = 0; dvi_terms_are_full(l->bag.terms) && i < n; i++)
        l->has_left_out = l->has_left_out || keys_out[i] == 0;
    return DV_OK;
}

dv_status dvi_word_learner_row(dvi_word_learner *l, int32_t n, int64_t place, dv_error *err)
{
    DVI_TRY(dvi_word_keys_next(&l->keys, 0, n, add_words, l, &l->allocator, err));
    return dvi_grams_learn(l->bag.grams, dvi_word_keys_list(&l->keys), (int32_t)l->keys.n, place,
                           err);
}

/* --- Merging ---------------------------------------------------------------------------------- */

/* Give the grams of a learner the keys of the merged words. */
static dv_status map_keys(dvi_word_learner *l, const dvi_terms *merged, dv_error *err)
{
    void *made;
    dv_column_view words;
    dv_status status = DV_OK;
    const int64_t n = dvi_terms_count(l->bag.terms);
    const size_t nbytes = 4 * ((size_t)n + 1);
    DVI_TRY(dvi_alloc(&l->allocator, &made, nbytes, err));
    uint32_t *keys = made;
    keys[0] = 0;
    dvi_terms_values(l->bag.terms, &words);
    dvi_terms_find(merged, &words, 0, n, keys + 1);
    for (int64_t i = 1; i <= n; i++)
        if (keys[i] == 0)
            status = DV_NOT_FOUND;
    dvi_grams_map_keys(l->bag.grams, keys);
    dvi_free(&l->allocator, keys, nbytes);
    return status;
}

static dv_status merge(dvi_word_bag *merged, dvi_word_learner *const *learners, int32_t n,
                       dv_error *err)
{
    dvi_terms *terms[LEARNERS_MAX] = {NULL};
    dvi_grams *grams[LEARNERS_MAX] = {NULL};
    for (int32_t i = 0; i < n; i++) {
        terms[i] = learners[i]->bag.terms;
        grams[i] = learners[i]->bag.grams;
        if (learners[i]->has_left_out)
            return DV_NOT_FOUND;
    }
    DVI_TRY(dvi_terms_merge(&merged->terms, terms, n, NULL, err));
    for (int32_t i = 0; i < n; i++) {
        const dv_status status = map_keys(learners[i], merged->terms, err);
        if (status != DV_OK)
            return status;
    }
    return dvi_grams_merge(&merged->grams, grams, n, err);
}

dv_status dvi_word_learners_merge(dvi_word_learner *const *learners, int32_t n, dv_error *err)
{
    dvi_word_bag merged = {.terms = NULL};
    const dv_status status = merge(&merged, learners, n, err);
    if (status != DV_OK) {
        dvi_terms_free(&merged.terms);
        dvi_grams_free(&merged.grams);
        return status;
    }
    dvi_terms_free(&learners[0]->bag.terms);
    dvi_grams_free(&learners[0]->bag.grams);
    learners[0]->bag = merged;
    return DV_OK;
}
