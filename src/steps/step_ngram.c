/* SPDX-License-Identifier: MIT */
/* step_ngram.c: ngram, which learns the grams of vectors of keys. */
#include "base/alloc.h"
#include "base/check.h"
#include "steps/step_grams.h"
#include "steps/step_needs.h"
#include "transform/gram_keys.h"
#include "transform/tf_ngram.h"

/* --- Learning --------------------------------------------------------------------------------- */

typedef struct learner {
    dv_allocator allocator;
    dvi_grams *grams;
    dvi_gram_keys keys;
} learner;

static void free_learner(void *of)
{
    learner *l = of;
    const dv_allocator allocator = l->allocator;
    dvi_grams_free(&l->grams);
    dvi_gram_keys_free(&l->keys);
    dvi_free(&allocator, l, sizeof *l);
}

static dv_status begin(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    void *made;
    dvi_gram_options options;
    DVI_TRY(dvi_gram_keys_check(b->schema, b->sources[0], err));
    DVI_TRY(dvi_step_gram_options(&options, b->step, &dvi_gram_plain_names, err));
    DVI_TRY(dvi_alloc_zeroed(b->allocator, &made, sizeof(learner), err));
    learner *l = made;
    l->allocator = dvi_allocator_of(b->allocator);
    const dv_status status = dvi_grams_create(&l->grams, &options, b->allocator, err);
    if (status < 0)
        free_learner(l);
    else
        *learner_out = l;
    return status;
}

static dv_status see(void *of, const dv_column_view *const *sources, int64_t place, dv_error *err)
{
    learner *l = of;
    dvi_gram_keys_start(&l->keys, sources[0]);
    for (int64_t row = 0; row < sources[0]->rows; row++) {
        DVI_TRY(dvi_gram_keys_next(&l->keys, &l->allocator, err));
        DVI_TRY(
            dvi_grams_learn(l->grams, dvi_gram_keys_list(&l->keys), l->keys.n, place + row, err));
    }
    return DV_OK;
}

static dv_status merge(void **learners, int32_t n, dv_error *err)
{
    dvi_grams *parts[DVI_LEARNERS_MAX], *merged;
    learner *first = learners[0];
    for (int32_t i = 0; i < n; i++)
        parts[i] = ((learner *)learners[i])->grams;
    const dv_status status = dvi_grams_merge(&merged, parts, n, err);
    if (status != DV_OK)
        return status;
    dvi_grams_free(&first->grams);
    first->grams = merged;
    return DV_OK;
}

static dv_status finish(void **learned_out, void **of, const dv_step_binding *b, dv_error *err)
{
    learner *l = *of;
    (void)b;
    DVI_TRY(dvi_grams_finish(&l->grams, err));
    *learned_out = l->grams;
    l->grams = NULL;
    return DV_OK;
}

static void free_learned(void *learned)
{
    dvi_grams *grams = learned;
    dvi_grams_free(&grams);
}

static void need(dv_fit_need *needed, const dv_step_binding *b, const dvi_step_amounts *amounts)
{
    dvi_gram_options options;
    (void)amounts;
    if (dvi_step_gram_options(&options, b->step, &dvi_gram_plain_names, NULL) == DV_OK)
        dvi_need_grams(needed, &options);
    else
        needed->nbytes = -1; /* the learner says why */
}

/* --- Tables ----------------------------------------------------------------------------------- */

static const char *const *tables(const dv_step *step)
{
    static const char *const names[] = {"grams", NULL};
    (void)step;
    return names;
}

static dv_status show(dv_view **table_out, void *learned, int32_t table,
                      const dv_allocator *allocator, dv_error *err)
{
    (void)table;
    return dvi_grams_table(table_out, learned, allocator, err);
}

static dv_status load(void **learned_out, const dv_step *step, dv_view *const *list,
                      const dv_allocator *allocator, dv_error *err)
{
    dvi_grams *grams;
    dvi_gram_options options;
    DVI_TRY(dvi_step_gram_options(&options, step, &dvi_gram_plain_names, err));
    DVI_TRY(dvi_grams_from_table(&grams, list[0], &options, UINT32_MAX, allocator, err));
    *learned_out = grams;
    return DV_OK;
}

/* --- Applying --------------------------------------------------------------------------------- */

static dv_status plan(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                      void *learned, dv_error *err)
{
    return dvi_ngram_plan(made, arena, b->schema, b->sources[0], learned, err);
}

const dvi_step_class dvi_class_ngram = {.open = {.size = sizeof(dv_step_class),
                                                 .version = 1,
                                                 .begin = begin,
                                                 .free_learner = free_learner,
                                                 .see = see,
                                                 .merge = merge,
                                                 .finish = finish,
                                                 .free_learned = free_learned,
                                                 .tables = tables,
                                                 .show = show,
                                                 .load = load},
                                        .plan = plan,
                                        .need = need};
