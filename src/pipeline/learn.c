/* SPDX-License-Identifier: MIT */
/* learn.c: terms, names of hashes, and columns made with them. */
#include "pipeline/learn.h"
#include "base/check.h"
#include "transform/tf_chain.h"
#include "transform/tf_hash_names.h"
#include "transform/tf_key_binary.h"
#include "transform/tf_key_value.h"
#include "transform/tf_key_vector.h"
#include "transform/tf_term.h"
#include <dataview/cursor.h>

#define TERMS_NBYTES ((size_t)1 << 30) /* of text */

/* The kinds of onehot and onehothash, in the order of their words. */
enum { KIND_INDICATOR, KIND_BAG, KIND_KEY, KIND_BINARY };

static int64_t number_of(const dvi_step *step, const char *option)
{
    return dvi_step_option(step, option)->integer;
}

/* --- Learning --------------------------------------------------------------------------------- */

/* What sees the batches of a column. */
typedef dv_status see_batch(void *learner, const dv_batch *batch, bool *is_full_out, dv_error *err);

static dv_status read_column(dv_view *view, int32_t column, see_batch *see, void *learner,
                             dv_error *err)
{
    dv_cursor *cursor;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    bool is_full = false;
    options.columns = &column;
    options.columns_count = 1;
    DVI_TRY(dv_cursor_open(&cursor, view, &options, err));
    dv_status status = DV_OK;
    while (status == DV_OK && !is_full) {
        const dv_batch *batch;
        status = dv_cursor_next(cursor, &batch, err);
        if (status == DV_OK)
            status = see(learner, batch, &is_full, err);
    }
    dv_cursor_close(&cursor);
    return status == DV_END ? DV_OK : status;
}

static dv_status see_terms(void *learner, const dv_batch *batch, bool *is_full_out, dv_error *err)
{
    const dv_status status = dvi_terms_learn(learner, dv_batch_column(batch, 0), err);
    *is_full_out = dvi_terms_are_full(learner);
    return status;
}

static dv_status sort_terms(dvi_terms **terms, dv_error *err)
{
    dvi_terms *sorted;
    DVI_TRY(dvi_terms_sort(&sorted, *terms, err));
    dvi_terms_free(terms);
    *terms = sorted;
    return DV_OK;
}

static dv_status learn_terms(dvi_learnt *learnt, const dvi_step *step, dv_view *view,
                             int32_t column, const dv_allocator *allocator, dv_error *err)
{
    const dv_type item = dv_type_item(&dv_schema_column(dv_view_schema(view), column)->type);
    if (item.kind == DV_KIND_BY || item.kind == DV_KIND_EXTENSION)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.2", -1, "values with terms",
                        "any type but BY and extensions|%s", dv_kind_name(item.kind));
    DVI_TRY(dvi_terms_create(&learnt->terms, &item, number_of(step, "max"), TERMS_NBYTES, allocator,
                             err));
    if (step->info->step == DVI_STEP_term && dvi_step_option(step, "terms")->is_given) {
        const dvi_option_value *given = dvi_step_option(step, "terms");
        DVI_TRY(dvi_terms_add_texts(learnt->terms, given->texts, given->n, err));
    } else {
        DVI_TRY(read_column(view, column, see_terms, learnt->terms, err));
    }
    return number_of(step, "sort") ? sort_terms(&learnt->terms, err) : DV_OK;
}

static dvi_hash_options hash_options(const dvi_step *step, dv_view *names)
{
    return (dvi_hash_options){
        .bits = (int32_t)number_of(step, "bits"),
        .seed = (uint32_t)number_of(step, "seed"),
        .is_ordered = number_of(step, "ordered"),
        .is_combined = step->info->step == DVI_STEP_hash && number_of(step, "combine"),
        .version = number_of(step, "hashversion") ? DVI_MURMUR_2 : DVI_MURMUR_1,
        .names = names};
}

static dv_status see_names(void *learner, const dv_batch *batch, bool *is_full_out, dv_error *err)
{
    *is_full_out = false;
    return dvi_hash_names_see(learner, dv_batch_column(batch, 0), batch->position, err);
}

static dv_status learn_names(dvi_learnt *learnt, const dvi_step *step, dv_view *view,
                             int32_t column, const dv_allocator *allocator, dv_error *err)
{
    dvi_hash_names *names;
    const dv_schema *schema = dv_view_schema(view);
    const dvi_hash_options options = hash_options(step, NULL);
    if (number_of(step, "invert") == 0)
        return DV_OK;
    DVI_TRY(dvi_hash_names_create(&names, &dv_schema_column(schema, column)->type, schema, column,
                                  &options, (int32_t)number_of(step, "invert"), allocator, err));
    dv_status status = read_column(view, column, see_names, names, err);
    if (status == DV_OK)
        status = dvi_hash_names_table(names, &learnt->names, err);
    dvi_hash_names_free(&names);
    return status;
}

void dvi_learnt_free(dvi_learnt *learnt)
{
    dvi_terms_free(&learnt->terms);
    dv_view_release(&learnt->names);
}

/* --- Columns ---------------------------------------------------------------------------------- */

