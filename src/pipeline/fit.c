/* SPDX-License-Identifier: MIT */
/* fit.c: lets the steps of a pipeline learn, as many as possible in each pass over the rows.
 *
 * Steps are taken in order. One that learns waits for the next pass; one that only adds columns is
 * applied at once, to the view that the pass will read. A step that needs or hides what a waiting
 * step makes or reads, or that changes rows or drops columns, first ends the stage: the pass is
 * made, and the steps of the stage are applied in their order. A step whose learners are full
 * before they see a row does not wait. */
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "pipeline/fit_parts.h"
#include "pipeline/fit_widen.h"
#include "pipeline/fitted.h"
#include "pipeline/pipe_columns.h"
#include <dataview/transform.h>
#include <string.h>

/* Of keys, in dv_view_pipe; 64 Mi rows. */
#define KEYS_NBYTES (INT64_C(1) << 28)

typedef struct fitting {
    dv_fitted *fitted;
    dvi_step *steps; /* a copy of the pipeline's, if the fit changes some; else NULL */
    const dv_fit_options *options;
    dvi_fit_parts *parts; /* NULL: all rows are read, and steps learn from them */
    dv_view *base;        /* with all steps before `first` applied */
    dv_view *view;        /* and those after it that do not wait */
    int32_t first;        /* step of the stage */
    int32_t end;          /* the step after those that have been taken */
    dvi_fit_task *tasks;
    int32_t tasks_count, tasks_room;
    int64_t keys_nbytes; /* that may still be kept */
    dv_fit_need *needs;  /* of each step, on `rows` rows; NULL: nobody asks */
    int64_t rows;
    bool *has_all; /* of each step that learns: no row could teach it more */
} fitting;

static const dvi_step *step_at(const fitting *f, int32_t i)
{
    return &f->fitted->pipeline->steps.step[i];
}

static bool waits(const fitting *f, int32_t i)
{
    return !f->has_all[i] && dvi_step_learns(step_at(f, i));
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
    return dvi_step_makes_extra(step, name);
}

/* Must step i come after the pass for which step k waits? */
static bool needs(const fitting *f, int32_t i, int32_t k)
{
    const bool is_applied = !waits(f, i);
    const dvi_step *step = step_at(f, i), *waiting = step_at(f, k);
    dv_text extras[DVI_STEP_EXTRAS];
    const int32_t extras_count = dvi_step_extras(waiting, extras);
    for (int32_t c = 0; c < waiting->columns_count; c++)
        if (has_source(step, waiting->columns[c].name) ||
            (is_applied && makes(step, waiting->columns[c].name)))
            return true;
    for (int32_t c = 0; c < extras_count; c++)
        if (has_source(step, extras[c]) || (is_applied && makes(step, extras[c])))
            return true;
    for (int32_t c = 0; is_applied && c < step->columns_count; c++)
        if (has_source(waiting, step->columns[c].name))
            return true;
    return false;
}

static bool ends_stage(const fitting *f, int32_t i)
{
    if (f->tasks_count == 0)
        return false;
    if (!dvi_step_adds_columns(step_at(f, i)))
        return true;
    for (int32_t k = f->first; k < f->end; k++)
        if (waits(f, k) && needs(f, i, k))
            return true;
    return false;
}

/* --- Patterns --------------------------------------------------------------------------------- */

/* Could the patterns of a step mean what a waiting step makes? */
static bool may_mean_waiting(const fitting *f, const dvi_step *step)
{
    for (int32_t i = f->first; f->tasks_count > 0 && i < f->end; i++)
        for (int32_t k = 0; waits(f, i) && k < step_at(f, i)->columns_count; k++)
            if (dvi_step_may_mean(step, step_at(f, i)->columns[k].name))
                return true;
    return false;
}

/* Room for the columns of a step that learns. */
static dv_status make_tasks(fitting *f, int32_t more, dv_error *err)
{
    void *made;
    if (more <= f->tasks_room - f->tasks_count)
        return DV_OK;
    const int64_t room = f->tasks_count + dvi_max_i64(more, f->tasks_count);
    DVI_TRY(dvi_arena_alloc(&f->fitted->arena, &made, (size_t)room * sizeof *f->tasks, err));
    if (f->tasks_count > 0)
        memcpy(made, f->tasks, (size_t)f->tasks_count * sizeof *f->tasks);
    f->tasks = made;
    f->tasks_room = (int32_t)dvi_min_i64(room, INT32_MAX);
    return DV_OK;
}

