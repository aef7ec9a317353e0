/* SPDX-License-Identifier: MIT */
/* fit_parts.c: what learners see of a part of the rows, in the place of a pass over all of them. */
#include "pipeline/fit_parts.h"
#include "base/check.h"

/* --- Steps that cannot ------------------------------------------------------------------------ */

/* Does what it makes of a row depend on the rows before it? Steps of callers may do anything. */
static bool counts_rows(const dvi_step *step)
{
    const dv_step_class *cls = &step->cls->open;
    return step->cls == &dvi_class_slice || step->cls == &dvi_class_group ||
           step->cls == &dvi_class_rowid ||
           (step->info->number >= DVI_STEPS && (cls->view || cls->reads_ids));
}

static const char *refuse(const dvi_step *step)
{
    const dvi_step_parts *parts = step->cls->parts;
    if (!parts)
        return "it learns from all rows at once";
    return parts->refuses ? parts->refuses(step) : NULL;
}

static dv_status fail(const dv_fitted *fitted, int32_t i, const char *reason, dv_error *err)
{
    dvi_fail_argument(err, "a part of the rows is not enough: %s; fit the pipeline on all rows",
                      reason);
    dvi_fitted_within(fitted, i, err);
    return DV_ERR_ARGUMENT;
}

/* All steps before `end` have been applied, or learn from the rows of this pass. */
static dv_status check(const dv_fitted *fitted, int32_t end, const dvi_fit_task *tasks, int32_t n,
                       dv_error *err)
{
    const dvi_steps *steps = &fitted->pipeline->steps;
    for (int32_t i = 0; i < end; i++)
        if (counts_rows(&steps->step[i]))
            return fail(fitted, i, "its rows depend on those of other parts", err);
    for (int32_t t = 0; t < n; t++) {
        const char *reason = refuse(&steps->step[tasks[t].step]);
        if (reason)
            return fail(fitted, tasks[t].step, reason, err);
    }
    for (int32_t i = end; i < steps->count; i++)
        if (dvi_step_learns(&steps->step[i]))
            return fail(fitted, i, "it learns in another pass, when steps before it have learned",
                        err);
    return DV_OK;
}

/* --- Parts ------------------------------------------------------------------------------------ */

static dv_status take(dvi_fit_parts *parts, const dv_fitted *fitted, dvi_fit_task *tasks, int32_t n,
                      dv_view *view, const dv_fit_options *options, dv_error *err)
{
    const dvi_fit_keep keep = {parts->ctx, parts->take};
    DVI_TRY(dvi_fit_pass(tasks, n, view, options, &keep, &fitted->allocator, &parts->rows, err));
    parts->is_taken = true;
    return DV_ERR_STOPPED;
}

static dv_status give_one(const dvi_fit_parts *parts, const dvi_fit_task *task, dv_error *err)
{
    void *learner;
    const dv_step_class *cls = &task->binding.step->cls->open;
    DVI_TRY(cls->begin(&learner, &task->binding, err));
    dv_status status = parts->give(parts->ctx, task, learner, err);
    if (status == DV_OK)
        status = cls->finish(task->learned, &learner, &task->binding, err);
    if (learner)
        cls->free_learner(learner);
    return status;
}

dv_status dvi_fit_parts_learn(dvi_fit_parts *parts, const dv_fitted *fitted, int32_t end,
                              dvi_fit_task *tasks, int32_t n, dv_view *view,
                              const dv_fit_options *options, dv_error *err)
{
    DVI_TRY(check(fitted, end, tasks, n, err));
    if (parts->take)
        return take(parts, fitted, tasks, n, view, options, err);
    for (int32_t t = 0; t < n; t++) {
        const dv_status status = give_one(parts, &tasks[t], err);
        if (status < 0)
            dvi_fitted_within(fitted, tasks[t].step, err);
        DVI_TRY(status);
    }
    return DV_OK;
}