/* Make vectors of the keys that have been planned, as the option `kind` says. */
static dv_status plan_kind(dvi_new_column *made, dvi_arena *arena, const dvi_step *step,
                           const dv_schema *source, dv_error *err)
{
    const int64_t kind = number_of(step, "kind");
    const dvi_key_vector_options options = {.bag = kind == KIND_BAG};
    const dvi_new_column keys = *made;
    if (kind == KIND_KEY)
        return DV_OK;
    return dvi_chain_plan(made, arena, source, &keys,
                          kind == KIND_BINARY ? dvi_key_binary_plan : dvi_key_vector_plan, &options,
                          err);
}

static dv_status plan_term(dvi_new_column *made, dvi_arena *arena, const dvi_step *step,
                           const dvi_learnt *learnt, const dv_schema *source, int32_t column,
                           dv_error *err)
{
    const dvi_term_options options = {learnt->terms, number_of(step, "textkv")};
    return dvi_term_plan(made, arena, source, column, &options, err);
}

static dv_status plan_onehot(dvi_new_column *made, dvi_arena *arena, const dvi_step *step,
                             const dvi_learnt *learnt, const dv_schema *source, int32_t column,
                             dv_error *err)
{
    const dvi_term_options options = {learnt->terms, true};
    DVI_TRY(dvi_term_plan(made, arena, source, column, &options, err));
    return plan_kind(made, arena, step, source, err);
}

static dv_status plan_hash(dvi_new_column *made, dvi_arena *arena, const dvi_step *step,
                           const dvi_learnt *learnt, const dv_schema *source, int32_t column,
                           dv_error *err)
{
    const dvi_hash_options options = hash_options(step, learnt->names);
    return dvi_hash_plan(made, arena, source, column, &options, err);
}

static dv_status plan_onehothash(dvi_new_column *made, dvi_arena *arena, const dvi_step *step,
                                 const dvi_learnt *learnt, const dv_schema *source, int32_t column,
                                 dv_error *err)
{
    DVI_TRY(plan_hash(made, arena, step, learnt, source, column, err));
    return plan_kind(made, arena, step, source, err);
}

static dv_status plan_vector(dvi_new_column *made, dvi_arena *arena, const dvi_step *step,
                             const dvi_learnt *learnt, const dv_schema *source, int32_t column,
                             dv_error *err)
{
    const dvi_key_vector_options options = {.bag = number_of(step, "bag")};
    (void)learnt;
    return dvi_key_vector_plan(made, arena, source, column, &options, err);
}

static dv_status plan_binary(dvi_new_column *made, dvi_arena *arena, const dvi_step *step,
                             const dvi_learnt *learnt, const dv_schema *source, int32_t column,
                             dv_error *err)
{
    (void)step;
    (void)learnt;
    return dvi_key_binary_plan(made, arena, source, column, NULL, err);
}

static dv_status plan_value(dvi_new_column *made, dvi_arena *arena, const dvi_step *step,
                            const dvi_learnt *learnt, const dv_schema *source, int32_t column,
                            dv_error *err)
{
    (void)step;
    (void)learnt;
    return dvi_key_value_plan(made, arena, source, column, NULL, err);
}

/* --- All of them ------------------------------------------------------------------------------ */

/* learn NULL: there is nothing to learn; plan NULL: the step is a view of a view. */
static const struct {
    dv_status (*learn)(dvi_learnt *learnt, const dvi_step *step, dv_view *view, int32_t column,
                       const dv_allocator *allocator, dv_error *err);
    dv_status (*plan)(dvi_new_column *made, dvi_arena *arena, const dvi_step *step,
                      const dvi_learnt *learnt, const dv_schema *source, int32_t column,
                      dv_error *err);
} steps[DVI_STEPS] = {
    [DVI_STEP_term] = {learn_terms, plan_term},
    [DVI_STEP_onehot] = {learn_terms, plan_onehot},
    [DVI_STEP_hash] = {learn_names, plan_hash},
    [DVI_STEP_onehothash] = {learn_names, plan_onehothash},
    [DVI_STEP_vector] = {NULL, plan_vector},
    [DVI_STEP_binary] = {NULL, plan_binary},
    [DVI_STEP_value] = {NULL, plan_value},
};

bool dvi_makes_columns(const dvi_step *step)
{
    return steps[step->info->step].plan != NULL;
}

dv_status dvi_learn(dvi_learnt *learnt_out, const dvi_step *step, dv_view *view, int32_t column,
                    const dv_allocator *allocator, dv_error *err)
{
    dv_status status = DV_OK;
    *learnt_out = (dvi_learnt){0};
    if (steps[step->info->step].learn)
        status = steps[step->info->step].learn(learnt_out, step, view, column, allocator, err);
    if (status < 0)
        dvi_learnt_free(learnt_out);
    return status;
}

dv_status dvi_learnt_plan(dvi_new_column *column_out, dvi_arena *arena, const dvi_step *step,
                          const dvi_learnt *learnt, const dv_schema *source, int32_t column,
                          dv_error *err)
{
    return steps[step->info->step].plan(column_out, arena, step, learnt, source, column, err);
}
