/* SPDX-License-Identifier: MIT */
/* step_wordbag.c: wordbag, which learns the words of texts and the grams of their keys. */
#include "base/alloc.h"
#include "base/check.h"
#include "steps/step_grams.h"
#include "steps/step_needs.h"
#include "steps/step_words.h"
#include "transform/terms_table.h"
#include "transform/tf_words.h"
#include "transform/word_bag_learn.h"

static const dvi_words words = {.separators = &dvi_blank_separator};

/* --- Learning --------------------------------------------------------------------------------- */

typedef struct learner {
    dvi_word_learner words;
    int32_t sources;
} learner;

static void free_learner(void *of)
{
    learner *l = of;
    const dv_allocator allocator = l->words.allocator;
    dvi_word_learner_free(&l->words);
    dvi_free(&allocator, l, sizeof *l);
}

static dv_status begin(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    void *made;
    dvi_gram_options options;
    for (int32_t i = 0; i < b->sources_count; i++)
        DVI_TRY(dvi_words_check(b->schema, b->sources[i], err));
    DVI_TRY(dvi_step_gram_options(&options, b->step, &dvi_gram_plain_names, err));
    DVI_TRY(dvi_alloc_zeroed(b->allocator, &made, sizeof(learner), err));
    learner *l = made;
    l->sources = b->sources_count;
    const dv_status status =
        dvi_word_learner_init(&l->words, &options, (size_t)b->terms_nbytes, b->allocator, err);
    if (status < 0)
        free_learner(l);
    else
        *learner_out = l;
    return status;
}

static dv_status begin_chunk(void *of, int64_t chunk, dv_error *err)
{
    return dvi_terms_begin_chunk(((learner *)of)->words.bag.terms, chunk, err);
}

static dv_status see(void *of, const dv_column_view *const *sources, int64_t place, dv_error *err)
{
    learner *l = of;
    dvi_word_learner *w = &l->words;
    DVI_TRY(dvi_word_keys_start(&w->keys, &words, sources, l->sources, &w->allocator, err));
    for (int64_t row = 0; row < sources[0]->rows; row++)
        DVI_TRY(dvi_word_learner_row(w, l->sources, place + row, err));
    return DV_OK;
}

static dv_status merge(void **learners, int32_t n, dv_error *err)
{
    dvi_word_learner *list[DVI_LEARNERS_MAX];
    for (int32_t i = 0; i < n; i++)
        list[i] = &((learner *)learners[i])->words;
    return dvi_word_learners_merge(list, n, err);
}

static void free_learned(void *learned)
{
    dvi_word_bag *bag = learned;
    dvi_word_bag_free(&bag);
}

static dv_status finish(void **learned_out, void **of, const dv_step_binding *b, dv_error *err)
{
    learner *l = *of;
    dvi_word_bag *bag;
    (void)b;
    DVI_TRY(dvi_word_bag_create(&bag, &l->words.bag, &l->words.allocator, err));
    *learned_out = bag;
    return DV_OK;
}

static void need(dv_fit_need *needed, const dv_step_binding *b, const dvi_step_amounts *amounts)
{
    dvi_gram_options options;
    const dv_type text = dv_type_of(DV_KIND_TX);
    const dvi_step_amounts unknown = {.slots = 0};
    (void)amounts;
    if (dvi_step_gram_options(&options, b->step, &dvi_gram_plain_names, NULL) < 0) {
        needed->nbytes = -1; /* the learner says why */
        return;
    }
    dvi_need_terms(needed, &unknown, &text, options.most[0]);
    dvi_need_grams(needed, &options);
}

/* --- Tables ----------------------------------------------------------------------------------- */

static const char *const *tables(const dv_step *step)
{
    static const char *const names[] = {"terms", "grams", NULL};
    (void)step;
    return names;
}

static dv_status show(dv_view **table_out, void *learned, int32_t table,
                      const dv_allocator *allocator, dv_error *err)
{
    const dvi_word_bag *bag = learned;
    return table == 0 ? dvi_terms_table(table_out, bag->terms, allocator, err)
                      : dvi_grams_table(table_out, bag->grams, allocator, err);
}

static dv_status load(void **learned_out, const dv_step *step, dv_view *const *list,
                      const dv_allocator *allocator, dv_error *err)
{
    dvi_word_bag *bag;
    dvi_gram_options options;
    DVI_TRY(dvi_step_gram_options(&options, step, &dvi_gram_plain_names, err));
    DVI_TRY(dvi_word_bag_from_tables(&bag, list, &options, allocator, err));
    *learned_out = bag;
    return DV_OK;
}

/* --- Applying --------------------------------------------------------------------------------- */

static dv_status plan(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                      void *learned, dv_error *err)
{
    return dvi_word_bag_plan(made, arena, b->schema, b->sources, b->sources_count, &words, learned,
                             err);
}

const dvi_step_class dvi_class_wordbag = {.open = {.size = sizeof(dv_step_class),
                                                   .version = 1,
                                                   .begin = begin,
                                                   .free_learner = free_learner,
                                                   .begin_chunk = begin_chunk,
                                                   .see = see,
                                                   .merge = merge,
                                                   .finish = finish,
                                                   .free_learned = free_learned,
                                                   .tables = tables,
                                                   .show = show,
                                                   .load = load},
                                          .plan = plan,
                                          .need = need};
