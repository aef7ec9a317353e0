/* SPDX-License-Identifier: MIT */
/* tf_filter_range.c: rows with a number in a range (semantics:7.14, RangeFilter). */
#include "base/check.h"
#include "transform/row_filter.h"
#include <dataview/transform.h>
#include <math.h>

static dv_status check_type(const dv_column_info *info, dv_error *err)
{
    char type[96];
    const dv_type *of = &info->type;
    const bool is_real = of->kind == DV_KIND_R4 || of->kind == DV_KIND_R8;
    if (of->rank == 0 && (of->is_key ? of->key_count > 0 : is_real))
        return DV_OK;
    dv_type_print(of, type, sizeof type);
    dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.14", -1, "column for a range",
             "R4, R8 or a key with a count|%s", type);
    dvi_error_within(err, "column \"%s\"", dvi_show(info->name).text);
    return DV_ERR_ARGUMENT;
}

static dv_status add_bound(dvi_row_filter *f, dvi_expr *whole, dv_text column, unsigned relations,
                           double bound, dv_error *err)
{
    dvi_expr *relation, *left, *right;
    DVI_TRY(dvi_row_filter_add(f, whole, DVI_EXPR_RELATION, &relation, err));
    DVI_TRY(dvi_row_filter_add(f, relation, DVI_EXPR_COLUMN, &left, err));
    DVI_TRY(dvi_row_filter_add(f, relation, DVI_EXPR_REAL, &right, err));
    relation->relations = relations;
    left->text = column;
    left->is_share = true;
    right->real = bound;
    return DV_OK;
}

/* Apply the defaults of the bounds. Bounds of a key outside 0..1 are ignored.  NaN and NA are in no
 * range and in no complement of one: both are made of comparisons, which hold for neither. */
static dv_status add_range(dvi_row_filter *f, dv_text name, const dv_range *given, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(f->base.source);
    dvi_expr *whole;
    int32_t column;
    DVI_TRY(dvi_find_column(schema, name, &column, err));
    const dv_column_info *info = dv_schema_column(schema, column);
    DVI_TRY(check_type(info, err));
    const bool is_key = info->type.is_key;
    const bool has_min = given->has_min && !(is_key && given->min < 0);
    const bool has_max = given->has_max && !(is_key && given->max > 1);
    if ((!has_min && !has_max) || (has_min && isnan(given->min)) || (has_max && isnan(given->max)))
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.14", -1, "range", "a min or a max%s|%s",
                        is_key ? " within 0..1" : "", has_min || has_max ? "NaN" : "neither");
    const bool ends_open = has_max && !(is_key && given->max >= 1);
    const bool has_least = given->include_min != DV_EXCLUDED;
    const bool has_greatest = given->include_max == DV_INCLUDED_BY_DEFAULT
                                  ? !ends_open
                                  : given->include_max == DV_INCLUDED;
    const unsigned least = DV_IS_GREATER | (has_least ? DV_IS_EQUAL : 0),
                   greatest = DV_IS_LESS | (has_greatest ? DV_IS_EQUAL : 0),
                   negated = given->complement ? DV_IS_VALUE : 0;
    DVI_TRY(
        dvi_row_filter_add(f, NULL, given->complement ? DVI_EXPR_OR : DVI_EXPR_AND, &whole, err));
    DVI_TRY(
        add_bound(f, whole, info->name, least ^ negated, has_min ? given->min : -INFINITY, err));
    return add_bound(f, whole, info->name, greatest ^ negated, has_max ? given->max : INFINITY,
                     err);
}

dv_status dv_view_filter_range(dv_view **view_out, dv_view *source, dv_text column,
                               const dv_range *given, const dv_allocator *allocator, dv_error *err)
{
    dvi_row_filter *filter;
    *view_out = NULL;
    DVI_TRY(dvi_row_filter_create(&filter, source, allocator, err));
    const dv_status status = add_range(filter, column, given, err);
    return dvi_row_filter_view(view_out, filter, status, err);
}
