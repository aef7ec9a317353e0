/* SPDX-License-Identifier: MIT */
/* fitted.c: applies the steps of a fitted pipeline, and shows what they have learnt. */
#include "pipeline/fitted.h"
#include "base/alloc.h"
#include "base/check.h"
#include "pipeline/step_plan.h"
#include "pipeline/step_view.h"
#include "transform/terms_table.h"

dv_status dvi_fitted_create(dv_fitted **fitted_out, dv_pipeline *pipeline,
                            const dv_allocator *allocator, dv_error *err)
{
    void *made, *list;
    const dv_allocator with = dvi_allocator_of(allocator);
    const int32_t n = pipeline->steps.count;
    *fitted_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&with, &made, sizeof(dv_fitted), err));
    dv_fitted *f = made;
    atomic_init(&f->refs, 1);
    f->allocator = with;
    dvi_arena_init(&f->arena, &f->allocator);
    dv_pipeline_retain(pipeline);
    f->pipeline = pipeline;
    dv_status status = dvi_arena_alloc(&f->arena, &list, (size_t)n * sizeof *f->learnt, err);
    if (status == DV_OK)
        f->learnt = list;
    for (int32_t i = 0; status == DV_OK && i < n; i++) {
        const size_t columns = (size_t)pipeline->steps.step[i].columns_count;
        status = dvi_arena_alloc(&f->arena, &list, columns * sizeof(dvi_learnt), err);
        f->learnt[i] = list;
    }
    if (status == DV_OK)
        *fitted_out = f;
    else
        dv_fitted_release(&f);
    return status;
}

void dv_fitted_retain(dv_fitted *f)
{
    atomic_fetch_add(&f->refs, 1);
}

static void destroy(dv_fitted *f)
{
    const dv_allocator allocator = f->allocator;
    const dvi_steps *steps = &f->pipeline->steps;
    for (int32_t i = 0; f->learnt && i < steps->count; i++)
        for (int32_t k = 0; f->learnt[i] && k < steps->step[i].columns_count; k++)
            dvi_learnt_free(&f->learnt[i][k]);
    dvi_arena_free(&f->arena);
    dv_pipeline_release(&f->pipeline);
    dvi_free(&allocator, f, sizeof *f);
}

void dv_fitted_release(dv_fitted **fitted)
{
    dv_fitted *f = *fitted;
    *fitted = NULL;
    if (f && atomic_fetch_sub(&f->refs, 1) == 1)
        destroy(f);
}

static void release_owned(void *of)
{
    dv_fitted *f = of;
    dv_fitted_release(&f);
}

dv_pipeline *dv_fitted_pipeline(const dv_fitted *f)
{
    return f->pipeline;
}

/* --- Columns made of columns ------------------------------------------------------------------ */

static const dv_view_class columns_class = DVI_MAPPER_CLASS("step", NULL, NULL);

dv_status dvi_fitted_source(int32_t *column_out, const dvi_step_column *column,
                            const dv_schema *schema, dv_error *err)
{
    if (dv_schema_find(schema, column->sources[0], column_out) == DV_OK)
        return DV_OK;
    return dvi_fail_argument(err, "there is no column \"%s\"", dvi_show(column->sources[0]).text);
}

static dv_status plan_columns(dvi_mapper *mapper, dv_schema **schema_out, dv_fitted *f, int32_t i,
                              dv_error *err)
{
    const dvi_step *step = &f->pipeline->steps.step[i];
    const dv_schema *source = dv_view_schema(mapper->base.source);
    dvi_arena *arena = &mapper->base.arena;
    void *list;
    dv_fitted_retain(f);
    DVI_TRY(dvi_arena_own(arena, release_owned, f, err));
    DVI_TRY(
        dvi_arena_alloc(arena, &list, (size_t)step->columns_count * sizeof(dvi_new_column), err));
    dvi_new_column *made = list;
    for (int32_t k = 0; k < step->columns_count; k++) {
        int32_t column;
        made[k].name = step->columns[k].name;
        made[k].hides = -1;
        DVI_TRY(dvi_fitted_source(&column, &step->columns[k], source, err));
        const dv_status status =
            dvi_step_plan(&made[k], arena, step, &f->learnt[i][k], source, column, err);
        if (status < 0)
            dvi_error_within(err, "column \"%s\"", dvi_show(step->columns[k].sources[0]).text);
        DVI_TRY(status);
    }
    return dvi_mapper_arrange(mapper, schema_out, made, step->columns_count, err);
}

