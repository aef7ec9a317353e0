/* SPDX-License-Identifier: MIT */
/* fitted.c: fits the steps of a pipeline, and applies them. */
#include "pipeline/fitted.h"
#include "base/alloc.h"
#include "base/check.h"
#include "pipeline/learn.h"
#include "transform/tf_rowid.h"
#include <dataview/transform.h>
#include <stdatomic.h>

struct dvi_fitted {
    atomic_size_t refs;
    dv_allocator allocator;
    dvi_steps steps;
    dvi_learnt **learnt; /* of each step, one for each of its columns; NULL: not fitted yet */
};

void dvi_fitted_retain(dvi_fitted *f)
{
    atomic_fetch_add(&f->refs, 1);
}

static void destroy(dvi_fitted *f)
{
    const dv_allocator allocator = f->allocator;
    for (int32_t i = 0; f->learnt && i < f->steps.count; i++)
        for (int32_t k = 0; f->learnt[i] && k < f->steps.step[i].columns_count; k++)
            dvi_learnt_free(&f->learnt[i][k]);
    dvi_steps_free(&f->steps);
    dvi_free(&allocator, f, sizeof *f);
}

void dvi_fitted_release(dvi_fitted **fitted)
{
    dvi_fitted *f = *fitted;
    *fitted = NULL;
    if (f && atomic_fetch_sub(&f->refs, 1) == 1)
        destroy(f);
}

static void release_from_view(void *of)
{
    dvi_fitted *f = of;
    dvi_fitted_release(&f);
}

/* --- Columns made of columns ------------------------------------------------------------------ */

static const dv_view_class columns_class = DVI_MAPPER_CLASS("step", NULL, NULL);

static dv_status find_source(const dvi_step_column *column, const dv_schema *schema,
                             int32_t *column_out, dv_error *err)
{
    if (dv_schema_find(schema, column->sources[0], column_out) == DV_OK)
        return DV_OK;
    return dvi_fail_argument(err, "there is no column \"%s\"", dvi_show(column->sources[0]).text);
}

static dv_status plan_columns(dvi_mapper *mapper, dv_schema **schema_out, dvi_fitted *f, int32_t i,
                              dv_error *err)
{
    const dvi_step *step = &f->steps.step[i];
    const dv_schema *source = dv_view_schema(mapper->base.source);
    dvi_arena *arena = &mapper->base.arena;
    void *list;
    dvi_fitted_retain(f);
    DVI_TRY(dvi_arena_own(arena, release_from_view, f, err));
    DVI_TRY(
        dvi_arena_alloc(arena, &list, (size_t)step->columns_count * sizeof(dvi_new_column), err));
    dvi_new_column *made = list;
    for (int32_t k = 0; k < step->columns_count; k++) {
        int32_t column;
        made[k].name = step->columns[k].name;
        made[k].hides = -1;
        DVI_TRY(find_source(&step->columns[k], source, &column, err));
        const dv_status status =
            dvi_learnt_plan(&made[k], arena, step, &f->learnt[i][k], source, column, err);
        if (status < 0)
            dvi_error_within(err, "column \"%s\"", dvi_show(step->columns[k].sources[0]).text);
        DVI_TRY(status);
    }
    return dvi_mapper_arrange(mapper, schema_out, made, step->columns_count, err);
}

static dv_status apply_columns(dv_view **view_out, dvi_fitted *f, int32_t i, dv_view *source,
                               const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    DVI_TRY(dvi_mapper_create(&mapper, source, f->steps.step[i].columns_count, allocator, err));
    const dv_status status = plan_columns(mapper, &schema, f, i, err);
    return dvi_mapper_view(view_out, &columns_class, mapper, schema, status, err);
}

/* --- Other views ------------------------------------------------------------------------------ */

/* The columns of a step as texts or specs. In the arena of a call. */
typedef struct call {
    const dvi_step *step;
    dv_view *source;
    const dv_allocator *allocator;
    dv_text *names;
    dv_column_spec *specs;
    int32_t n;
} call;

static int64_t number_of(const call *c, const char *option)
{
    return dvi_step_option(c->step, option)->integer;
}