/* Put the columns that its patterns mean into step i. */
static dv_status resolve(fitting *f, int32_t i, dv_error *err)
{
    void *learned;
    int32_t n;
    const dvi_step_column *columns;
    dvi_arena *arena = &f->fitted->arena;
    DVI_TRY(dvi_step_resolve(&columns, &n, step_at(f, i), dv_view_schema(f->view),
                             &f->fitted->pipeline->steps.arena, err));
    DVI_TRY(dvi_arena_alloc(arena, &learned, (size_t)n * sizeof(void *), err));
    f->fitted->learned[i] = learned;
    f->steps[i].columns = columns;
    f->steps[i].columns_count = n;
    return DV_OK;
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
    DVI_TRY(dvi_fitted_apply_step(&made, f->fitted, i, *view, true, &f->fitted->allocator, err));
    dv_view_release(view);
    *view = made;
    return DV_OK;
}

/* Make room for the keys of rows, of as many columns as the limit lets. Without room, or if the
 * number of rows is unknown, values are looked up when the rows are read again. */
static void keep_keys(fitting *f)
{
    const int64_t rows = dv_view_rows(f->view);
    for (int32_t t = 0; t < f->tasks_count; t++) {
        dvi_fit_task *task = &f->tasks[t];
        const dv_step_binding *b = &task->binding;
        if (rows <= 0 || rows > f->keys_nbytes / 4 || !b->step->cls->keep ||
            dv_schema_column(b->schema, b->sources[0])->type.rank > 0)
            continue;
        if (DVI_ATTEMPT("fit.c keep_keys", dvi_memory_create(&task->keys, &f->fitted->allocator,
                                                             4 * (size_t)rows, NULL) == DV_OK))
            f->keys_nbytes -= 4 * rows;
    }
}

static void drop_keys(fitting *f)
{
    for (int32_t t = 0; t < f->tasks_count; t++)
        dvi_memory_release(&f->tasks[t].keys);
}

