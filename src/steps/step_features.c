/* SPDX-License-Identifier: MIT */
/* step_features.c: text, which makes features of texts: their words and their characters. */
#include "base/alloc.h"
#include "base/check.h"
#include "steps/step_grams.h"
#include "steps/step_needs.h"
#include "steps/step_words.h"
#include "transform/terms_table.h"
#include "transform/tf_chain.h"
#include "transform/tf_char_bag.h"
#include "transform/tf_joined.h"
#include "transform/tf_lpnorm.h"
#include "transform/tf_words.h"
#include "transform/word_bag_learn.h"

static const dvi_gram_names word_names = {"wordn", "wordskips", "wordall", "wordmax", "wordweight"};
static const dvi_gram_names char_names = {"charn", "charskips", "charall", "charmax", "charweight"};

static bool has_words(const dv_step *step)
{
    return dv_step_integer(step, "word");
}

static bool has_chars(const dv_step *step)
{
    return dv_step_integer(step, "char");
}

/* --- Rules ------------------------------------------------------------------------------------ */

/* How texts become words and characters. In an arena. */
typedef struct rules {
    dvi_words words;      /* of texts */
    dvi_char_rules chars; /* of texts; of words if some are left out */
} rules;

static dv_status read_rules(rules *r, const dv_step_binding *b, dvi_arena *arena, dv_error *err)
{
    const dvi_text_norm_options options = dvi_step_text_norm(b->step);
    const dvi_option_value *stop = dvi_step_option(b->step, "stopwords");
    void *room;
    *r = (rules){.words = {.separators = &dvi_blank_separator}};
    if (!dvi_text_norm_is_nothing(&options)) {
        DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_text_norm), err));
        *(dvi_text_norm *)room = dvi_text_norm_of(&options);
        r->words.norm = room;
    }
    if (stop->is_given)
        DVI_TRY(dvi_stop_words_create(&r->words.stop, stop->texts, stop->n, arena, err));
    r->chars.words = r->words;
    if (!r->words.stop)
        r->chars.words.separators = NULL;
    r->chars.is_vector = r->words.stop || b->sources_count > 1 ||
                         dv_schema_column(b->schema, b->sources[0])->type.rank > 0;
    return DV_OK;
}

static bool has_features(const dv_step *step)
{
    return has_words(step) || has_chars(step);
}

static dv_status check(const dv_step_binding *b, dv_error *err)
{
    if (!has_features(b->step) && !dv_step_is_given(b->step, "tokens"))
        return dvi_fail_argument(err, "text makes features of neither words nor characters; leave "
                                      "out word- or char-, or name a column for words: tokens=W");
    for (int32_t i = 0; i < b->sources_count; i++)
        DVI_TRY(dvi_words_check(b->schema, b->sources[i], err));
    return DV_OK;
}

/* --- What is learned -------------------------------------------------------------------------- */

typedef struct learned {
    dv_allocator allocator;
    dvi_word_bag *words; /* NULL: they are no features */
    dvi_grams *chars;
} learned;

static void free_learned(void *of)
{
    learned *l = of;
    const dv_allocator allocator = l->allocator;
    dvi_word_bag_free(&l->words);
    dvi_grams_free(&l->chars);
    dvi_free(&allocator, l, sizeof *l);
}

static dv_status create_learned(learned **out, const dv_allocator *allocator, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(learned), err));
    *out = made;
    (*out)->allocator = dvi_allocator_of(allocator);
    return DV_OK;
}

/* --- Learning --------------------------------------------------------------------------------- */

typedef struct learner {
    dv_allocator allocator;
    dvi_arena arena;
    rules rules;
    int32_t sources;
    dvi_word_learner words; /* without grams: they are no features */
    dvi_char_keys keys;
    dvi_grams *chars; /* NULL: they are no features */
} learner;

static void free_learner(void *of)
{
    learner *l = of;
    const dv_allocator allocator = l->allocator;
    dvi_word_learner_free(&l->words);
    dvi_char_keys_free(&l->keys);
    dvi_grams_free(&l->chars);
    dvi_arena_free(&l->arena);
    dvi_free(&allocator, l, sizeof *l);
}

static dv_status begin_parts(learner *l, const dv_step_binding *b, dv_error *err)
{
    dvi_gram_options options;
    DVI_TRY(read_rules(&l->rules, b, &l->arena, err));
    if (has_words(b->step)) {
        DVI_TRY(dvi_step_gram_options(&options, b->step, &word_names, err));
        DVI_TRY(
            dvi_word_learner_init(&l->words, &options, (size_t)b->terms_nbytes, b->allocator, err));
    }
    if (!has_chars(b->step))
        return DV_OK;
    DVI_TRY(dvi_step_gram_options(&options, b->step, &char_names, err));
    return dvi_grams_create(&l->chars, &options, b->allocator, err);
}