static dv_status convert(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    void *list;
    dv_type type;
    int32_t dims[8];
    const dvi_option_value *given = dvi_step_option(c->step, "type");
    const dv_text text = given->n > 0 ? given->texts[0] : dv_text_of("R4");
    DVI_TRY(dv_type_parse(&type, text, dims, 8, err));
    DVI_TRY(dvi_arena_alloc(arena, &list, (size_t)c->n * sizeof(dv_conversion_spec), err));
    dv_conversion_spec *specs = list;
    for (int32_t i = 0; i < c->n; i++)
        specs[i] = (dv_conversion_spec){
            .source = c->specs[i].source, .name = c->specs[i].name, .type = type};
    return dv_view_convert(view_out, c->source, specs, c->n, c->allocator, err);
}

static dv_inclusion inclusion_of(const call *c, const char *option)
{
    const dvi_option_value *value = dvi_step_option(c->step, option);
    if (!value->is_given)
        return DV_INCLUDED_BY_DEFAULT;
    return value->integer ? DV_INCLUDED : DV_EXCLUDED;
}

static dv_status filter_range(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    const dvi_option_value *min = dvi_step_option(c->step, "min");
    const dvi_option_value *max = dvi_step_option(c->step, "max");
    const dv_range range = {.has_min = min->n > 0,
                            .has_max = max->n > 0,
                            .min = min->number,
                            .max = max->number,
                            .include_min = inclusion_of(c, "includemin"),
                            .include_max = inclusion_of(c, "includemax"),
                            .complement = number_of(c, "complement")};
    if (c->n != 1)
        return dvi_fail_argument(err, "range takes one column, and has %d", c->n);
    return dv_view_filter_range(view_out, c->source, c->names[0], &range, c->allocator, err);
}

/* Combine the sources of each new column; a column of several new ones is a view each. */
static dv_status combine(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    dv_view *source = c->source, *made = NULL;
    dv_view_retain(source);
    dv_status status = DV_OK;
    for (int32_t i = 0; status == DV_OK && i < c->n; i++) {
        const dvi_step_column *column = &c->step->columns[i];
        void *list;
        status = dvi_arena_alloc(arena, &list, (size_t)column->n * sizeof(dv_column_spec), err);
        dv_column_spec *specs = list;
        for (int32_t k = 0; status == DV_OK && k < column->n; k++)
            specs[k] = (dv_column_spec){column->sources[k], dv_text_of(NULL)};
        if (status == DV_OK)
            status =
                dv_view_combine(&made, source, column->name, specs, column->n, c->allocator, err);
        if (status == DV_OK) {
            dv_view_release(&source);
            source = made;
        }
    }
    if (status == DV_OK)
        *view_out = source;
    else
        dv_view_release(&source);
    return status;
}

static dv_status copy(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    return dv_view_copy(view_out, c->source, c->specs, c->n, c->allocator, err);
}

static dv_status choose(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    return dv_view_select(view_out, c->source, c->specs, c->n,
                          number_of(c, "hidden") ? DV_HIDDEN_KEEP : DV_HIDDEN_DROP, c->allocator,
                          err);
}

static dv_status drop(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    return dv_view_drop(view_out, c->source, c->names, c->n, c->allocator, err);
}

static dv_status filter_na(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    return dv_view_filter_na(view_out, c->source, c->names, c->n, number_of(c, "complement"),
                             c->allocator, err);
}

static dv_status slice(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    return dv_view_slice(view_out, c->source, number_of(c, "skip"), number_of(c, "take"),
                         c->allocator, err);
}

static dv_status rowid(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    if (c->n != 1)
        return dvi_fail_argument(err, "rowid makes one column, and has names of %d", c->n);
    return dvi_rowid_view(view_out, c->source, c->names[0], c->allocator, err);
}

/* Of the steps that do not make columns of columns. */
static dv_status (*const views[DVI_STEPS])(dv_view **view_out, const call *c, dvi_arena *arena,
                                           dv_error *err) = {
    [DVI_STEP_convert] = convert,  [DVI_STEP_combine] = combine, [DVI_STEP_copy] = copy,
    [DVI_STEP_select] = choose,    [DVI_STEP_drop] = drop,       [DVI_STEP_range] = filter_range,
    [DVI_STEP_dropna] = filter_na, [DVI_STEP_slice] = slice,     [DVI_STEP_rowid] = rowid,
};

