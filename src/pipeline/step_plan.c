/* SPDX-License-Identifier: MIT */
/* step_plan.c: columns made with terms, hashes and keys. */
#include "pipeline/step_plan.h"
#include "base/check.h"
#include "transform/tf_chain.h"
#include "transform/tf_key_binary.h"
#include "transform/tf_key_value.h"
#include "transform/tf_key_vector.h"
#include "transform/tf_term.h"

/* The kinds of onehot and onehothash, in the order of their words. */
enum { KIND_INDICATOR, KIND_BAG, KIND_KEY, KIND_BINARY };

dvi_hash_options dvi_step_hash(const dvi_step *step, dv_view *names)
{
    return (dvi_hash_options){
        .bits = (int32_t)dvi_step_integer(step, "bits"),
        .seed = (uint32_t)dvi_step_integer(step, "seed"),
        .is_ordered = dvi_step_integer(step, "ordered"),
        .is_combined = step->info->number == DVI_STEP_hash && dvi_step_integer(step, "combine"),
        .version = dvi_step_integer(step, "hashversion") ? DVI_MURMUR_2 : DVI_MURMUR_1,
        .names = names};
}

/* Make vectors of the keys that have been planned, as the option `kind` says. */
static dv_status plan_kind(dvi_new_column *made, dvi_arena *arena, const dvi_step *step,
                           const dv_schema *source, dv_error *err)
{
    const int64_t kind = dvi_step_integer(step, "kind");
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
    const dvi_term_options options = {learnt->terms, dvi_step_integer(step, "textkv")};
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
    const dvi_hash_options options = dvi_step_hash(step, learnt->names);
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
    const dvi_key_vector_options options = {.bag = dvi_step_integer(step, "bag")};
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

/* NULL: the step is a view of a view. */
static dv_status (*const plans[DVI_STEPS])(dvi_new_column *made, dvi_arena *arena,
                                           const dvi_step *step, const dvi_learnt *learnt,
                                           const dv_schema *source, int32_t column,
                                           dv_error *err) = {
    [DVI_STEP_term] = plan_term,     [DVI_STEP_onehot] = plan_onehot,
    [DVI_STEP_hash] = plan_hash,     [DVI_STEP_onehothash] = plan_onehothash,
    [DVI_STEP_vector] = plan_vector, [DVI_STEP_binary] = plan_binary,
    [DVI_STEP_value] = plan_value,
};

bool dvi_step_makes_columns(const dvi_step *step)
{
    return plans[step->info->number] != NULL;
}

dv_status dvi_step_plan(dvi_new_column *column_out, dvi_arena *arena, const dvi_step *step,
                        const dvi_learnt *learnt, const dv_schema *source, int32_t column,
                        dv_error *err)
{
    return plans[step->info->number](column_out, arena, step, learnt, source, column, err);
}