static dv_status begin(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    void *made;
    DVI_TRY(check(b, err));
    DVI_TRY(dvi_alloc_zeroed(b->allocator, &made, sizeof(learner), err));
    learner *l = made;
    l->allocator = dvi_allocator_of(b->allocator);
    l->sources = b->sources_count;
    dvi_arena_init(&l->arena, b->allocator);
    const dv_status status = begin_parts(l, b, err);
    if (status < 0)
        free_learner(l);
    else
        *learner_out = l;
    return status;
}

static dv_status begin_chunk(void *of, int64_t chunk, dv_error *err)
{
    learner *l = of;
    return l->words.bag.terms ? dvi_terms_begin_chunk(l->words.bag.terms, chunk, err) : DV_OK;
}

static dv_status see_words(learner *l, const dv_column_view *const *sources, int64_t place,
                           dv_error *err)
{
    dvi_word_learner *w = &l->words;
    DVI_TRY(
        dvi_word_keys_start(&w->keys, &l->rules.words, sources, l->sources, &l->allocator, err));
    for (int64_t row = 0; row < sources[0]->rows; row++)
        DVI_TRY(dvi_word_learner_row(w, l->sources, place + row, err));
    return DV_OK;
}

static dv_status see_chars(learner *l, const dv_column_view *const *sources, int64_t place,
                           dv_error *err)
{
    const dvi_char_rules *r = &l->rules.chars;
    DVI_TRY(dvi_char_keys_start(&l->keys, r, sources, l->sources, &l->allocator, err));
    for (int64_t row = 0; row < sources[0]->rows; row++) {
        DVI_TRY(dvi_char_keys_next(&l->keys, r, &l->allocator, err));
        DVI_TRY(dvi_grams_learn(l->chars, dvi_char_keys_list(&l->keys), (int32_t)l->keys.n,
                                place + row, err));
    }
    return DV_OK;
}

static dv_status see(void *of, const dv_column_view *const *sources, int64_t place, dv_error *err)
{
    learner *l = of;
    if (l->words.bag.grams)
        DVI_TRY(see_words(l, sources, place, err));
    return l->chars ? see_chars(l, sources, place, err) : DV_OK;
}

static dv_status merge_chars(void **learners, int32_t n, dv_error *err)
{
    dvi_grams *parts[DVI_LEARNERS_MAX], *merged;
    learner *first = learners[0];
    for (int32_t i = 0; i < n; i++)
        parts[i] = ((learner *)learners[i])->chars;
    const dv_status status = dvi_grams_merge(&merged, parts, n, err);
    if (status != DV_OK)
        return status;
    dvi_grams_free(&first->chars);
    first->chars = merged;
    return DV_OK;
}

static dv_status merge(void **learners, int32_t n, dv_error *err)
{
    dvi_word_learner *words[DVI_LEARNERS_MAX];
    const learner *first = learners[0];
    dv_status status = DV_OK;
    for (int32_t i = 0; i < n; i++)
        words[i] = &((learner *)learners[i])->words;
    if (first->words.bag.grams)
        status = dvi_word_learners_merge(words, n, err);
    return status == DV_OK && first->chars ? merge_chars(learners, n, err) : status;
}

static dv_status finish_parts(learned *to, learner *l, dv_error *err)
{
    if (l->words.bag.grams)
        DVI_TRY(dvi_word_bag_create(&to->words, &l->words.bag, &l->allocator, err));
    if (l->chars)
        DVI_TRY(dvi_grams_finish(&l->chars, err));
    to->chars = l->chars;
    l->chars = NULL;
    return DV_OK;
}

static dv_status finish(void **learned_out, void **of, const dv_step_binding *b, dv_error *err)
{
    learned *made;
    DVI_TRY(create_learned(&made, b->allocator, err));
    const dv_status status = finish_parts(made, *of, err);
    if (status < 0)
        free_learned(made);
    else
        *learned_out = made;
    return status;
}