static dv_status learn(fitting *f, int64_t *rows_out, dv_error *err)
{
    if (!f->parts)
        return dvi_fit_pass(f->tasks, f->tasks_count, f->view, f->options, NULL,
                            &f->fitted->allocator, rows_out, err);
    *rows_out = f->parts->rows;
    return dvi_fit_parts_learn(f->parts, f->fitted, f->end, f->tasks, f->tasks_count, f->view,
                               f->options, err);
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
    keep_keys(f);
    const dv_status status = learn(f, &rows, err);
    drop_keys(f);
    DVI_TRY(status);
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

/* What a column of a step that learns takes: a learner for each thread, which are merged in another
 * one. The size of a vector may be another once a step before has learned. */
static void add_need(const fitting *f, int32_t i, const dv_step_binding *b)
{
    const dvi_step *step = step_at(f, i);
    dv_fit_need one = {.nbytes = 0}, *need = &f->needs[i - f->fitted->put_in];
    const dv_type *type = &dv_schema_column(b->schema, b->sources[0])->type;
    const int64_t threads = dvi_fit_threads(f->options);
    const int64_t learners = step->cls->open.in_order || threads == 1 ? 1 : threads + 1;
    dvi_step_amounts amounts = {.slots = 1, .values = f->rows};
    if (type->rank > 0)
        amounts.slots = f->fitted->info.passes == 0 ? dv_type_value_count(type) : 0;
    if (amounts.slots > 0 && f->rows >= INT64_MAX / amounts.slots)
        amounts.values = INT64_MAX - 1;
    else
        amounts.values *= amounts.slots;
    if (step->cls->need)
        step->cls->need(&one, b, &amounts);
    else
        one.nbytes = -1;
    need->texts += one.texts;
    need->nbytes = need->nbytes < 0 || one.nbytes < 0 ? -1 : need->nbytes + learners * one.nbytes;
}

/* Begin to learn column k of step i. Is the learner full before it sees a row? If the step has_all,
 * it also ends. */
static dv_status begin(fitting *f, int32_t i, int32_t k, bool *is_full_out, dv_error *err)
{
    void *learner = NULL;
    dv_step_binding binding = {.step = NULL};
    const dvi_step *step = step_at(f, i);
    const dv_step_class *cls = &step->cls->open;
    *is_full_out = false;
    DVI_TRY(bind(&binding, f, i, k, err));
    dv_status status = cls->begin(&learner, &binding, err);
    if (status < 0)
        dvi_fitted_within_column(step->columns[k].sources[0], err);
    else
        *is_full_out = cls->is_full(learner);
    if (status == DV_OK && f->has_all[i])
        status = cls->finish(&f->fitted->learned[i][k], &learner, &binding, err);
    if (learner)
        cls->free_learner(learner);
    return status;
}

/* Find out whether a step has to wait. */
static dv_status ask_learners(fitting *f, int32_t i, dv_error *err)
{
    const dvi_step *step = step_at(f, i);
    bool are_full = waits(f, i) && step->cls->open.is_full;
    for (int32_t k = 0; are_full && k < step->columns_count; k++)
        DVI_TRY(begin(f, i, k, &are_full, err));
    f->has_all[i] = are_full;
    return DV_OK;
}

/* Take column k of a step: it waits, or knows what it needs. */
static dv_status take_column(fitting *f, int32_t i, int32_t k, dv_error *err)
{
    bool ignored;
    const dvi_step *step = step_at(f, i);
    dv_step_binding binding = {.step = NULL};
    void **learned = &f->fitted->learned[i][k];
    DVI_TRY(bind(&binding, f, i, k, err));
    if (f->has_all[i])
        return begin(f, i, k, &ignored, err);
    const bool learns = waits(f, i);
    if (!learns && !step->cls->open.give)
        return DV_OK;
    if (!learns) {
        const dv_status status = step->cls->open.give(learned, &binding, err);
        if (status < 0)
            dvi_fitted_within_column(step->columns[k].name, err);
        return status;
    }
    if (f->needs)
        add_need(f, i, &binding);
    f->tasks[f->tasks_count++] = (dvi_fit_task){.binding = binding, .step = i, .learned = learned};
    return DV_OK;
}

static dv_status take_columns(fitting *f, int32_t i, dv_error *err)
{
    const dvi_step *step = step_at(f, i);
    if (!dvi_step_makes_columns(step) && !step->cls->open.give && !dvi_step_learns(step))
        return DV_OK;
    if (waits(f, i))
        DVI_TRY(make_tasks(f, step->columns_count, err));
    for (int32_t k = 0; k < step->columns_count; k++)
        DVI_TRY(take_column(f, i, k, err));
    return DV_OK;
}

/* Find out which columns the step has: all before it that could matter are then applied. */
static dv_status take_patterns(fitting *f, int32_t i, dv_error *err)
{
    if (!dvi_step_has_patterns(step_at(f, i)))
        return DV_OK;
    if (may_mean_waiting(f, step_at(f, i)))
        DVI_TRY(end_stage(f, err));
    const dv_status status = resolve(f, i, err);
    if (status < 0)
        dvi_fitted_within(f->fitted, i, err);
    return status;
}

/* --- Integers --------------------------------------------------------------------------------- */

/* Put a step before step i; `create` has left room. */
static dv_status put_in(fitting *f, int32_t i, const dvi_step *step, dv_error *err)
{
    void *learned;
    dvi_steps *steps = &f->fitted->pipeline->steps;
    const size_t after = (size_t)(steps->count - i);
    DVI_TRY(dvi_arena_alloc(&f->fitted->arena, &learned,
                            (size_t)step->columns_count * sizeof(void *), err));
    memmove(&f->steps[i + 1], &f->steps[i], after * sizeof *f->steps);
    memmove(&f->fitted->learned[i + 1], &f->fitted->learned[i], after * sizeof(void **));
    f->steps[i] = *step;
    f->fitted->learned[i] = learned;
    steps->count++;
    f->fitted->put_in++;
    return DV_OK;
}

static dv_status take_one(fitting *f, int32_t i, dv_error *err);

/* Put the conversions of integers before step i, and take them. *i: then the step. */
static dv_status widen(fitting *f, int32_t *i, dv_error *err)
{
    int32_t n = 0;
    dvi_step before[DVI_WIDENED_MAX];
    if (!dvi_step_may_widen(step_at(f, *i)))
        return DV_OK;
    DVI_TRY(dvi_step_widen(before, &n, &f->steps[*i], dv_view_schema(f->view),
                           &f->fitted->pipeline->steps.arena, err));
    for (int32_t k = 0; k < n; k++) {
        DVI_TRY(put_in(f, *i, &before[k], err));
        DVI_TRY(take_one(f, *i, err));
        ++*i;
    }
    return DV_OK;
}

/* --- All steps -------------------------------------------------------------------------------- */

/* Take step i, and those that it needs before it. *i: then the step after it. */
static dv_status take(fitting *f, int32_t *i, dv_error *err)
{
    DVI_TRY(take_patterns(f, *i, err));
    if (ends_stage(f, *i))
        DVI_TRY(end_stage(f, err));
    DVI_TRY(widen(f, i, err));
    DVI_TRY(take_one(f, *i, err));
    ++*i;
    return DV_OK;
}

static dv_status take_one(fitting *f, int32_t i, dv_error *err)
{
    if (ends_stage(f, i))
        DVI_TRY(end_stage(f, err));
    dv_status status = ask_learners(f, i, err);
    if (status == DV_OK && f->has_all[i] && ends_stage(f, i))
        DVI_TRY(end_stage(f, err));
    if (status == DV_OK)
        status = take_columns(f, i, err);
    if (status < 0)
        dvi_fitted_within(f->fitted, i, err);
    DVI_TRY(status);
    f->end = i + 1;
    return waits(f, i) ? DV_OK : apply_one(f, &f->view, i, err);
}

/* From step i on it is not known what steps need: what one before has learned from no row gives no
 * column that they take. */
static void leave_needs_open(const fitting *f, int32_t i)
{
    for (; i < f->fitted->pipeline->steps.count; i++)
        f->needs[i - f->fitted->put_in] = (dv_fit_need){.nbytes = waits(f, i) ? -1 : 0};
}

static dv_status fit(fitting *f, dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    dv_status status = DV_OK;
    int32_t i = 0;
    while (status == DV_OK && i < f->fitted->pipeline->steps.count)
        status = take(f, &i, &own);
    if (status == DV_OK)
        status = end_stage(f, &own);
    if (status == DV_ERR_ARGUMENT && f->needs && f->fitted->info.passes > 0) {
        leave_needs_open(f, i);
        return DV_OK;
    }
    if (f->parts && f->parts->is_taken)
        return DV_OK;
    if (status < 0 && err)
        *err = own;
    return status;
}

/* The steps that a fit may put in; -1: it changes none. */
static int32_t count_changes(const dv_pipeline *pipeline)
{
    int32_t room = -1;
    for (int32_t i = 0; i < pipeline->steps.count; i++) {
        const dvi_step *step = &pipeline->steps.step[i];
        if (dvi_step_may_widen(step))
            room = (int32_t)dvi_max_i64(room, 0) + DVI_WIDENED_MAX;
        else if (dvi_step_has_patterns(step))
            room = (int32_t)dvi_max_i64(room, 0);
    }
    return room;
}

/* With steps of its own if the fit may change some. */
static dv_status create(fitting *f, dv_pipeline *pipeline, const dv_allocator *given, dv_error *err)
{
    const dv_allocator allocator = dvi_allocator_of(given);
    const int32_t room = count_changes(pipeline);
    dv_pipeline *own = pipeline;
    if (room < 0)
        return dvi_fitted_create(&f->fitted, pipeline, 0, &allocator, err);
    DVI_TRY(dvi_pipeline_copy(&own, &f->steps, pipeline, room, &allocator, err));
    const dv_status status = dvi_fitted_create(&f->fitted, own, room, &allocator, err);
    dv_pipeline_release(&own);
    return status;
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
    if (options->keys_nbytes < -1)
        return dvi_fail_argument(err, "keys_nbytes of the fit options is below -1");
    return DV_OK;
}

/* `f` has options, and whether needs are asked for. */
static dv_status run(fitting *f, dv_pipeline *pipeline, dv_view *view,
                     const dv_allocator *allocator, dv_error *err)
{
    void *made;
    DVI_TRY(create(f, pipeline, allocator, err));
    dv_view_retain(view);
    dv_view_retain(view);
    f->base = f->view = view;
    const size_t most =
        (size_t)pipeline->steps.count + (size_t)dvi_max_i64(count_changes(pipeline), 0);
    dv_status status = dvi_arena_alloc(&f->fitted->arena, &made, most * sizeof *f->has_all, err);
    f->has_all = made;
    if (status == DV_OK)
        status = fit(f, err);
    const bool is_whole = status == DV_OK && !(f->parts && f->parts->take);
    f->fitted->put_in = 0;
    if (is_whole && !f->needs)
        status = dvi_fitted_note_inputs(f->fitted, dv_view_schema(view), true, err);
    if (is_whole && status == DV_OK)
        status = dvi_fitted_seal(f->fitted, err);
    dv_view_release(&f->base);
    dv_view_release(&f->view);
    if (!is_whole || status < 0)
        dv_fitted_release(&f->fitted);
    return status;
}

/* keys_nbytes: of keys, if the options leave it open. */
static dv_status fit_on(dv_fitted **fitted_out, dv_pipeline *pipeline, dv_view *view,
                        const dv_fit_options *given, int64_t keys_nbytes,
                        const dv_allocator *allocator, dv_error *err)
{
    dv_fit_options options;
    fitting f = {.options = &options};
    *fitted_out = NULL;
    DVI_TRY(read_options(&options, given, err));
    f.keys_nbytes = options.keys_nbytes < 0 ? keys_nbytes : options.keys_nbytes;
    const bool keeps = f.keys_nbytes > 0;
    const dv_status status = run(&f, pipeline, view, allocator, err);
    if (status == DV_OK && keeps) {
        dv_view_retain(view);
        f.fitted->again = view;
    }
    *fitted_out = f.fitted;
    return status;
}

dv_status dv_fit(dv_fitted **fitted_out, dv_pipeline *pipeline, dv_view *view,
                 const dv_fit_options *options, const dv_allocator *allocator, dv_error *err)
{
    return fit_on(fitted_out, pipeline, view, options, 0, allocator, err);
}

dv_status dvi_fit_in_parts(dv_fitted **fitted_out, dvi_fit_parts *parts, dv_pipeline *pipeline,
                           dv_view *view, const dv_fit_options *given,
                           const dv_allocator *allocator, dv_error *err)
{
    dv_fit_options options;
    fitting f = {.options = &options, .parts = parts};
    *fitted_out = NULL;
    DVI_TRY(read_options(&options, given, err));
    const dv_status status = run(&f, pipeline, view, allocator, err);
    *fitted_out = f.fitted;
    return status;
}

dv_status dv_fit_needs(dv_fit_need *needs_out, dv_pipeline *pipeline, dv_view *view, int64_t rows,
                       const dv_fit_options *given, const dv_allocator *allocator, dv_error *err)
{
    dv_view *none;
    dv_fit_options options;
    fitting f = {.options = &options, .needs = needs_out, .rows = rows};
    for (int32_t i = 0; i < pipeline->steps.count; i++)
        needs_out[i] = (dv_fit_need){.nbytes = 0};
    DVI_TRY(read_options(&options, given, err));
    if (rows < 0)
        return dvi_fail_argument(err, "the number of rows is below 0");
    DVI_TRY(dv_view_slice(&none, view, 0, 0, allocator, err));
    const dv_status status = run(&f, pipeline, none, allocator, err);
    dv_fitted_release(&f.fitted);
    dv_view_release(&none);
    return status;
}

dv_status dv_view_pipe(dv_view **view_out, dv_view *source, dv_text text,
                       const dv_fit_options *options, const dv_allocator *allocator, dv_error *err)
{
    dv_pipeline *pipeline;
    dv_fitted *fitted = NULL;
    *view_out = NULL;
    DVI_TRY(dv_pipeline_parse(&pipeline, text, allocator, err));
    dv_status status = fit_on(&fitted, pipeline, source, options, KEYS_NBYTES, allocator, err);
    if (status == DV_OK)
        status = dv_fitted_apply(view_out, fitted, source, allocator, err);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
    return status;
}
