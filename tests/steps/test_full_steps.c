/* SPDX-License-Identifier: MIT */
/* test_full_steps.c: a step whose learners are full before they see a row does not wait for a
 * pass. */
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/pipeline.h>
#include <dataview/step.h>
#include <dataview/table.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 3000

static atomic_int learners, learned_alive;

/* --- A step that adds 1, and wants rows of all columns but the first -------------------------- */

static dv_status begin(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    if (dv_schema_column(b->schema, b->sources[0])->type.kind != DV_KIND_I8)
        return dv_error_set(err, DV_ERR_ARGUMENT, "plus takes I8");
    bool *is_full = malloc(sizeof *is_full);
    cr_assert(is_full);
    *is_full = b->sources[0] != 1;
    *learner_out = is_full;
    learners++;
    return DV_OK;
}

static void free_learner(void *learner)
{
    free(learner);
    learners--;
}

static dv_status see(void *learner, const dv_column_view *const *sources, int64_t place,
                     dv_error *err)
{
    (void)learner;
    (void)sources;
    (void)place;
    (void)err;
    return DV_OK;
}

static bool is_full(const void *learner)
{
    return *(const bool *)learner;
}

static dv_status merge(void **list, int32_t n, dv_error *err)
{
    (void)list;
    (void)n;
    (void)err;
    return DV_OK;
}

static dv_status finish(void **learned_out, void **learner, const dv_step_binding *b, dv_error *err)
{
    (void)b;
    (void)err;
    *learned_out = *learner;
    *learner = NULL;
    learners--;
    learned_alive++;
    return DV_OK;
}

static void free_learned(void *learned)
{
    free(learned);
    learned_alive--;
}

static dv_status type(dv_type *type_out, const dv_step_binding *b, void *learned, dv_error *err)
{
    (void)b;
    (void)err;
    cr_expect_not_null(learned);
    *type_out = dv_type_of(DV_KIND_I8);
    return DV_OK;
}

static void free_values(void *values)
{
    free(values);
}

static dv_status fill(dv_column_view *out, const dv_step_filling *f, dv_error *err)
{
    const size_t n = (size_t)f->rows;
    int64_t *values = malloc(n * sizeof *values);
    cr_assert(values);
    for (size_t i = 0; i < n; i++)
        values[i] = ((const int64_t *)f->sources[0]->as.fixed.values.data)[i] + 1;
    out->layout = DV_LAYOUT_FIXED;
    return dv_buffer_wrap(&out->as.fixed.values, values, n * sizeof *values, 8, free_values, values,
                          NULL, err);
}

static const dv_transform_info info = {
    .name = "plus", .ml_net = "", .summary = "Add 1.", .columns = DV_STEP_COLUMNS_ONE};
static const dv_step_class class = {.size = sizeof(dv_step_class),
                                    .version = 1,
                                    .begin = begin,
                                    .free_learner = free_learner,
                                    .see = see,
                                    .is_full = is_full,
                                    .merge = merge,
                                    .finish = finish,
                                    .free_learned = free_learned,
                                    .type = type,
                                    .fill = fill};

/* Once in a process. */
static void add_step(void)
{
    static bool is_done;
    dv_error err = DV_ERROR_INIT;
    if (is_done)
        return;
    is_done = true;
    cr_assert_eq(dv_step_register(&info, &class, &err), DV_OK, "%s", err.message);
}

static void expect_all_freed(void)
{
    cr_expect_eq(learners, 0);
    cr_expect_eq(learned_alive, 0);
}

TestSuite(full_steps, .init = add_step, .fini = expect_all_freed);

/* --- Fitting ---------------------------------------------------------------------------------- */

static int64_t first[ROWS], second[ROWS];
static float third[ROWS];
static dvt_made_table table;

/* Columns a, b and c; a is 0, 1, 2, ... */
static dv_view *open_table(void)
{
    for (int i = 0; i < ROWS; i++)
        first[i] = second[i] = i;
    table = (dvt_made_table){
        .columns = 3, .rows = ROWS, .block_rows = 100, .in_blocks = true, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), first, ROWS);
    table.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_I8), second, ROWS);
    table.column[2] = dvt_made_fixed(dv_type_of(DV_KIND_R4), third, ROWS);
    return dvt_made_table_open(&table, NULL);
}

static dv_pipeline *parsed(const char *text)
{
    dv_pipeline *pipeline;
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(text), NULL, NULL), DV_OK);
    return pipeline;
}