static void need(dv_fit_need *needed, const dv_step_binding *b, const dvi_step_amounts *amounts)
{
    dvi_gram_options options;
    const dv_type text = dv_type_of(DV_KIND_TX);
    const dvi_step_amounts unknown = {.slots = 0};
    (void)amounts;
    bool is_known = true; /* else the learner says why */
    if (has_words(b->step)) {
        is_known = dvi_step_gram_options(&options, b->step, &word_names, NULL) == DV_OK;
        if (is_known) {
            dvi_need_terms(needed, &unknown, &text, options.most[0]);
            dvi_need_grams(needed, &options);
        }
    }
    if (is_known && has_chars(b->step)) {
        is_known = dvi_step_gram_options(&options, b->step, &char_names, NULL) == DV_OK;
        if (is_known)
            dvi_need_grams(needed, &options);
    }
    if (!is_known)
        needed->nbytes = -1;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static const char *const *tables(const dv_step *step)
{
    static const char *const names[] = {"terms", "grams", "chars", NULL};
    static const char *const words[] = {"terms", "grams", NULL};
    if (!has_words(step))
        return names + (has_chars(step) ? 2 : 3);
    return has_chars(step) ? names : words;
}

static dv_status show(dv_view **table_out, void *of, int32_t table, const dv_allocator *allocator,
                      dv_error *err)
{
    const learned *l = of;
    if (!l->words || table == 2)
        return dvi_grams_table(table_out, l->chars, allocator, err);
    return table == 0 ? dvi_terms_table(table_out, l->words->terms, allocator, err)
                      : dvi_grams_table(table_out, l->words->grams, allocator, err);
}

static dv_status load_parts(learned *l, const dv_step *step, dv_view *const *list, dv_error *err)
{
    dvi_gram_options options;
    if (has_words(step)) {
        DVI_TRY(dvi_step_gram_options(&options, step, &word_names, err));
        DVI_TRY(dvi_word_bag_from_tables(&l->words, list, &options, &l->allocator, err));
    }
    if (!has_chars(step))
        return DV_OK;
    DVI_TRY(dvi_step_gram_options(&options, step, &char_names, err));
    return dvi_grams_from_table(&l->chars, list[has_words(step) ? 2 : 0], &options, UINT16_MAX,
                                &l->allocator, err);
}

static dv_status load(void **learned_out, const dv_step *step, dv_view *const *list,
                      const dv_allocator *allocator, dv_error *err)
{
    learned *made;
    DVI_TRY(create_learned(&made, allocator, err));
    const dv_status status = load_parts(made, step, list, err);
    if (status < 0)
        free_learned(made);
    else
        *learned_out = made;
    return status;
}

/* --- Applying --------------------------------------------------------------------------------- */

/* Let the vectors of a part have the norm that the step asks for. */
static dv_status plan_norm(dvi_new_column *part, dvi_arena *arena, const dv_step_binding *b,
                           dv_error *err)
{
    const int64_t norm = dv_step_integer(b->step, "norm");
    const dvi_lpnorm_options options = {.norm = (dvi_norm)norm, .scale = 1};
    const dvi_new_column inner = *part;
    if (norm > DVI_NORM_MAX) /* none */
        return DV_OK;
    return dvi_chain_plan(part, arena, b->schema, &inner, dvi_lpnorm_plan, &options, err);
}

static dv_status plan_chars(dvi_new_column *part, dvi_arena *arena, const dv_step_binding *b,
                            const rules *r, const learned *l, dv_error *err)
{
    part->name = dv_text_of("Char");
    DVI_TRY(dvi_char_bag_plan(part, arena, b->schema, b->sources, b->sources_count, &r->chars,
                              l->chars, err));
    return plan_norm(part, arena, b, err);
}

static dv_status plan_words(dvi_new_column *part, dvi_arena *arena, const dv_step_binding *b,
                            const rules *r, const learned *l, dv_error *err)
{
    part->name = dv_text_of("Word");
    DVI_TRY(dvi_word_bag_plan(part, arena, b->schema, b->sources, b->sources_count, &r->words,
                              l->words, err));
    return plan_norm(part, arena, b, err);
}

static dv_status plan(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b, void *of,
                      dv_error *err)
{
    const learned *l = of;
    dvi_new_column parts[2] = {{.hides = -1}, {.hides = -1}};
    rules r;
    int32_t n = 0;
    DVI_TRY(check(b, err));
    if (!l) /* tokens alone */
        return DV_OK;
    DVI_TRY(read_rules(&r, b, arena, err));
    if (l->chars)
        DVI_TRY(plan_chars(&parts[n++], arena, b, &r, l, err));
    if (l->words)
        DVI_TRY(plan_words(&parts[n++], arena, b, &r, l, err));
    if (n == 2)
        return dvi_joined_plan(made, arena, b->schema, parts, n, err);
    made->type = parts[0].type;
    made->mapped = parts[0].mapped;
    return DV_OK;
}

static dv_status plan_tokens(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                             dv_error *err)
{
    rules r;
    DVI_TRY(read_rules(&r, b, arena, err));
    return dvi_words_plan(made, arena, b->schema, b->sources, b->sources_count, &r.words, err);
}

static const char *const extra_options[] = {"tokens", NULL};

const dvi_step_class dvi_class_text = {.open = {.size = sizeof(dv_step_class),
                                                .version = 1,
                                                .learns = has_features,
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
                                       .extra_options = extra_options,
                                       .plan_extra = plan_tokens,
                                       .need = need};
