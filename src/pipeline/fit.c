/* SPDX-License-Identifier: MIT */
/* fit.c: lets the steps of a pipeline learn, as many as possible in each pass over the rows.
 *
 * Steps are taken in order. One that learns waits for the next pass; one that only adds columns is
 * applied at once, to the view that the pass will read. A step that needs or hides what a waiting
 * step makes or reads, or that changes rows or drops columns, first ends the stage: the pass is
 * made, and the steps of the stage are applied in their order. */
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "pipeline/fit_pass.h"
#include "pipeline/fitted.h"

typedef struct fitting {
    dv_fitted *fitted;
    const dv_fit_options *options;
    dv_view *base; /* with all steps before `first` applied */
    dv_view *view; /* and those after it that do not wait */
    int32_t first; /* step of the stage */
    int32_t end;   /* the step after those that have been taken */
    dvi_fit_task *tasks;
    int32_t tasks_count;
} fitting;

static const dvi_step *step_at(const fitting *f, int32_t i)
{
    return &f->fitted->pipeline->steps.step[i];
}

static bool waits(const dvi_step *step)
{
    return dvi_step_learns(step);
}

/* --- What steps need -------------------------------------------------------------------------- */

/* Does an option name that column? */
static bool has_other(const dvi_step *step, dv_text name)
{
    const char *const *option = step->cls->open.column_options;
    for (; option && *option; option++)
        if (dv_text_equal(dv_step_text(step, *option, 0), name))
            return true;
    return false;
}

static bool has_source(const dvi_step *step, dv_text name)
{
    for (int32_t k = 0; k < step->columns_count; k++)
        for (int32_t s = 0; s < step->columns[k].n; s++)
            if (dv_text_equal(step->columns[k].sources[s], name))
                return true;
    return has_other(step, name);
}

static bool makes(const dvi_step *step, dv_text name)
{
    for (int32_t k = 0; k < step->columns_count; k++)
        if (dv_text_equal(step->columns[k].name, name))
            return true;
    return false;
}

/* Must the step come after the pass for which `waiting` waits? */
static bool needs(const dvi_step *step, const dvi_step *waiting)
{
    for (int32_t k = 0; k < waiting->columns_count; k++)
        if (has_source(step, waiting->columns[k].name) ||
            (!waits(step) && makes(step, waiting->columns[k].name)))
            return true;
    for (int32_t k = 0; !waits(step) && k < step->columns_count; k++)
        if (has_source(waiting, step->columns[k].name))
            return true;
    return false;
}

static bool ends_stage(const fitting *f, const dvi_step *step)
{
    if (f->tasks_count == 0)
        return false;
    if (!dvi_step_adds_columns(step))
        return true;
    for (int32_t i = f->first; i < f->end; i++)
        if (waits(step_at(f, i)) && needs(step, step_at(f, i)))
            return true;
    return false;
}

/* --- Stages ----------------------------------------------------------------------------------- */

/* Of a column of step i in the view that is read. */
static dv_status bind(dv_step_binding *binding, fitting *f, int32_t i, int32_t k, dv_error *err)
{
    binding->allocator = &f->fitted->allocator;
    binding->terms_nbytes = f->options->terms_nbytes;
    return dvi_step_bind(binding, step_at(f, i), k, dv_view_schema(f->view), true,
                         &f->fitted->arena, err);
}

static dv_status apply_one(fitting *f, dv_view **view, int32_t i, dv_error *err)
{
    dv_view *made;
    DVI_TRY(dvi_fitted_apply_step(&made, f->fitted, i, *view, &f->fitted->allocator, err));
    dv_view_release(view);
    *view = made;
    return DV_OK;
}

/* Learn what waits, and apply the steps of the stage in order. */
static dv_status end_stage(fitting *f, dv_error *err)
{
    if (f->tasks_count == 0) {
        f->first = f->end;
        dv_view_release(&f->base);
        f->base = f->view;
        dv_view_retain(f->base);
        return DV_OK;
    }
    /* Columns are found again: steps that were applied have moved them. */
    for (int32_t t = 0; t < f->tasks_count; t++)
        DVI_TRY(bind(&f->tasks[t].binding, f, f->tasks[t].step, f->tasks[t].binding.column, err));
    int64_t rows;
    dv_fitted_info *info = &f->fitted->info;
    DVI_TRY(dvi_fit_pass(f->tasks, f->tasks_count, f->view, f->options, &f->fitted->allocator,
                         &rows, err));
    info->rows = dvi_max_i64(info->rows, rows);
    info->passes++;
    f->tasks_count = 0;
    for (; f->first < f->end; f->first++)
        DVI_TRY(apply_one(f, &f->base, f->first, err));
    dv_view_release(&f->view);
    f->view = f->base;
    dv_view_retain(f->view);
    return DV_OK;
}

