/* SPDX-License-Identifier: MIT */
/* fitted.c: applies the steps of a fitted pipeline, and shows what they have learnt. */
#include "pipeline/fitted.h"
#include "base/alloc.h"
#include "base/check.h"
#include <stdio.h>
#include <string.h>

dv_status dvi_fitted_create(dv_fitted **fitted_out, dv_pipeline *pipeline, int32_t room,
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
    f->left_out = dv_text_of("");
    dvi_arena_init(&f->arena, &f->allocator);
    dv_pipeline_retain(pipeline);
    f->pipeline = pipeline;
    dv_status status =
        dvi_arena_alloc(&f->arena, &list, ((size_t)n + (size_t)room) * sizeof *f->learned, err);
    if (status == DV_OK)
        f->learned = list;
    for (int32_t i = 0; status == DV_OK && i < n; i++) {
        const size_t columns = (size_t)pipeline->steps.step[i].columns_count;
        status = dvi_arena_alloc(&f->arena, &list, columns * sizeof(void *), err);
        f->learned[i] = list;
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
    for (int32_t i = 0; f->learned && i < steps->count; i++)
        for (int32_t k = 0; f->learned[i] && k < steps->step[i].columns_count; k++)
            dvi_learned_free(&steps->step[i], f->learned[i][k]);
    dvi_arena_free(&f->arena);
    dv_view_release(&f->again);
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

dv_text dv_fitted_left_out(const dv_fitted *f)
{
    return f->left_out;
}

int32_t dv_fitted_inputs(const dv_fitted *f)
{
    return f->inputs_count;
}

dv_fitted_input dv_fitted_input_at(const dv_fitted *f, int32_t i)
{
    return f->inputs[i];
}

/* --- Columns made of columns ------------------------------------------------------------------ */

static const dv_view_class columns_class = DVI_MAPPER_CLASS("step", NULL, NULL);

static dv_status find_source(int32_t *column_out, dv_text name, const dv_schema *schema,
                             bool may_miss, dv_error *err)
{
    if (!may_miss)
        return dvi_find_column(schema, name, column_out, err);
    if (dv_schema_find(schema, name, column_out) != DV_OK)
        *column_out = -1;
    return DV_OK;
}

/* The number of options of a kind of step that name columns. */
static int32_t count_others(const dvi_step *step)
{
    int32_t n = 0;
    const char *const *option = step->cls->open.column_options;
    while (option && option[n])
        n++;
    return n;
}

static dv_status add_source(dv_step_binding *b, int32_t *sources, dv_text name, bool may_miss,
                            dv_error *err)
{
    DVI_TRY(find_source(&sources[b->sources_count], name, b->schema, may_miss, err));
    b->sources_count++;
    return DV_OK;
}

dv_status dvi_step_bind(dv_step_binding *b, const dvi_step *step, int32_t k,
                        const dv_schema *schema, bool learns, dvi_arena *arena, dv_error *err)
{
    void *list;
    const dv_step_class *cls = &step->cls->open;
    const dvi_step_column *column = &step->columns[k];
    const int32_t others = learns ? count_others(step) : 0;
    const size_t most = (size_t)column->n + (size_t)others;
    DVI_TRY(dvi_arena_alloc(arena, &list, most * sizeof(int32_t), err));
    b->step = step;
    b->column = k;
    b->schema = schema;
    b->sources = list;
    b->sources_count = 0;
    for (int32_t i = 0; i < column->n; i++)
        DVI_TRY(add_source(b, list, column->sources[i], learns && cls->takes_missing, err));
    for (int32_t i = 0; i < others; i++)
        if (dv_step_texts(step, cls->column_options[i]) > 0)
            DVI_TRY(add_source(b, list, dv_step_text(step, cls->column_options[i], 0), false, err));
    return dvi_step_check_trust(step, b, err);
}

/* Plan the further column of a step of one column. */
static dv_status plan_extra(dvi_new_column *made, dv_fitted *f, int32_t i, dvi_mapper *mapper,
                            dv_error *err)
{
    const dvi_step *step = &f->pipeline->steps.step[i];
    dvi_arena *arena = &mapper->base.arena;
    dv_step_binding binding = {.allocator = &arena->allocator};
    if (step->columns_count != 1)
        return dvi_fail_argument(err, "option \"%s\" is for a step of one column, which has %d",
                                 step->cls->extra_options[0], (int)step->columns_count);
    dvi_step_extras(step, &made->name);
    made->hides = -1;
    DVI_TRY(
        dvi_step_bind(&binding, step, 0, dv_view_schema(mapper->base.source), false, arena, err));
    return step->cls->plan_extra(made, arena, &binding, err);
}

static dv_status plan_columns(dvi_mapper *mapper, dv_schema **schema_out, dv_fitted *f, int32_t i,
                              bool reads_again, dv_error *err)
{
    const dvi_step *step = &f->pipeline->steps.step[i];
    const dv_schema *source = dv_view_schema(mapper->base.source);
    dvi_arena *arena = &mapper->base.arena;
    void *list;
    dv_fitted_retain(f);
    DVI_TRY(dvi_arena_own(arena, release_owned, f, err));
    DVI_TRY(dvi_arena_alloc(arena, &list,
                            ((size_t)step->columns_count + 1) * sizeof(dvi_new_column), err));
    dvi_new_column *made = list;
    dv_text extras[DVI_STEP_EXTRAS];
    if (dvi_step_extras(step, extras) > 0)
        DVI_TRY(plan_extra(made++, f, i, mapper, err));
    for (int32_t k = 0; k < step->columns_count; k++) {
        dvi_plan_binding binding = {.shown.allocator = &arena->allocator,
                                    .reads_again = reads_again};
        *made = (dvi_new_column){.name = step->columns[k].name, .hides = -1};
        DVI_TRY(dvi_step_bind(&binding.shown, step, k, source, false, arena, err));
        const dv_status status =
            step->cls->plan(made, arena, &binding.shown, f->learned[i][k], err);
        if (status < 0)
            dvi_fitted_within_column(step->columns[k].sources[0], err);
        DVI_TRY(status);
        made += made->mapped.maker != NULL;
    }
    return dvi_mapper_arrange(mapper, schema_out, list, (int32_t)(made - (dvi_new_column *)list),
                              err);
}

static dv_status apply_columns(dv_view **view_out, dv_fitted *f, int32_t i, dv_view *source,
                               bool reads_again, const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    const int32_t n = f->pipeline->steps.step[i].columns_count;
    DVI_TRY(dvi_mapper_create(&mapper, source, n + 1, allocator, err));
    const dv_status status = plan_columns(mapper, &schema, f, i, reads_again, err);
    return dvi_mapper_view(view_out, &columns_class, mapper, schema, status, err);
}

/* If there are several sources, the message may already name the right one. */
void dvi_fitted_within_column(dv_text name, dv_error *err)
{
    if (err && !strstr(err->message, "column \""))
        dvi_error_within(err, "column \"%s\"", dvi_show(name).text);
}

/* --- All steps -------------------------------------------------------------------------------- */

void dvi_fitted_within(const dv_fitted *f, int32_t i, dv_error *err)
{
    dvi_error_within(err, "step %d, %s", (int)(i - f->put_in) + 1,
                     f->pipeline->steps.step[i].info->name);
}

/* Does one of the first n steps make a column of that name? */
static bool is_made(const dv_fitted *f, int32_t n, dv_text name)
{
    for (int32_t i = 0; i < n; i++) {
        const dvi_step *step = &f->pipeline->steps.step[i];
        if (dvi_step_makes_extra(step, name))
            return true;
        for (int32_t k = 0; dvi_step_adds_columns(step) && k < step->columns_count; k++)
            if (dv_text_equal(step->columns[k].name, name))
                return true;
    }
    return false;
}

/* If it keeps a column that steps make, `select` leaves out labels: columns that the table lacks
 * and no step makes. columns: room for as many as the step has. */
static dvi_step without_labels(dvi_step_column *columns, const dv_fitted *f, int32_t i,
                               const dv_schema *schema)
{
    bool has_made = false;
    dvi_step step = f->pipeline->steps.step[i];
    const int32_t n = step.columns_count;
    int32_t kept = 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t ignored;
        const dv_text name = step.columns[k].sources[0];
        const bool is_there = dv_schema_find(schema, name, &ignored) == DV_OK;
        const bool made = is_made(f, i, name);
        has_made = has_made || made;
        if (is_there || made)
            columns[kept++] = step.columns[k];
    }
    if (has_made && kept < n) {
        step.columns = columns;
        step.columns_count = kept;
    }
    return step;
}

static dv_status apply_select(dv_view **view_out, dv_fitted *f, int32_t i, dv_view *source,
                              const dv_allocator *allocator, dv_error *err)
{
    void *list;
    dvi_arena arena;
    const dvi_step *all = &f->pipeline->steps.step[i];
    dvi_arena_init(&arena, &f->allocator);
    dv_status status =
        dvi_arena_alloc(&arena, &list, (size_t)all->columns_count * sizeof *all->columns, err);
    if (status == DV_OK) {
        const dvi_step step = without_labels(list, f, i, dv_view_schema(source));
        status = all->cls->open.view(view_out, &step, NULL, source, allocator, err);
    }
    dvi_arena_free(&arena);
    return status;
}

dv_status dvi_fitted_apply_step(dv_view **view_out, dv_fitted *f, int32_t i, dv_view *source,
                                bool reads_again, const dv_allocator *allocator, dv_error *err)
{
    const dvi_step *step = &f->pipeline->steps.step[i];
    const bool makes_columns = dvi_step_makes_columns(step);
    *view_out = NULL;
    dv_status status = makes_columns ? DV_OK : dvi_step_check_trust(step, NULL, err);
    if (status == DV_OK && makes_columns)
        status = apply_columns(view_out, f, i, source, reads_again, allocator, err);
    else if (status == DV_OK && step->cls == &dvi_class_select && !reads_again)
        status = apply_select(view_out, f, i, source, allocator, err);
    else if (status == DV_OK)
        status = step->cls->open.view(view_out, step, f->learned[i], source, allocator, err);
    if (status < 0)
        dvi_fitted_within(f, i, err);
    return status;
}

/* Say what lets a table lack a column. */
static void advise_optional(dv_error *err)
{
    char advice[2 * sizeof err->found];
    if (!err || strcmp(err->expected, "a name of the schema") != 0)
        return;
    snprintf(advice, sizeof advice, "if tables may lack it, put \"optional %s\" first", err->found);
    dvi_error_advise(err, advice);
}

/* A step that refuses a view does not know the one that the pipeline was fitted on. */
static void compare_inputs(const dv_fitted *f, const dv_schema *schema, dv_error *err)
{
    for (int32_t i = 0; i < f->inputs_count; i++) {
        char type[128];
        int32_t column;
        const dv_fitted_input *input = &f->inputs[i];
        if (dv_schema_find(schema, input->name, &column) != DV_OK)
            continue;
        dv_type_print(&dv_schema_column(schema, column)->type, type, sizeof type);
        if (!dv_text_equal(input->type, dv_text_of(type))) {
            dvi_error_within(err, "\"%s\" was %s when fitted, and is %s",
                             dvi_show(input->name).text, dvi_show(input->type).text, type);
            if (f->keys[i].count > 0)
                dvi_fitted_advise_keys(input->name, err);
            return;
        }
    }
}

dv_status dv_fitted_apply(dv_view **view_out, dv_fitted *f, dv_view *source,
                          const dv_allocator *allocator, dv_error *err)
{
    dv_view *view = source;
    dv_status status = DV_OK;
    *view_out = NULL;
    if (source != f->again)
        DVI_TRY(dvi_fitted_check_keys(f, dv_view_schema(source), err));
    dv_view_retain(view);
    for (int32_t i = 0; status == DV_OK && i < f->pipeline->steps.count; i++) {
        dv_view *made;
        status = dvi_fitted_apply_step(&made, f, i, view, source == f->again, allocator, err);
        dv_view_release(&view);
        view = made;
    }
    if (status == DV_ERR_ARGUMENT) {
        advise_optional(err);
        compare_inputs(f, dv_view_schema(source), err);
    }
    *view_out = view;
    return status;
}

/* --- What was learned ------------------------------------------------------------------------- */

static int32_t tables_of(const dv_fitted *f, int32_t step, int32_t column)
{
    return f->learned[step][column] ? dvi_step_tables(&f->pipeline->steps.step[step]) : 0;
}

dv_status dvi_fitted_seal(dv_fitted *f, dv_error *err)
{
    const dvi_steps *steps = &f->pipeline->steps;
    f->info.tables = 0;
    for (int32_t i = 0; i < steps->count; i++)
        for (int32_t k = 0; k < steps->step[i].columns_count; k++) {
            const dvi_tables_of of = {f->info.tables, i, k};
            const int32_t n = tables_of(f, i, k);
            if (n > 0)
                DVI_TRY(
                    dvi_arena_append(&f->arena, &f->tables, f->tables_count, &of, sizeof of, err));
            f->tables_count += n > 0;
            f->info.tables += n;
        }
    return DV_OK;
}

dv_fitted_info dv_fitted_inspect(const dv_fitted *f)
{
    return f->info;
}

/* The first entry of `tables` that is_below refuses; entries before it satisfy it. */
static int32_t partition(const dv_fitted *f, bool (*is_below)(const dvi_tables_of *of, int32_t n),
                         int32_t n)
{
    int32_t from = 0, to = f->tables_count;
    while (from < to) {
        const int32_t middle = from + (to - from) / 2;
        if (is_below(&f->tables[middle], n))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static bool is_of_step_below(const dvi_tables_of *of, int32_t step)
{
    return of->step < step;
}

static bool begins_up_to(const dvi_tables_of *of, int32_t table)
{
    return of->first <= table;
}

int32_t dv_fitted_first_table(const dv_fitted *f, int32_t step)
{
    const int32_t i = partition(f, is_of_step_below, step);
    return i < f->tables_count ? f->tables[i].first : f->info.tables;
}

static dv_status show(dv_fitted_state *state, const dv_fitted *f, int32_t i, int32_t k,
                      int32_t table, dv_error *err)
{
    const dvi_step *step = &f->pipeline->steps.step[i];
    state->step = i;
    state->column = step->columns[k].name;
    state->name = dvi_step_table(step, table);
    return step->cls->open.show(&state->view, f->learned[i][k], table, &f->allocator, err);
}

dv_status dv_fitted_table(dv_fitted_state *state_out, dv_fitted *fitted, int32_t table,
                          dv_error *err)
{
    *state_out = (dv_fitted_state){.step = -1};
    if (table < 0 || table >= fitted->info.tables)
        return dvi_fail_argument(err, "the fitted pipeline has %d tables; there is no table %d",
                                 (int)fitted->info.tables, (int)table);
    const dvi_tables_of *of = &fitted->tables[partition(fitted, begins_up_to, table) - 1];
    return show(state_out, fitted, of->step, of->column, table - of->first, err);
}
