/* SPDX-License-Identifier: MIT */
/* tf_filter_range.c: rows with a number in a range (semantics:7.14, RangeFilter). */
#include "base/check.h"
#include "view/identity.h"
#include "transform/row_filter.h"
#include <dataview/transform.h>
#include <dataview/value.h>
#include <math.h>
#include <string.h>

/* A value is in the range if it is above min, or equals min and has_least is set; likewise for max.
 */
typedef struct range {
    double min, max;
    bool has_least, has_greatest, complement;
    uint64_t count; /* of keys */
} range;

/* NaN is in no range and in no complement of one. */
static bool passes(const range *r, double v)
{
    const bool is_in = (v > r->min || (r->has_least && v == r->min)) &&
                       (v < r->max || (r->has_greatest && v == r->max));
    return !isnan(v) && is_in != r->complement;
}

static double number_of(const range *r, const dv_value *value)
{
    const uint64_t key = dv_value_key(value);
    return key == 0 || key > r->count ? (double)NAN : ((double)key - 0.5) / (double)r->count;
}

#define REALS(name, ctype)                                                                         \
    static void test_##name(const void *params, const dv_column_view *column, uint8_t *keep)       \
    {                                                                                              \
        const range r = *(const range *)params;                                                    \
        const char *p = column->as.fixed.values.data;                                              \
        for (int64_t i = 0; i < column->rows; i++) {                                               \
            ctype v;                                                                               \
            memcpy(&v, p + (size_t)i * sizeof v, sizeof v);                                        \
            keep[i] &= passes(&r, (double)v);                                                      \
        }                                                                                          \
    }
REALS(r4, float)
REALS(r8, double)
#undef REALS

static void test_keys(const void *params, const dv_column_view *column, uint8_t *keep)
{
    const range *r = params;
    dv_value value = dv_value_first(column);
    for (; value.row < column->rows; value.row++)
        keep[value.row] &= passes(r, number_of(r, &value));
}

static void identify(const dvi_row_test *of, dv_identity *identity)
{
    const range *r = of->params;
    const double bounds[] = {r->min, r->max};
    const int64_t flags[] = {r->has_least, r->has_greatest, r->complement};
    dv_identity_add(identity, "range", 5);
    dv_identity_add(identity, bounds, sizeof bounds);
    dv_identity_add(identity, flags, sizeof flags);
}

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

/* Apply the defaults of the bounds. Bounds of a key outside 0..1 are ignored. */
static dv_status read_range(range *r, const dv_range *given, const dv_type *type, dv_error *err)
{
    const bool has_min = given->has_min && !(type->is_key && given->min < 0);
    const bool has_max = given->has_max && !(type->is_key && given->max > 1);
    if ((!has_min && !has_max) || (has_min && isnan(given->min)) || (has_max && isnan(given->max)))
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.14", -1, "range", "a min or a max%s|%s",
                        type->is_key ? " within 0..1" : "", has_min || has_max ? "NaN" : "neither");
    const bool ends_open = has_max && !(type->is_key && given->max >= 1);
    r->min = has_min ? given->min : -INFINITY;
    r->max = has_max ? given->max : INFINITY;
    r->has_least = given->include_min != DV_EXCLUDED;
    r->has_greatest = given->include_max == DV_INCLUDED_BY_DEFAULT
                          ? !ends_open
                          : given->include_max == DV_INCLUDED;
    r->complement = given->complement;
    r->count = type->key_count;
    return DV_OK;
}

static dv_status add_range(dvi_row_filter *f, dv_text name, const dv_range *given, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(f->base.source);
    void *made;
    int32_t column;
    DVI_TRY(dvi_find_column(schema, name, &column, err));
    const dv_column_info *info = dv_schema_column(schema, column);
    DVI_TRY(check_type(info, err));
    DVI_TRY(dvi_arena_alloc(&f->base.arena, &made, sizeof(range), err));
    f->tests[0] = (dvi_row_test){column,
                                 info->type.is_key               ? test_keys
                                 : info->type.kind == DV_KIND_R4 ? test_r4
                                                                 : test_r8,
                                 made, identify};
    return read_range(made, given, &info->type, err);
}

dv_status dv_view_filter_range(dv_view **view_out, dv_view *source, dv_text column,
                               const dv_range *given, const dv_allocator *allocator, dv_error *err)
{
    dvi_row_filter *filter;
    *view_out = NULL;
    DVI_TRY(dvi_row_filter_create(&filter, source, 1, allocator, err));
    const dv_status status = add_range(filter, column, given, err);
    return dvi_row_filter_view(view_out, filter, status, err);
}