static dv_status read_call(call *c, dvi_arena *arena, dv_error *err)
{
    void *names, *specs;
    const size_t n = (size_t)c->step->columns_count;
    DVI_TRY(dvi_arena_alloc(arena, &names, n * sizeof(dv_text), err));
    DVI_TRY(dvi_arena_alloc(arena, &specs, n * sizeof(dv_column_spec), err));
    c->names = names;
    c->specs = specs;
    c->n = c->step->columns_count;
    for (int32_t i = 0; i < c->n; i++) {
        c->names[i] = c->step->columns[i].name;
        c->specs[i] = (dv_column_spec){c->step->columns[i].sources[0], c->names[i]};
    }
    return DV_OK;
}

/* --- All steps -------------------------------------------------------------------------------- */

static dv_status apply_step(dv_view **view_out, dvi_fitted *f, int32_t i, dv_view *source,
                            const dv_allocator *allocator, dv_error *err)
{
    dvi_arena arena;
    call c = {.step = &f->steps.step[i], .source = source, .allocator = allocator};
    dv_status status;
    *view_out = NULL;
    dvi_arena_init(&arena, allocator);
    if (dvi_makes_columns(c.step)) {
        status = apply_columns(view_out, f, i, source, allocator, err);
    } else {
        status = read_call(&c, &arena, err);
        if (status == DV_OK)
            status = views[c.step->info->step](view_out, &c, &arena, err);
    }
    dvi_arena_free(&arena);
    if (status < 0)
        dvi_error_within(err, "step %d, %s", (int)i + 1, c.step->info->name);
    return status;
}

static dv_status learn(dvi_fitted *f, int32_t i, dv_view *view, dv_error *err)
{
    const dvi_step *step = &f->steps.step[i];
    void *list;
    DVI_TRY(dvi_arena_alloc(&f->steps.arena, &list,
                            (size_t)step->columns_count * sizeof(dvi_learnt), err));
    f->learnt[i] = list;
    for (int32_t k = 0; dvi_makes_columns(step) && k < step->columns_count; k++) {
        int32_t column;
        dv_status status = find_source(&step->columns[k], dv_view_schema(view), &column, err);
        if (status == DV_OK)
            status = dvi_learn(&f->learnt[i][k], step, view, column, &f->allocator, err);
        if (status < 0)
            dvi_error_within(err, "step %d, %s", (int)i + 1, step->info->name);
        DVI_TRY(status);
    }
    return DV_OK;
}

/* Apply all steps to the view; with is_fitting learn each one first. */
static dv_status run(dv_view **view_out, dvi_fitted *f, dv_view *view, bool is_fitting,
                     const dv_allocator *allocator, dv_error *err)
{
    dv_status status = DV_OK;
    dv_view_retain(view);
    for (int32_t i = 0; status == DV_OK && i < f->steps.count; i++) {
        dv_view *made = NULL;
        if (is_fitting)
            status = learn(f, i, view, err);
        if (status == DV_OK)
            status = apply_step(&made, f, i, view, allocator, err);
        if (status == DV_OK) {
            dv_view_release(&view);
            view = made;
        }
    }
    if (status < 0)
        dv_view_release(&view);
    *view_out = view;
    return status;
}

dv_status dvi_fit(dvi_fitted **fitted_out, dvi_steps *steps, dv_view *view,
                  const dv_allocator *allocator, dv_error *err)
{
    void *made, *list;
    dv_view *applied;
    const dv_allocator with = dvi_allocator_of(allocator);
    *fitted_out = NULL;
    const dv_status room = dvi_alloc_zeroed(&with, &made, sizeof(dvi_fitted), err);
    if (room < 0) {
        dvi_steps_free(steps);
        return room;
    }
    dvi_fitted *f = made;
    atomic_init(&f->refs, 1);
    f->allocator = with;
    f->steps = *steps;
    *steps = (dvi_steps){0};
    dv_status status =
        dvi_arena_alloc(&f->steps.arena, &list, (size_t)f->steps.count * sizeof *f->learnt, err);
    if (status == DV_OK) {
        f->learnt = list;
        status = run(&applied, f, view, true, allocator, err);
    }
    if (status == DV_OK) {
        dv_view_release(&applied);
        *fitted_out = f;
    } else {
        dvi_fitted_release(&f);
    }
    return status;
}

dv_status dvi_fitted_apply(dv_view **view_out, dvi_fitted *f, dv_view *source,
                           const dv_allocator *allocator, dv_error *err)
{
    return run(view_out, f, source, false, allocator, err);
}