/* Take column k of a step: it waits, or knows what it needs. */
static dv_status take_column(fitting *f, int32_t i, int32_t k, dv_error *err)
{
    const dvi_step *step = step_at(f, i);
    dv_step_binding binding = {.step = NULL};
    void **learned = &f->fitted->learned[i][k];
    DVI_TRY(bind(&binding, f, i, k, err));
    if (!waits(step) && !step->cls->open.give)
        return DV_OK;
    if (!waits(step)) {
        const dv_status status = step->cls->open.give(learned, &binding, err);
        if (status < 0)
            dvi_error_within(err, "column \"%s\"", dvi_show(step->columns[k].name).text);
        return status;
    }
    f->tasks[f->tasks_count++] = (dvi_fit_task){.binding = binding, .step = i, .learned = learned};
    return DV_OK;
}

static dv_status take_columns(fitting *f, int32_t i, dv_error *err)
{
    const dvi_step *step = step_at(f, i);
    if (!dvi_step_makes_columns(step) && !step->cls->open.give && !waits(step))
        return DV_OK;
    for (int32_t k = 0; k < step->columns_count; k++)
        DVI_TRY(take_column(f, i, k, err));
    return DV_OK;
}

static dv_status take(fitting *f, int32_t i, dv_error *err)
{
    const dvi_step *step = step_at(f, i);
    if (ends_stage(f, step))
        DVI_TRY(end_stage(f, err));
    const dv_status status = take_columns(f, i, err);
    if (status < 0)
        dvi_fitted_within(f->fitted, i, err);
    DVI_TRY(status);
    f->end = i + 1;
    return waits(step) ? DV_OK : apply_one(f, &f->view, i, err);
}

/* Room for all columns of steps that learn. */
static dv_status make_tasks(fitting *f, dv_error *err)
{
    void *made;
    size_t n = 0;
    for (int32_t i = 0; i < f->fitted->pipeline->steps.count; i++)
        n += (size_t)step_at(f, i)->columns_count;
    DVI_TRY(dvi_arena_alloc(&f->fitted->arena, &made, n * sizeof *f->tasks, err));
    f->tasks = made;
    return DV_OK;
}

static dv_status fit(fitting *f, dv_error *err)
{
    DVI_TRY(dvi_fitted_note_inputs(f->fitted, dv_view_schema(f->base), err));
    DVI_TRY(make_tasks(f, err));
    for (int32_t i = 0; i < f->fitted->pipeline->steps.count; i++)
        DVI_TRY(take(f, i, err));
    return end_stage(f, err);
}

static dv_status read_options(dv_fit_options *options, const dv_fit_options *given, dv_error *err)
{
    *options = (dv_fit_options)DV_FIT_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(options, sizeof *options, given, "DV_FIT_OPTIONS_INIT", err));
    if (options->threads < 0)
        return dvi_fail_argument(err, "threads of the fit options is below 0");
    if (options->terms_nbytes < 1 || options->terms_nbytes > INT32_MAX)
        return dvi_fail_argument(err, "terms_nbytes of the fit options is outside 1..%d",
                                 INT32_MAX);
    return DV_OK;
}

dv_status dv_fit(dv_fitted **fitted_out, dv_pipeline *pipeline, dv_view *view,
                 const dv_fit_options *given, const dv_allocator *allocator, dv_error *err)
{
    dv_fit_options options;
    fitting f = {.options = &options, .base = view, .view = view};
    *fitted_out = NULL;
    DVI_TRY(read_options(&options, given, err));
    DVI_TRY(dvi_fitted_create(&f.fitted, pipeline, allocator, err));
    dv_view_retain(view);
    dv_view_retain(view);
    const dv_status status = fit(&f, err);
    dv_view_release(&f.base);
    dv_view_release(&f.view);
    if (status < 0)
        dv_fitted_release(&f.fitted);
    *fitted_out = f.fitted;
    return status;
}

dv_status dv_view_pipe(dv_view **view_out, dv_view *source, dv_text text,
                       const dv_fit_options *options, const dv_allocator *allocator, dv_error *err)
{
    dv_pipeline *pipeline;
    dv_fitted *fitted = NULL;
    *view_out = NULL;
    DVI_TRY(dv_pipeline_parse(&pipeline, text, allocator, err));
    dv_status status = dv_fit(&fitted, pipeline, source, options, allocator, err);
    if (status == DV_OK)
        status = dv_fitted_apply(view_out, fitted, source, allocator, err);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
    return status;
}
