/* SPDX-License-Identifier: MIT */
/* step_text.c: tokenize, chars, textnorm, stopwords and expand: texts to words and characters. */
#include "base/check.h"
#include "steps/step_words.h"
#include "transform/tf_chars.h"
#include "transform/tf_expand.h"
#include "transform/tf_words.h"

/* --- Options that several steps share --------------------------------------------------------- */

dv_status dvi_step_read_separators(const dvi_separators **separators_out, const dv_step *step,
                                   dvi_arena *arena, dv_error *err)
{
    void *room;
    const dvi_option_value *given = dvi_step_option(step, "sep");
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_separators), err));
    *separators_out = room;
    return dvi_separators_read(room, given->n > 0 ? given->texts[0] : dv_text_of(" "), arena, err);
}

dvi_text_norm_options dvi_step_text_norm(const dv_step *step)
{
    return (dvi_text_norm_options){.to_case = (dvi_case)dv_step_integer(step, "case"),
                                   .diacritics = dv_step_integer(step, "diacritics"),
                                   .punctuation = dv_step_integer(step, "punctuation"),
                                   .numbers = dv_step_integer(step, "numbers")};
}

/* --- Planning --------------------------------------------------------------------------------- */

static dv_status plan_tokenize(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                               void *learned, dv_error *err)
{
    dvi_words words = {.norm = NULL};
    (void)learned;
    DVI_TRY(dvi_step_read_separators(&words.separators, b->step, arena, err));
    return dvi_words_plan(made, arena, b->schema, b->sources, 1, &words, err);
}

static dv_status plan_chars(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                            void *learned, dv_error *err)
{
    (void)learned;
    return dvi_chars_plan(made, arena, b->schema, b->sources[0],
                          dv_step_integer(b->step, "markers"), err);
}

static dv_status plan_textnorm(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                               void *learned, dv_error *err)
{
    const dvi_text_norm_options options = dvi_step_text_norm(b->step);
    (void)learned;
    return dvi_text_norm_plan(made, arena, b->schema, b->sources[0], &options, err);
}

static dv_status plan_stopwords(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                                void *learned, dv_error *err)
{
    dvi_words words = {.norm = NULL};
    const dvi_option_value *given = dvi_step_option(b->step, "words");
    const dv_type *type = &dv_schema_column(b->schema, b->sources[0])->type;
    (void)learned;
    if (type->rank == 0)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.17", -1, "what loses stop words",
                        "vectors of TX, as tokenize makes them|%s", dv_kind_name(type->kind));
    if (!given->is_given)
        return dvi_fail_argument(err, "stopwords has no list; give it words=[a b c]");
    DVI_TRY(dvi_stop_words_create(&words.stop, given->texts, given->n, arena, err));
    return dvi_words_plan(made, arena, b->schema, b->sources, 1, &words, err);
}

static dv_status plan_expand(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                             void *learned, dv_error *err)
{
    const dvi_separators *separators;
    (void)learned;
    DVI_TRY(dvi_step_read_separators(&separators, b->step, arena, err));
    return dvi_expand_plan(made, arena, b->schema, b->sources[0], separators,
                           dv_step_text(b->step, "freq", 0), err);
}

#define LEARNS_NOTHING                                                                             \
    {                                                                                              \
        .size = sizeof(dv_step_class), .version = 1                                                \
    }

const dvi_step_class dvi_class_tokenize = {.open = LEARNS_NOTHING, .plan = plan_tokenize};
const dvi_step_class dvi_class_chars = {.open = LEARNS_NOTHING, .plan = plan_chars};
const dvi_step_class dvi_class_textnorm = {.open = LEARNS_NOTHING, .plan = plan_textnorm};
const dvi_step_class dvi_class_stopwords = {.open = LEARNS_NOTHING, .plan = plan_stopwords};
const dvi_step_class dvi_class_expand = {.open = LEARNS_NOTHING, .plan = plan_expand};
