/* SPDX-License-Identifier: MIT */
/* learn.c: terms, and names of hashes. */
#include "pipeline/learn.h"
#include "base/check.h"
#include "pipeline/step_plan.h"
#include "transform/tf_hash_names.h"
#include "transform/tf_optional.h"

/* Members get `self` of a learner. NULL: nothing to do. */
typedef struct dvi_learner_class {
    dv_status (*begin)(void **self_out, const dvi_lesson *lesson, dv_error *err);
    void (*free)(void *self);
    dv_status (*begin_chunk)(void *self, int64_t chunk, dv_error *err);
    dv_status (*see)(void *self, const dv_column_view *column, int64_t place, dv_error *err);
    bool (*is_full)(const void *self);
    /* Merge the others into the first, which may be replaced. */
    dv_status (*merge)(void **first, const dvi_learner *learners, int32_t n, dv_error *err);
    dv_status (*finish)(void **self, const dvi_lesson *lesson, dvi_learnt *learnt, dv_error *err);
} dvi_learner_class;

void dvi_learnt_free(dvi_learnt *learnt)
{
    dv_view_release(&learnt->like);
    dvi_terms_free(&learnt->terms);
    dv_view_release(&learnt->names);
}

/* --- Terms ------------------------------------------------------------------------------------ */

static dv_status create_terms(dvi_terms **terms_out, const dvi_lesson *l, dv_error *err)
{
    const dv_type item = dv_type_item(&dv_schema_column(l->schema, l->column)->type);
    if (item.kind == DV_KIND_BY || item.kind == DV_KIND_EXTENSION)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.2", -1, "values with terms",
                        "any type but BY and extensions|%s", dv_kind_name(item.kind));
    return dvi_terms_create(terms_out, &item, dvi_step_integer(l->step, "max"), l->terms_nbytes,
                            l->allocator, err);
}

static dv_status begin_terms(void **self_out, const dvi_lesson *lesson, dv_error *err)
{
    dvi_terms *terms;
    DVI_TRY(create_terms(&terms, lesson, err));
    *self_out = terms;
    return DV_OK;
}

static void free_terms(void *self)
{
    dvi_terms *terms = self;
    dvi_terms_free(&terms);
}

static dv_status begin_chunk_of_terms(void *self, int64_t chunk, dv_error *err)
{
    return dvi_terms_begin_chunk(self, chunk, err);
}

static dv_status see_terms(void *self, const dv_column_view *column, int64_t place, dv_error *err)
{
    (void)place;
    return dvi_terms_learn(self, column, err);
}

static bool are_terms_full(const void *self)
{
    return dvi_terms_are_full(self);
}

static dv_status merge_terms(void **first, const dvi_learner *learners, int32_t n, dv_error *err)
{
    dvi_terms *parts[DVI_LEARNERS_MAX], *merged;
    for (int32_t i = 0; i < n; i++)
        parts[i] = learners[i].self;
    DVI_TRY(dvi_terms_merge(&merged, parts, n, err));
    free_terms(*first);
    *first = merged;
    return DV_OK;
}

static dv_status sort_terms(dvi_terms **terms, const dvi_step *step, dv_error *err)
{
    dvi_terms *sorted;
    if (!dvi_step_integer(step, "sort"))
        return DV_OK;
    DVI_TRY(dvi_terms_sort(&sorted, *terms, err));
    dvi_terms_free(terms);
    *terms = sorted;
    return DV_OK;
}

static dv_status finish_terms(void **self, const dvi_lesson *lesson, dvi_learnt *learnt,
                              dv_error *err)
{
    learnt->terms = *self;
    *self = NULL;
    return sort_terms(&learnt->terms, lesson->step, err);
}

static const dvi_learner_class terms_class = {.begin = begin_terms,
                                              .free = free_terms,
                                              .begin_chunk = begin_chunk_of_terms,
                                              .see = see_terms,
                                              .is_full = are_terms_full,
                                              .merge = merge_terms,
                                              .finish = finish_terms};

/* --- Names of hashes -------------------------------------------------------------------------- */

static dv_status begin_names(void **self_out, const dvi_lesson *l, dv_error *err)
{
    dvi_hash_names *names;
    const dvi_hash_options options = dvi_step_hash(l->step, NULL);
    DVI_TRY(dvi_hash_names_create(&names, &dv_schema_column(l->schema, l->column)->type, l->schema,
                                  l->column, &options, (int32_t)dvi_step_integer(l->step, "invert"),
                                  l->allocator, err));
    *self_out = names;
    return DV_OK;
}