static dv_fitted *fitted_on(dv_view *view, const char *text, int32_t threads)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dv_fit_options how = DV_FIT_OPTIONS_INIT;
    dv_pipeline *pipeline = parsed(text);
    how.threads = threads;
    cr_assert_eq(dv_fit(&fitted, pipeline, view, &how, NULL, &err), DV_OK, "%s", err.message);
    dv_pipeline_release(&pipeline);
    return fitted;
}

static int64_t first_of(dv_view *view, const char *name)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int32_t column;
    dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
    cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of(name), &column), DV_OK);
    how.columns = &column;
    how.columns_count = 1;
    cr_assert_eq(dv_cursor_open(&cursor, view, &how, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    const dv_value value = dv_value_at(dv_batch_column(batch, 0), 0);
    const int64_t number = dv_value_i8(&value);
    dv_cursor_close(&cursor);
    return number;
}

/* The first term of the step that learned terms, counted from 0. */
static int64_t first_term(dv_fitted *fitted, int32_t k)
{
    dv_fitted_state state;
    cr_assert_eq(dv_fitted_table(&state, fitted, k, NULL), DV_OK);
    const int64_t number = first_of(state.view, "Term");
    dv_view_release(&state.view);
    return number;
}

Test(full_steps, no_row_is_read)
{
    dv_view *view = open_table(), *made;
    dv_fitted *fitted = fitted_on(view, "plus x:a", 2);
    cr_expect_eq(dv_fitted_inspect(fitted).passes, 0);
    cr_expect_eq(table.read, 0);
    cr_assert_eq(dv_fitted_apply(&made, fitted, view, NULL, NULL), DV_OK);
    cr_expect_eq(first_of(made, "x"), 1);
    dv_view_release(&made);
    dv_fitted_release(&fitted);
    dv_view_release(&view);
}

/* What it makes is learned from in the pass of those before it; unless they read, or make, a column
 * that it replaces. */
Test(full_steps, others_learn_in_the_same_pass)
{
    static const struct {
        const char *text;
        int32_t passes;
        int64_t terms[2];
    } tests[] = {{"term k:b; plus x:a; term t:x", 1, {0, 1}},
                 {"term k:a; plus a; term t:a", 2, {0, 1}},
                 {"term k:b; plus k:a; term t:k", 2, {0, 1}},
                 {"plus x:a; plus x; term k:x; term t:a", 1, {2, 0}}};
    dv_view *view = open_table();
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        dv_fitted *fitted = fitted_on(view, tests[i].text, 1 + (int32_t)i % 2);
        cr_expect_eq(dv_fitted_inspect(fitted).passes, tests[i].passes, "%s", tests[i].text);
        for (int32_t k = 0; k < 2; k++)
            cr_expect_eq(first_term(fitted, k), tests[i].terms[k], "%s, %d", tests[i].text, (int)k);
        dv_fitted_release(&fitted);
    }
    dv_view_release(&view);
}

/* A column that wants rows lets the others wait too. */
Test(full_steps, one_column_waits)
{
    dv_view *view = open_table();
    dv_fitted *fitted = fitted_on(view, "plus x:a y:b", 2);
    cr_expect_eq(dv_fitted_inspect(fitted).passes, 1);
    cr_expect_eq(learned_alive, 2);
    dv_fitted_release(&fitted);
    dv_view_release(&view);
}

Test(full_steps, take_no_memory)
{
    dv_fit_need needs[3];
    dv_view *view = open_table();
    dv_pipeline *pipeline = parsed("plus x:a; plus y:b; normalize c");
    cr_assert_eq(dv_fit_needs(needs, pipeline, view, ROWS, NULL, NULL, NULL), DV_OK);
    cr_expect_eq(needs[0].nbytes, 0);
    cr_expect_eq(needs[1].nbytes, -1);
    cr_expect_gt(needs[2].nbytes, 0);
    dv_pipeline_release(&pipeline);
    dv_view_release(&view);
}

Test(full_steps, errors_name_step_and_column)
{
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = open_table();
    dv_pipeline *pipeline = parsed("plus x:a; plus z:c");
    cr_expect_eq(dv_fit(&fitted, pipeline, view, NULL, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_not_null(strstr(err.message, "step 2, plus: column \"c\": plus takes I8"), "%s",
                       err.message);
    cr_expect_null(fitted);
    dv_pipeline_release(&pipeline);
    dv_view_release(&view);
}
