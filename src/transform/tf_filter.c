/* SPDX-License-Identifier: MIT */
/* tf_filter.c: rows for which all conditions hold (transform.h; NAFilter: semantics:7.13). */
#include "base/check.h"
#include "codec/date_order.h"
#include "transform/row_filter.h"
#include <dataview/expression.h>
#include <dataview/transform.h>
#include <string.h>

/* --- Conditions ------------------------------------------------------------------------------- */

static dv_status check_value(const dv_type *type, dv_text given, dv_error *err)
{
    char what[128] = "value of type ";
    const size_t n = strlen(what);
    dv_scalar scalar;
    dv_type_print(type, what + n, sizeof what - n);
    if (type->rank > 0 || (!type->is_key && !dv_type_is_standard_scalar(type)))
        return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "column to compare",
                        "a scalar, neither BY nor an extension|%s", what + n);
    if ((type->kind == DV_KIND_DT || type->kind == DV_KIND_DZ) && dvi_date_needs_rule(given, NULL))
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:6.8", -1, "condition",
                        "a date with the year first, as 2023-02-17|%s", dvi_show(given).text);
    if (given.nbytes < 0 || given.nbytes > INT32_MAX || !dvi_expr_read_value(&scalar, type, given))
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:4.3", -1, "condition", "a %s|%s", what,
                        dvi_show(given).text);
    return DV_OK;
}

static dv_status add_value(dvi_row_filter *f, dvi_expr *relation, const dv_column_info *column,
                           dv_text given, dv_error *err)
{
    dvi_expr *value;
    const dv_status status = check_value(&column->type, given, err);
    if (status < 0) {
        dvi_error_within(err, "column \"%s\"", dvi_show(column->name).text);
        return status;
    }
    DVI_TRY(dvi_row_filter_add(f, relation, DVI_EXPR_TEXT, &value, err));
    return dvi_arena_text(&f->base.arena, &value->text, given, err);
}

/* Add a condition.  Where NA is one of its relations, the other relations must not hold. */
static dv_status add_condition(dvi_row_filter *f, dvi_expr *all, const dv_condition *given,
                               dv_error *err)
{
    const dv_schema *schema = dv_view_schema(f->base.source);
    unsigned relations = given->relations;
    dvi_expr *whole = all, *test, *left;
    int32_t column;
    if (relations == 0 || relations > (DV_IS_VALUE | DV_IS_NA))
        return dvi_fail_argument(err, "relations are 0x%x; combine DV_IS_LESS and the like",
                                 relations);
    DVI_TRY(dvi_find_column(schema, given->column, &column, err));
    const dv_column_info *info = dv_schema_column(schema, column);
    if (relations & DV_IS_NA) {
        relations ^= DV_IS_VALUE | DV_IS_NA;
        DVI_TRY(dvi_row_filter_add(f, all, DVI_EXPR_NOT, &whole, err));
    }
    if (relations == 0) /* false */
        return dvi_row_filter_add(f, whole, DVI_EXPR_LOGICAL, &test, err);
    const bool has_value = relations != DV_IS_VALUE;
    DVI_TRY(
        dvi_row_filter_add(f, whole, has_value ? DVI_EXPR_RELATION : DVI_EXPR_IS_NA, &test, err));
    test->relations = relations;
    test->is_not = !has_value;
    DVI_TRY(dvi_row_filter_add(f, test, DVI_EXPR_COLUMN, &left, err));
    left->text = info->name;
    return has_value ? add_value(f, test, info, given->value, err) : DV_OK;
}

dv_status dv_view_filter(dv_view **view_out, dv_view *source, const dv_condition *conditions,
                         int32_t n, const dv_allocator *allocator, dv_error *err)
{
    dvi_row_filter *filter;
    dvi_expr *all;
    *view_out = NULL;
    if (n < 0)
        return dvi_fail_argument(err, "%d conditions; the number must be >= 0", (int)n);
    DVI_TRY(dvi_row_filter_create(&filter, source, allocator, err));
    dv_status status = dvi_row_filter_add(filter, NULL, DVI_EXPR_AND, &all, err);
    for (int32_t i = 0; i < n && status == DV_OK; i++)
        status = add_condition(filter, all, &conditions[i], err);
    return dvi_row_filter_view(view_out, filter, status, err);
}

dv_status dv_view_filter_na(dv_view **view_out, dv_view *source, const dv_text *columns, int32_t n,
                            bool complement, const dv_allocator *allocator, dv_error *err)
{
    dvi_row_filter *filter;
    dvi_expr *whole = NULL, *all;
    *view_out = NULL;
    if (n < 0)
        return dvi_fail_argument(err, "%d conditions; the number must be >= 0", (int)n);
    DVI_TRY(dvi_row_filter_create(&filter, source, allocator, err));
    dv_status status = DV_OK;
    if (complement)
        status = dvi_row_filter_add(filter, NULL, DVI_EXPR_NOT, &whole, err);
    if (status == DV_OK)
        status = dvi_row_filter_add(filter, whole, DVI_EXPR_AND, &all, err);
    for (int32_t i = 0; i < n && status == DV_OK; i++) {
        const dv_condition is_there = {columns[i], DV_IS_VALUE, dv_text_of(NULL)};
        status = add_condition(filter, all, &is_there, err);
    }
    return dvi_row_filter_view(view_out, filter, status, err);
}

/* --- Expressions ------------------------------------------------------------------------------ */

/* Does the part only look at a column, or compare it with a constant?  It never fails. */
static bool is_plain(const dvi_expr *part)
{
    if (part->op == DVI_EXPR_IS_NA)
        return part->args[0]->op == DVI_EXPR_COLUMN;
    if (part->op != DVI_EXPR_RELATION)
        return false;
    const dvi_expr *column = part->args[0], *constant = part->args[1];
    if (dvi_expr_is_constant(column)) {
        column = part->args[1];
        constant = part->args[0];
    }
    return column->op == DVI_EXPR_COLUMN && dvi_expr_is_constant(constant) &&
           (column->form != DVI_EXPR_FORM_INTEGER || column->type->kind != DV_KIND_U8);
}

/* Have plain parts of `and` evaluated before the others (expressions:T1). */
static dv_status put_plain_first(dvi_expr *root, dvi_arena *arena, dv_error *err)
{
    const size_t nbytes = (size_t)root->n * sizeof *root->args;
    int32_t plain = 0, rest = 0;
    void *others;
    if (root->op != DVI_EXPR_AND)
        return DV_OK;
    DVI_TRY(dvi_arena_alloc(arena, &others, nbytes, err));
    for (int32_t i = 0; i < root->n; i++)
        if (is_plain(root->args[i]))
            root->args[plain++] = root->args[i];
        else
            ((dvi_expr **)others)[rest++] = root->args[i];
    memcpy(root->args + plain, others, (size_t)rest * sizeof *root->args);
    return DV_OK;
}

dv_status dv_view_where(dv_view **view_out, dv_view *source, dv_text text,
                        const dv_allocator *allocator, dv_error *err)
{
    dvi_row_filter *f;
    *view_out = NULL;
    DVI_TRY(dvi_row_filter_create(&f, source, allocator, err));
    dvi_arena *arena = &f->base.arena;
    dv_status status = dvi_expr_bind(&f->condition, arena, text, dv_view_schema(source), err);
    if (status == DV_OK)
        status = dvi_expr_check_condition(&f->condition, err);
    if (status == DV_OK)
        status = dvi_expr_store(&f->stored, arena, f->condition.root, err);
    if (status == DV_OK)
        status = put_plain_first(f->condition.root, arena, err);
    return dvi_row_filter_view(view_out, f, status, err);
}
