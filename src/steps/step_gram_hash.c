/* SPDX-License-Identifier: MIT */
/* step_gram_hash.c: ngramhash and wordhashbag, which learn the names of hashes. */
#include "base/alloc.h"
#include "base/check.h"
#include "steps/learned_view.h"
#include "steps/step_grams.h"
#include "transform/gram_keys.h"
#include "transform/tf_gram_hash.h"

static bool has_words(const dv_step *step)
{
    return step->info->number == DVI_STEP_wordhashbag;
}

static dvi_gram_hash hash_of(const dv_step *step)
{
    return (dvi_gram_hash){.shape = dvi_step_gram_shape(step, &dvi_gram_plain_names),
                           .bits = (int32_t)dv_step_integer(step, "bits"),
                           .seed = (uint32_t)dv_step_integer(step, "seed"),
                           .is_ordered = dv_step_integer(step, "ordered"),
                           .rehash = dv_step_integer(step, "rehash")};
}

static dvi_word_hash word_hash_of(const dv_step *step)
{
    return (dvi_word_hash){.bits = DVI_WORD_HASH_BITS,
                           .words = {.separators = &dvi_blank_separator},
                           .seed = (uint32_t)dv_step_integer(step, "seed"),
                           .version =
                               dv_step_integer(step, "hashversion") ? DVI_MURMUR_2 : DVI_MURMUR_1};
}

/* --- Learning --------------------------------------------------------------------------------- */

typedef struct learner {
    dvi_gram_seen seen;
    dvi_word_hash hash;
    dvi_gram_keys *keys; /* of each source */
    dvi_word_keys words;
    int32_t source; /* that is being read, and where */
    int64_t place;
} learner;

static bool learns(const dv_step *step)
{
    return dv_step_integer(step, "invert") != 0;
}

static void free_learner(void *of)
{
    learner *l = of;
    const dv_allocator allocator = l->seen.allocator;
    dvi_gram_seen_free(&l->seen);
    for (int32_t i = 0; l->keys && i < l->seen.sources; i++)
        dvi_gram_keys_free(&l->keys[i]);
    dvi_free(&allocator, l->keys, (size_t)l->seen.sources * sizeof *l->keys);
    dvi_word_keys_free(&l->words);
    dvi_free(&allocator, l, sizeof *l);
}

static dv_status begin_sources(learner *l, const dv_step_binding *b, const dvi_gram_hash *hash,
                               dv_error *err)
{
    void *keys;
    const int32_t n = b->sources_count;
    DVI_TRY(dvi_gram_seen_init(&l->seen, hash, n, has_words(b->step),
                               (int32_t)dv_step_integer(b->step, "invert"), b->allocator, err));
    DVI_TRY(dvi_alloc_zeroed(b->allocator, &keys, (size_t)n * sizeof *l->keys, err));
    l->keys = keys;
    return DV_OK;
}

static dv_status begin(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    void *made;
    const dvi_gram_hash hash = hash_of(b->step);
    const dvi_word_hash words = word_hash_of(b->step);
    const dvi_gram_hash_options options = {.hash = hash,
                                           .words = has_words(b->step) ? &words : NULL};
    DVI_TRY(dvi_gram_hash_check(&options, b->schema, b->sources, b->sources_count, err));
    DVI_TRY(dvi_alloc_zeroed(b->allocator, &made, sizeof(learner), err));
    learner *l = made;
    l->hash = words;
    const dv_status status = begin_sources(l, b, &hash, err);
    if (status < 0)
        free_learner(l);
    else
        *learner_out = l;
    return status;
}

/* Hash words, and see which they were. */
static dv_status see_words(void *of, const dv_text *words, int n, const char *end,
                           uint32_t *keys_out, dv_error *err)
{
    learner *l = of;
    DVI_TRY(dvi_word_hash_number(&l->hash, words, n, end, keys_out, err));
    for (int i = 0; i < n; i++)
        DVI_TRY(dvi_seen_add(
            &l->seen.words[l->source],
            &(dvi_seen_value){.key = keys_out[i], .row = l->place, .bytes = words[i]}, err));
    return DV_OK;
}

