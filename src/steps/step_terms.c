/* SPDX-License-Identifier: MIT */
/* step_terms.c: term and onehot, which learn the distinct values of a column. */
#include "base/alloc.h"
#include "base/check.h"
#include "steps/kept_keys.h"
#include "steps/step_keys.h"
#include "steps/step_needs.h"
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

/* What is being learned, and what has been. */
typedef struct numbers {
    dv_allocator allocator;
    dvi_terms *terms;
    dvi_kept_keys kept;
} numbers;

static void free_numbers(void *of)
{
    numbers *l = of;
    const dv_allocator allocator = l->allocator;
    dvi_terms_free(&l->terms);
    dvi_kept_keys_stop(&l->kept);
    dvi_free(&allocator, l, sizeof *l);
}

static dv_status make_numbers(void **numbers_out, const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(dvi_alloc_zeroed(allocator, numbers_out, sizeof(numbers), err));
    ((numbers *)*numbers_out)->allocator = dvi_allocator_of(allocator);
    return DV_OK;
}

static dv_status begin(void **learner_out, const dv_step_binding *binding, dv_error *err)
{
    void *made;
    DVI_TRY(make_numbers(&made, binding->allocator, err));
    numbers *l = made;
    const dv_status status = create(&l->terms, binding, err);
    if (status < 0)
        free_numbers(l);
    else
        *learner_out = l;
    return status;
}

static void keep(void *learner, dvi_memory *keys, const int64_t *first_row)
{
    numbers *l = learner;
    dvi_kept_keys_start(&l->kept, keys, first_row, &l->allocator);
}

static dv_status begin_chunk(void *learner, int64_t chunk, dv_error *err)
{
    return dvi_terms_begin_chunk(((numbers *)learner)->terms, chunk, err);
}

static dv_status see(void *learner, const dv_column_view *const *sources, int64_t place,
                     dv_error *err)
{
    numbers *l = learner;
    const int64_t rows = sources[0]->rows;
    uint32_t *const keys = dvi_kept_keys_next(&l->kept, rows);
    (void)place;
    return keys ? dvi_terms_number(l->terms, sources[0], 0, rows, keys, err)
                : dvi_terms_learn(l->terms, sources[0], err);
}

static bool is_full(const void *learner)
{
    return dvi_terms_are_full(((const numbers *)learner)->terms);
}

/* The keys of merged terms, or of sorted ones, that the terms of each learner have. */
static dv_status make_maps(uint32_t **maps, numbers *const *learners, int32_t n, dv_error *err)
{
    for (int32_t i = 0; i < n; i++) {
        void *made;
        const size_t count = (size_t)dvi_terms_count(learners[i]->terms);
        DVI_TRY(dvi_alloc(&learners[i]->allocator, &made, (count + 1) * sizeof **maps, err));
        maps[i] = made;
    }
    return DV_OK;
}

static void free_maps(uint32_t **maps, numbers *const *learners, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        dvi_free(&learners[i]->allocator, maps[i],
                 ((size_t)dvi_terms_count(learners[i]->terms) + 1) * sizeof **maps);
}

/* A full dictionary has left values out, which another one may have. */
static void stop_if_full(numbers *const *learners, int32_t n)
{
    bool stops = false;
    for (int32_t i = 0; i < n; i++)
        stops = stops || dvi_terms_are_full(learners[i]->terms) || !learners[i]->kept.keys;
    for (int32_t i = 0; stops && i < n; i++)
        dvi_kept_keys_stop(&learners[i]->kept);
}

static dv_status merge(void **of, int32_t n, dv_error *err)
{
    numbers *const first = of[0], *learners[DVI_LEARNERS_MAX];
    dvi_terms *parts[DVI_LEARNERS_MAX] = {NULL}, *merged = NULL;
    uint32_t *maps[DVI_LEARNERS_MAX] = {NULL};
    for (int32_t i = 0; i < n; i++) {
        learners[i] = of[i];
        parts[i] = learners[i]->terms;
    }
    stop_if_full(learners, n);
    const bool is_kept = first->kept.keys != NULL;
    dv_status status = is_kept ? make_maps(maps, learners, n, err) : DV_OK;
    if (status == DV_OK)
        status = dvi_terms_merge(&merged, parts, n, is_kept ? maps : NULL, err);
    for (int32_t i = 0; status == DV_OK && i < n; i++)
        dvi_kept_keys_map(&learners[i]->kept, maps[i]);
    for (int32_t i = 1; status == DV_OK && i < n; i++)
        dvi_kept_keys_join(&first->kept, &learners[i]->kept);
    free_maps(maps, learners, n);
    DVI_TRY(status);
    dvi_terms_free(&first->terms);
    first->terms = merged;
    return DV_OK;
}

/* In the order that the step asks for. */
static dv_status sort(numbers *l, const dv_step *step, dv_error *err)
{
    dvi_terms *sorted = NULL;
    uint32_t *map = NULL;
    if (!dv_step_integer(step, "sort"))
        return DV_OK;
    if (l->kept.keys)
        DVI_TRY(make_maps(&map, &l, 1, err));
    const dv_status status = dvi_terms_sort(&sorted, l->terms, map, err);
    if (status == DV_OK)
        dvi_kept_keys_map(&l->kept, map);
    free_maps(&map, &l, 1);
    DVI_TRY(status);
    dvi_terms_free(&l->terms);
    l->terms = sorted;
    return DV_OK;
}

