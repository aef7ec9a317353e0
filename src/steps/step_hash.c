/* SPDX-License-Identifier: MIT */
/* step_hash.c: hash and onehothash, which learn the names of hashes. */
#include "base/check.h"
#include "steps/learned_view.h"
#include "steps/step_keys.h"
#include "transform/tf_hash.h"
#include "transform/tf_hash_names.h"

static dvi_hash_options options_of(const dv_step *step, dv_view *names)
{
    return (dvi_hash_options){.bits = (int32_t)dv_step_integer(step, "bits"),
                              .seed = (uint32_t)dv_step_integer(step, "seed"),
                              .is_ordered = dv_step_integer(step, "ordered"),
                              .is_combined = dv_step_integer(step, "combine"),
                              .version = dv_step_integer(step, "hashversion") ? DVI_MURMUR_2
                                                                              : DVI_MURMUR_1,
                              .names = names};
}

/* --- Learning --------------------------------------------------------------------------------- */

static bool learns(const dv_step *step)
{
    return dv_step_integer(step, "invert") != 0;
}

static dv_status begin(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    dvi_hash_names *names;
    const int32_t source = b->sources[0];
    const dvi_hash_options options = options_of(b->step, NULL);
    DVI_TRY(dvi_hash_names_create(&names, &dv_schema_column(b->schema, source)->type, b->schema,
                                  source, &options, (int32_t)dv_step_integer(b->step, "invert"),
                                  b->allocator, err));
    *learner_out = names;
    return DV_OK;
}

static void free_learner(void *learner)
{
    dvi_hash_names *names = learner;
    dvi_hash_names_free(&names);
}

static dv_status see(void *learner, const dv_column_view *const *sources, int64_t place,
                     dv_error *err)
{
    return dvi_hash_names_see(learner, sources[0], place, err);
}

static dv_status merge(void **learners, int32_t n, dv_error *err)
{
    for (int32_t i = 1; i < n; i++)
        DVI_TRY(dvi_hash_names_merge(learners[0], learners[i], err));
    return DV_OK;
}

static dv_status finish(void **learned_out, void **learner, const dv_step_binding *binding,
                        dv_error *err)
{
    dv_view *names;
    (void)binding;
    DVI_TRY(dvi_hash_names_table(*learner, &names, err));
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

static dv_status plan_hash(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                           void *learned, dv_error *err)
{
    const dvi_hash_options options = options_of(b->step, learned);
    return dvi_hash_plan(made, arena, b->schema, b->sources[0], &options, err);
}

static dv_status plan_onehothash(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                                 void *learned, dv_error *err)
{
    DVI_TRY(plan_hash(made, arena, b, learned, err));
    return dvi_step_plan_kind(made, arena, b, err);
}

#define NAMES                                                                                      \
    {                                                                                              \
        .size = sizeof(dv_step_class), .version = 1, .learns = learns, .begin = begin,             \
        .free_learner = free_learner, .see = see, .merge = merge, .finish = finish,                \
        .free_learned = dvi_learned_view_free, .tables = tables, .show = dvi_learned_view_show,    \
        .load = load                                                                               \
    }

const dvi_step_class dvi_class_hash = {.open = NAMES, .plan = plan_hash};
const dvi_step_class dvi_class_onehothash = {.open = NAMES, .plan = plan_onehothash};