static dv_status start(learner *l, const dv_column_view *const *sources, dv_error *err)
{
    if (l->seen.words)
        return dvi_word_keys_start(&l->words, &l->hash.words, sources, l->seen.sources,
                                   &l->seen.allocator, err);
    for (int32_t i = 0; i < l->seen.sources; i++)
        dvi_gram_keys_start(&l->keys[i], sources[i]);
    return DV_OK;
}

static dv_status see_source(learner *l, dv_error *err)
{
    const dv_allocator *allocator = &l->seen.allocator;
    dvi_gram_keys *keys = &l->keys[l->source];
    if (!l->seen.words) {
        DVI_TRY(dvi_gram_keys_next(keys, allocator, err));
        return dvi_gram_seen_row(&l->seen, l->source, dvi_gram_keys_list(keys), keys->n, l->place,
                                 err);
    }
    DVI_TRY(dvi_word_keys_next(&l->words, l->source, 1, see_words, l, allocator, err));
    return dvi_gram_seen_row(&l->seen, l->source, dvi_word_keys_list(&l->words),
                             (int32_t)l->words.n, l->place, err);
}

static dv_status see(void *of, const dv_column_view *const *sources, int64_t place, dv_error *err)
{
    learner *l = of;
    DVI_TRY(start(l, sources, err));
    for (int64_t row = 0; row < sources[0]->rows; row++) {
        l->place = place + row;
        for (l->source = 0; l->source < l->seen.sources; l->source++)
            DVI_TRY(see_source(l, err));
    }
    return DV_OK;
}

static dv_status merge(void **learners, int32_t n, dv_error *err)
{
    learner *first = learners[0];
    for (int32_t i = 1; i < n; i++)
        DVI_TRY(dvi_gram_seen_merge(&first->seen, &((learner *)learners[i])->seen, err));
    return DV_OK;
}

static dv_status finish(void **learned_out, void **of, const dv_step_binding *b, dv_error *err)
{
    const learner *l = *of;
    dv_view *names;
    DVI_TRY(dvi_gram_seen_table(&names, &l->seen, b->schema, b->sources, err));
    *learned_out = names;
    return DV_OK;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static const char *const *tables(const dv_step *step)
{
    static const char *const names[] = {"names", NULL};
    return learns(step) ? names : NULL;
}

static dv_status load(void **learned_out, const dv_step *step, dv_view *const *list,
                      const dv_allocator *allocator, dv_error *err)
{
    (void)allocator;
    DVI_TRY(dvi_hash_names_check(list[0], (int32_t)dv_step_integer(step, "bits"), err));
    dv_view_retain(list[0]);
    *learned_out = list[0];
    return DV_OK;
}

/* --- Applying --------------------------------------------------------------------------------- */

static dv_status plan(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                      void *learned, dv_error *err)
{
    void *room;
    dvi_gram_hash_options options = {.hash = hash_of(b->step), .names = learned};
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_word_hash), err));
    dvi_word_hash *words = room;
    *words = word_hash_of(b->step);
    options.words = has_words(b->step) ? words : NULL;
    return dvi_gram_hash_plan(made, arena, b->schema, b->sources, b->sources_count, &options, err);
}

#define NAMES                                                                                      \
    {                                                                                              \
        .size = sizeof(dv_step_class), .version = 1, .learns = learns, .begin = begin,             \
        .free_learner = free_learner, .see = see, .merge = merge, .finish = finish,                \
        .free_learned = dvi_learned_view_free, .tables = tables, .show = dvi_learned_view_show,    \
        .load = load                                                                               \
    }

const dvi_step_class dvi_class_ngramhash = {.open = NAMES, .plan = plan};
const dvi_step_class dvi_class_wordhashbag = {.open = NAMES, .plan = plan};