static dv_status finish(void **learned_out, void **learner, const dv_step_binding *binding,
                        dv_error *err)
{
    numbers *l = *learner;
    *learner = *learned_out = NULL;
    stop_if_full(&l, 1);
    if (!dvi_kept_keys_are_all(&l->kept))
        dvi_kept_keys_stop(&l->kept);
    const dv_status status = sort(l, binding->step, err);
    if (status == DV_OK)
        *learned_out = l;
    else
        free_numbers(l);
    return status;
}

static dv_status give(void **learned_out, const dv_step_binding *binding, dv_error *err)
{
    void *made;
    const dvi_option_value *given = dvi_step_option(binding->step, "terms");
    *learned_out = NULL;
    DVI_TRY(begin(&made, binding, err));
    numbers *l = made;
    dv_status status = dvi_terms_add_texts(l->terms, given->texts, given->n, err);
    if (status == DV_OK)
        status = sort(l, binding->step, err);
    if (status == DV_OK)
        *learned_out = l;
    else
        free_numbers(l);
    return status;
}

static void need(dv_fit_need *needed, const dv_step_binding *b, const dvi_step_amounts *amounts)
{
    const dv_type item = dv_type_item(&dv_schema_column(b->schema, b->sources[0])->type);
    dvi_need_terms(needed, amounts, &item, dv_step_integer(b->step, "max"));
    if (dv_step_integer(b->step, "sort")) /* into another dictionary */
        dvi_need_terms(needed, amounts, &item, dv_step_integer(b->step, "max"));
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
    return dvi_terms_table(table_out, ((numbers *)learned)->terms, allocator, err);
}

static dv_status load(void **learned_out, const dv_step *step, dv_view *const *list,
                      const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *learned_out = NULL;
    DVI_TRY(make_numbers(&made, allocator, err));
    numbers *l = made;
    const dv_status status =
        dvi_terms_from_table(&l->terms, list[0], dv_step_integer(step, "max"), allocator, err);
    if (status == DV_OK)
        *learned_out = l;
    else
        free_numbers(l);
    return status;
}

/* The state of a learner is its terms in their order: new terms of later rows follow them, up to
 * the same limit. */
static dv_status show_seen(dv_view **table_out, void *learner, const dv_allocator *allocator,
                           dv_error *err)
{
    return dvi_terms_table(table_out, ((numbers *)learner)->terms, allocator, err);
}

static dv_status add_seen(void *learner, dv_view *table, dv_error *err)
{
    return dvi_terms_add_table(((numbers *)learner)->terms, table, err);
}

static const dvi_step_parts parts = {.show = show_seen, .add = add_seen};

/* --- Applying --------------------------------------------------------------------------------- */

static dvi_term_options term_options(const dv_step_binding *b, const numbers *learned,
                                     bool are_names_text)
{
    return (dvi_term_options){.terms = learned->terms,
                              .are_names_text = are_names_text,
                              .kept = dvi_step_reads_again(b) ? learned->kept.keys : NULL};
}

static dv_status plan_term(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                           void *learned, dv_error *err)
{
    const dvi_term_options options = term_options(b, learned, dv_step_integer(b->step, "textkv"));
    return dvi_term_plan(made, arena, b->schema, b->sources[0], &options, err);
}

static dv_status plan_onehot(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                             void *learned, dv_error *err)
{
    const dvi_term_options options = term_options(b, learned, true);
    DVI_TRY(dvi_term_plan(made, arena, b->schema, b->sources[0], &options, err));
    return dvi_step_plan_kind(made, arena, b, err);
}

const dvi_step_class dvi_class_term = {.open = {.size = sizeof(dv_step_class),
                                                .version = 1,
                                                .learns = learns,
                                                .begin = begin,
                                                .free_learner = free_numbers,
                                                .begin_chunk = begin_chunk,
                                                .see = see,
                                                .is_full = is_full,
                                                .merge = merge,
                                                .finish = finish,
                                                .give = give,
                                                .free_learned = free_numbers,
                                                .tables = tables,
                                                .show = show,
                                                .load = load},
                                       .parts = &parts,
                                       .keep = keep,
                                       .plan = plan_term,
                                       .need = need};

const dvi_step_class dvi_class_onehot = {.open = {.size = sizeof(dv_step_class),
                                                  .version = 1,
                                                  .begin = begin,
                                                  .free_learner = free_numbers,
                                                  .begin_chunk = begin_chunk,
                                                  .see = see,
                                                  .is_full = is_full,
                                                  .merge = merge,
                                                  .finish = finish,
                                                  .free_learned = free_numbers,
                                                  .tables = tables,
                                                  .show = show,
                                                  .load = load},
                                         .parts = &parts,
                                         .keep = keep,
                                         .plan = plan_onehot,
                                         .need = need};
