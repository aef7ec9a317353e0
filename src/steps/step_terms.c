/* SPDX-License-Identifier: MIT */
/* step_terms.c: term and onehot, which learn the distinct values of a column. */
#include "base/check.h"
#include "steps/step_keys.h"
#include "transform/terms_table.h"
#include "transform/tf_term.h"

/* --- Learning --------------------------------------------------------------------------------- */

static bool has_given_terms(const dv_step *step)
{
    return step->info->number == DVI_STEP_term && dvi_step_option(step, "terms")->is_given;
}

static bool learns(const dv_step *step)
{
    return !has_given_terms(step);
}

static dv_status create(dvi_terms **terms_out, const dv_step_binding *b, dv_error *err)
{
    const dv_type item = dv_type_item(&dv_schema_column(b->schema, b->sources[0])->type);
    if (item.kind == DV_KIND_BY || item.kind == DV_KIND_EXTENSION)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.2", -1, "values with terms",
                        "any type but BY and extensions|%s", dv_kind_name(item.kind));
    return dvi_terms_create(terms_out, &item, dv_step_integer(b->step, "max"),
                            (size_t)b->terms_nbytes, b->allocator, err);
}

static dv_status begin(void **learner_out, const dv_step_binding *binding, dv_error *err)
{
    dvi_terms *terms;
    DVI_TRY(create(&terms, binding, err));
    *learner_out = terms;
    return DV_OK;
}

static void free_terms(void *learner)
{
    dvi_terms *terms = learner;
    dvi_terms_free(&terms);
}

static dv_status begin_chunk(void *learner, int64_t chunk, dv_error *err)
{
    return dvi_terms_begin_chunk(learner, chunk, err);
}

static dv_status see(void *learner, const dv_column_view *const *sources, int64_t place,
                     dv_error *err)
{
    (void)place;
    return dvi_terms_learn(learner, sources[0], err);
}

static bool is_full(const void *learner)
{
    return dvi_terms_are_full(learner);
}

static dv_status merge(void **learners, int32_t n, dv_error *err)
{
    dvi_terms *parts[DVI_LEARNERS_MAX], *merged;
    for (int32_t i = 0; i < n; i++)
        parts[i] = learners[i];
    DVI_TRY(dvi_terms_merge(&merged, parts, n, err));
    free_terms(learners[0]);
    learners[0] = merged;
    return DV_OK;
}

/* In the order that the step asks for. */
static dv_status sort(dvi_terms **terms, const dv_step *step, dv_error *err)
{
    dvi_terms *sorted;
    if (!dv_step_integer(step, "sort"))
        return DV_OK;
    DVI_TRY(dvi_terms_sort(&sorted, *terms, err));
    dvi_terms_free(terms);
    *terms = sorted;
    return DV_OK;
}

static dv_status finish(void **learned_out, void **learner, const dv_step_binding *binding,
                        dv_error *err)
{
    dvi_terms *terms = *learner;
    *learner = NULL;
    *learned_out = NULL;
    const dv_status status = sort(&terms, binding->step, err);
    if (status < 0)
        dvi_terms_free(&terms);
    *learned_out = terms;
    return status;
}

static dv_status give(void **learned_out, const dv_step_binding *binding, dv_error *err)
{
    dvi_terms *terms;
    const dvi_option_value *given = dvi_step_option(binding->step, "terms");
    DVI_TRY(create(&terms, binding, err));
    dv_status status = dvi_terms_add_texts(terms, given->texts, given->n, err);
    if (status == DV_OK)
        status = sort(&terms, binding->step, err);
    if (status < 0)
        dvi_terms_free(&terms);
    *learned_out = terms;
    return status;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static const char *const *tables(const dv_step *step)
{
    static const char *const names[] = {"terms", NULL};
    (void)step;
    return names;
}

static dv_status show(dv_view **table_out, void *learned, int32_t table,
                      const dv_allocator *allocator, dv_error *err)
{
    (void)table;
    return dvi_terms_table(table_out, learned, allocator, err);
}

static dv_status load(void **learned_out, const dv_step *step, dv_view *const *list,
                      const dv_allocator *allocator, dv_error *err)
{
    dvi_terms *terms;
    DVI_TRY(dvi_terms_from_table(&terms, list[0], dv_step_integer(step, "max"), allocator, err));
    *learned_out = terms;
    return DV_OK;
}

/* --- Applying --------------------------------------------------------------------------------- */

static dv_status plan_term(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                           void *learned, dv_error *err)
{
    const dvi_term_options options = {learned, dv_step_integer(b->step, "textkv")};
    return dvi_term_plan(made, arena, b->schema, b->sources[0], &options, err);
}

static dv_status plan_onehot(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                             void *learned, dv_error *err)
{
    const dvi_term_options options = {learned, true};
    DVI_TRY(dvi_term_plan(made, arena, b->schema, b->sources[0], &options, err));
    return dvi_step_plan_kind(made, arena, b, err);
}

const dvi_step_class dvi_class_term = {.open = {.size = sizeof(dv_step_class),
                                                .version = 1,
                                                .learns = learns,
                                                .begin = begin,
                                                .free_learner = free_terms,
                                                .begin_chunk = begin_chunk,
                                                .see = see,
                                                .is_full = is_full,
                                                .merge = merge,
                                                .finish = finish,
                                                .give = give,
                                                .free_learned = free_terms,
                                                .tables = tables,
                                                .show = show,
                                                .load = load},
                                       .plan = plan_term};

const dvi_step_class dvi_class_onehot = {.open = {.size = sizeof(dv_step_class),
                                                  .version = 1,
                                                  .begin = begin,
                                                  .free_learner = free_terms,
                                                  .begin_chunk = begin_chunk,
                                                  .see = see,
                                                  .is_full = is_full,
                                                  .merge = merge,
                                                  .finish = finish,
                                                  .free_learned = free_terms,
                                                  .tables = tables,
                                                  .show = show,
                                                  .load = load},
                                         .plan = plan_onehot};