static dv_status apply_columns(dv_view **view_out, dv_fitted *f, int32_t i, dv_view *source,
                               const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    const int32_t n = f->pipeline->steps.step[i].columns_count;
    DVI_TRY(dvi_mapper_create(&mapper, source, n, allocator, err));
    const dv_status status = plan_columns(mapper, &schema, f, i, err);
    return dvi_mapper_view(view_out, &columns_class, mapper, schema, status, err);
}

/* --- All steps -------------------------------------------------------------------------------- */

void dvi_fitted_within(const dv_fitted *f, int32_t i, dv_error *err)
{
    dvi_error_within(err, "step %d, %s", (int)i + 1, f->pipeline->steps.step[i].info->name);
}

dv_status dvi_fitted_apply_step(dv_view **view_out, dv_fitted *f, int32_t i, dv_view *source,
                                const dv_allocator *allocator, dv_error *err)
{
    const dvi_step *step = &f->pipeline->steps.step[i];
    *view_out = NULL;
    const dv_status status =
        dvi_step_makes_columns(step)
            ? apply_columns(view_out, f, i, source, allocator, err)
            : dvi_step_view(view_out, step, f->learnt[i], source, allocator, err);
    if (status < 0)
        dvi_fitted_within(f, i, err);
    return status;
}

dv_status dv_fitted_apply(dv_view **view_out, dv_fitted *f, dv_view *source,
                          const dv_allocator *allocator, dv_error *err)
{
    dv_view *view = source;
    dv_status status = DV_OK;
    dv_view_retain(view);
    for (int32_t i = 0; status == DV_OK && i < f->pipeline->steps.count; i++) {
        dv_view *made;
        status = dvi_fitted_apply_step(&made, f, i, view, allocator, err);
        dv_view_release(&view);
        view = made;
    }
    *view_out = view;
    return status;
}

/* --- What was learnt -------------------------------------------------------------------------- */

dv_fitted_info dv_fitted_inspect(const dv_fitted *f)
{
    dv_fitted_info info = f->info;
    const dvi_steps *steps = &f->pipeline->steps;
    info.tables = 0;
    for (int32_t i = 0; i < steps->count; i++)
        for (int32_t k = 0; k < steps->step[i].columns_count; k++)
            info.tables += (f->learnt[i][k].terms != NULL) + (f->learnt[i][k].names != NULL);
    return info;
}

static dv_status show(dv_fitted_state *state, const dv_fitted *f, int32_t i, int32_t k,
                      dv_error *err)
{
    const dvi_learnt *learnt = &f->learnt[i][k];
    state->step = i;
    state->column = f->pipeline->steps.step[i].columns[k].name;
    state->name = learnt->terms ? "terms" : "names";
    if (learnt->terms)
        return dvi_terms_table(&state->view, learnt->terms, &f->allocator, err);
    state->view = learnt->names;
    dv_view_retain(state->view);
    return DV_OK;
}

dv_status dv_fitted_table(dv_fitted_state *state_out, dv_fitted *f, int32_t table, dv_error *err)
{
    const dvi_steps *steps = &f->pipeline->steps;
    int32_t at = 0;
    *state_out = (dv_fitted_state){.step = -1};
    for (int32_t i = 0; i < steps->count; i++)
        for (int32_t k = 0; k < steps->step[i].columns_count; k++)
            if ((f->learnt[i][k].terms || f->learnt[i][k].names) && at++ == table)
                return show(state_out, f, i, k, err);
    return dvi_fail_argument(err, "the fitted pipeline has %d tables; there is no table %d",
                             (int)at, (int)table);
}