static void free_names(void *self)
{
    dvi_hash_names *names = self;
    dvi_hash_names_free(&names);
}

static dv_status see_names(void *self, const dv_column_view *column, int64_t place, dv_error *err)
{
    return dvi_hash_names_see(self, column, place, err);
}

static dv_status merge_names(void **first, const dvi_learner *learners, int32_t n, dv_error *err)
{
    for (int32_t i = 1; i < n; i++)
        DVI_TRY(dvi_hash_names_merge(*first, learners[i].self, err));
    return DV_OK;
}

static dv_status finish_names(void **self, const dvi_lesson *lesson, dvi_learnt *learnt,
                              dv_error *err)
{
    (void)lesson;
    return dvi_hash_names_table(*self, &learnt->names, err);
}

static const dvi_learner_class names_class = {.begin = begin_names,
                                              .free = free_names,
                                              .see = see_names,
                                              .merge = merge_names,
                                              .finish = finish_names};

/* --- All of them ------------------------------------------------------------------------------ */

static bool has_given_terms(const dvi_step *step)
{
    return step->info->number == DVI_STEP_term && dvi_step_option(step, "terms")->is_given;
}

/* NULL: the step does not learn from rows. */
static const dvi_learner_class *class_of(const dvi_step *step)
{
    switch ((dvi_step_kind)step->info->number) {
    case DVI_STEP_term:
    case DVI_STEP_onehot:
        return has_given_terms(step) ? NULL : &terms_class;
    case DVI_STEP_hash:
    case DVI_STEP_onehothash:
        return dvi_step_integer(step, "invert") ? &names_class : NULL;
    default:
        return NULL;
    }
}

bool dvi_step_learns(const dvi_step *step)
{
    return class_of(step) != NULL;
}

const char *dvi_step_table(const dvi_step *step)
{
    const dvi_learner_class *cls = class_of(step);
    return cls == &terms_class || has_given_terms(step) ? "terms" : cls ? "names" : NULL;
}

dv_status dvi_learner_begin(dvi_learner *learner_out, const dvi_lesson *lesson, dv_error *err)
{
    *learner_out = (dvi_learner){class_of(lesson->step), NULL};
    if (!learner_out->cls)
        return dvi_fail_argument(err, "%s learns nothing", lesson->step->info->name);
    return learner_out->cls->begin(&learner_out->self, lesson, err);
}

void dvi_learner_free(dvi_learner *learner)
{
    if (learner->self)
        learner->cls->free(learner->self);
    learner->self = NULL;
}

dv_status dvi_learner_begin_chunk(dvi_learner *learner, int64_t chunk, dv_error *err)
{
    return learner->cls->begin_chunk ? learner->cls->begin_chunk(learner->self, chunk, err) : DV_OK;
}

dv_status dvi_learner_see(dvi_learner *learner, const dv_column_view *column, int64_t place,
                          dv_error *err)
{
    return learner->cls->see(learner->self, column, place, err);
}

bool dvi_learner_is_full(const dvi_learner *learner)
{
    return learner->cls->is_full && learner->cls->is_full(learner->self);
}

dv_status dvi_learner_merge(dvi_learner *learners, int32_t n, dv_error *err)
{
    return learners->cls->merge(&learners->self, learners, n, err);
}

dv_status dvi_learner_finish(dvi_learner *learner, const dvi_lesson *lesson, dvi_learnt *learnt_out,
                             dv_error *err)
{
    return learner->cls->finish(&learner->self, lesson, learnt_out, err);
}

static dv_status find_type(dvi_learnt *learnt, const dvi_lesson *lesson, dv_error *err)
{
    if (lesson->column >= 0)
        return dvi_optional_column(&learnt->like, lesson->schema, lesson->column, lesson->allocator,
                                   err);
    if (dvi_step_option(lesson->step, "type")->is_given)
        return DV_OK;
    return dvi_fail_argument(err, "it is missing, so its type must be given: set \"type\"");
}

dv_status dvi_learnt_given(dvi_learnt *learnt_out, const dvi_lesson *lesson, dv_error *err)
{
    if (lesson->step->info->number == DVI_STEP_optional)
        return find_type(learnt_out, lesson, err);
    if (!has_given_terms(lesson->step))
        return DV_OK;
    const dvi_option_value *given = dvi_step_option(lesson->step, "terms");
    DVI_TRY(create_terms(&learnt_out->terms, lesson, err));
    DVI_TRY(dvi_terms_add_texts(learnt_out->terms, given->texts, given->n, err));
    return sort_terms(&learnt_out->terms, lesson->step, err);
}
