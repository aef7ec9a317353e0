/* SPDX-License-Identifier: MIT */
/* step_compute.c: compute, a column from an expression. */
#include "base/check.h"
#include "expr/expr.h"
#include "steps/step_class.h"
#include <dataview/expression.h>

/* In the notation of steps, text in single quotes keeps them: a constant text, and a mistake. */
static dv_status check(dv_text expression, const dv_allocator *allocator, dv_error *err)
{
    dvi_arena arena;
    dvi_expr *root;
    dvi_arena_init(&arena, allocator);
    dv_status status = dvi_expr_parse(&root, &arena, expression, err);
    if (status == DV_OK && root->op == DVI_EXPR_TEXT)
        status = dvi_fail_argument(err,
                                   "the value of compute is a text and no expression: "
                                   "value=\"%s\"",
                                   dvi_show(root->text).text);
    dvi_arena_free(&arena);
    return status;
}

static dv_status compute(dv_view **view_out, const dv_step *step, void *const *learned,
                         dv_view *source, const dv_allocator *allocator, dv_error *err)
{
    const dvi_option_value *value = dvi_step_option(step, "value");
    (void)learned;
    if (step->columns_count != 1)
        return dvi_fail_argument(err, "compute makes one column, and has names of %d",
                                 (int)step->columns_count);
    const dv_computed column = {step->columns[0].name,
                                value->n > 0 ? value->texts[0] : dv_text_of("")};
    DVI_TRY(check(column.expression, allocator, err));
    return dv_view_compute(view_out, source, &column, 1, allocator, err);
}

static dv_status add_columns(dv_text **names, int32_t *n, const dvi_expr *e, dvi_arena *arena,
                             dv_error *err)
{
    if (e->op == DVI_EXPR_COLUMN) {
        DVI_TRY(dvi_arena_append(arena, names, *n, &e->text, sizeof e->text, err));
        ++*n;
    }
    for (int32_t i = 0; i < e->n; i++)
        DVI_TRY(add_columns(names, n, e->args[i], arena, err));
    return DV_OK;
}

static dv_status reads(dv_text **names_out, int32_t *n_out, const dv_step *step, dvi_arena *arena,
                       dv_error *err)
{
    const dvi_option_value *value = dvi_step_option(step, "value");
    dvi_expr *root;
    *names_out = NULL;
    *n_out = 0;
    if (value->n == 0)
        return DV_OK;
    DVI_TRY(dvi_expr_parse(&root, arena, value->texts[0], err));
    return add_columns(names_out, n_out, root, arena, err);
}

const dvi_step_class dvi_class_compute = {
    .open = {.size = sizeof(dv_step_class), .version = 1, .makes_only = true, .view = compute},
    .reads = reads};
