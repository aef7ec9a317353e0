/* SPDX-License-Identifier: MIT */
/* tf_filter.c: rows for which all conditions hold (transform.h; NAFilter: semantics:7.13). */
#include "base/check.h"
#include "codec/date_order.h"
#include "codec/scalar.h"
#include "view/column.h"
#include "view/identity.h"
#include "transform/row_filter.h"
#include <dataview/expression.h>
#include <dataview/transform.h>
#include <dataview/value.h>
#include <string.h>

typedef struct condition {
    unsigned relations;
    bool has_value; /* the rest is set */
    dv_scalar scalar;
    dv_column_view column; /* one row with that value */
    int32_t end;           /* end of its text */
} condition;

/* --- Numbers: a loop per type ----------------------------------------------------------------- */

#define RELATE(name, ctype, is_na)                                                                 \
    static void test_##name(const void *params, const dv_column_view *column, uint8_t *keep)       \
    {                                                                                              \
        const condition *c = params;                                                               \
        const ctype with = c->scalar.name;                                                         \
        const char *p = column->as.fixed.values.data;                                              \
        for (int64_t i = 0; i < column->rows; i++) {                                               \
            ctype v;                                                                               \
            memcpy(&v, p + (size_t)i * sizeof v, sizeof v);                                        \
            const unsigned order = v < with ? DV_IS_LESS : v > with ? DV_IS_GREATER : DV_IS_EQUAL; \
            keep[i] &= (((is_na) ? DV_IS_NA : order) & c->relations) != 0;                         \
        }                                                                                          \
    }
RELATE(i1, int8_t, v == INT8_MIN)
RELATE(i2, int16_t, v == INT16_MIN)
RELATE(i4, int32_t, v == INT32_MIN)
RELATE(i8, int64_t, v == INT64_MIN)
RELATE(u1, uint8_t, false)
RELATE(u2, uint16_t, false)
RELATE(u4, uint32_t, false)
RELATE(u8, uint64_t, false)
RELATE(r4, float, v != v)
RELATE(r8, double, v != v)
#undef RELATE

/* --- Other types: value by value -------------------------------------------------------------- */

static int compare_u8(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Compare two values of one type that are not NA: < 0, 0 or > 0. */
static int compare(const dv_value *a, const dv_value *b)
{
    const dv_type *type = &a->column->type;
    if (type->is_key)
        return compare_u8(dv_value_key(a), dv_value_key(b));
    switch (type->kind) {
    case DV_KIND_TX:
        return dv_text_compare(dv_value_tx(a), dv_value_tx(b));
    case DV_KIND_DZ:
        return compare_u8((uint64_t)dvi_zoned_utc(dv_value_dz(a)),
                          (uint64_t)dvi_zoned_utc(dv_value_dz(b)));
    case DV_KIND_DT:
        return compare_u8((uint64_t)dv_value_i8(a), (uint64_t)dv_value_i8(b));
    case DV_KIND_UG:
        return dvi_u128_compare(dv_value_ug(a), dv_value_ug(b));
    default:
        return dv_value_i1(a) - dv_value_i1(b); /* BL */
    }
}

static unsigned relation_of(const condition *c, const dv_value *value, const dv_value *with)
{
    if (dv_value_is_na(value))
        return DV_IS_NA;
    const int order = c->has_value ? compare(value, with) : 0;
    return order < 0 ? DV_IS_LESS : order > 0 ? DV_IS_GREATER : DV_IS_EQUAL;
}

static void test_values(const void *params, const dv_column_view *column, uint8_t *keep)
{
    const condition *c = params;
    dv_value with = {0}, value = dv_value_first(column);
    if (c->has_value)
        with = dv_value_first(&c->column);
    for (int64_t i = 0; i < column->rows; i++) {
        keep[i] &= (relation_of(c, &value, &with) & c->relations) != 0;
        if (i + 1 < column->rows)
            dv_value_next(&value);
    }
}

/* --- Making ----------------------------------------------------------------------------------- */

typedef void runner(const void *params, const dv_column_view *column, uint8_t *keep);

static runner *runner_of(const dv_type *type)
{
    static runner *const runners[] = {
        [DV_KIND_I1] = test_i1, [DV_KIND_I2] = test_i2, [DV_KIND_I4] = test_i4,
        [DV_KIND_I8] = test_i8, [DV_KIND_U1] = test_u1, [DV_KIND_U2] = test_u2,
        [DV_KIND_U4] = test_u4, [DV_KIND_U8] = test_u8, [DV_KIND_R4] = test_r4,
        [DV_KIND_R8] = test_r8, [DV_KIND_TS] = test_i8, [DV_KIND_BY] = NULL};
    if (type->rank > 0 || type->is_key || type->kind > DV_KIND_BY || !runners[type->kind])
        return test_values;
    return runners[type->kind];
}

/* Point the column of one row to the value. */
static void set_column(condition *c, const dv_type *type)
{
    c->column = (dv_column_view){.type = *type, .layout = dvi_layout_of(type), .rows = 1};
    switch (c->column.layout) {
    case DV_LAYOUT_TEXT:
        c->column.as.text.utf8.data = c->scalar.tx.data;
        c->column.as.text.ends.data = &c->end;
        c->end = (int32_t)c->scalar.tx.nbytes;
        break;
    case DV_LAYOUT_ZONED:
        c->column.as.zoned.ticks.data = &c->scalar.dz.ticks;
        c->column.as.zoned.minutes.data = &c->scalar.dz.minutes;
        break;
    default:
        c->column.as.fixed.values.data = &c->scalar;
        break;
    }
}

/* Read the value; its text is copied. */
static dv_status read_value(condition *c, const dv_type *type, dvi_arena *arena, dv_text given,
                            dv_error *err)
{
    char what[128] = "value of type ";
    const size_t n = strlen(what);
    dv_text text = given;
    dv_type_print(type, what + n, sizeof what - n);
    if (type->rank > 0 || (!type->is_key && !dv_type_is_standard_scalar(type)))
        return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "column to compare",
                        "a scalar, neither BY nor an extension|%s", what + n);
    if (given.nbytes >= 0)
        DVI_TRY(dvi_arena_text(arena, &text, given, err));
    if ((type->kind == DV_KIND_DT || type->kind == DV_KIND_DZ) && dvi_date_needs_rule(text, NULL))
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:6.8", -1, "condition",
                        "a date with the year first, as 2023-02-17|%s", dvi_show(given).text);
    bool is_good =
        given.nbytes >= 0 && given.nbytes <= INT32_MAX && dv_value_parse(&c->scalar, type, text);
    if (is_good) {
        set_column(c, type);
        const dv_value value = dv_value_first(&c->column);
        is_good = !dv_value_is_na(&value);
    }
    if (!is_good)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:4.3", -1, "condition", "a %s|%s", what,
                        dvi_show(given).text);
    return DV_OK;
}

/* Add the bytes of the value that its type has. */
static void identify(const dvi_row_test *test, dv_identity *identity)
{
    const condition *c = test->params;
    dv_identity_add(identity, "condition", 9);
    dvi_identity_add_i8(identity, c->relations);
    dvi_identity_add_i8(identity, c->has_value);
    if (!c->has_value)
        return;
    if (c->column.layout == DV_LAYOUT_TEXT) {
        dv_identity_add(identity, c->scalar.tx.data, (size_t)c->end);
    } else if (c->column.layout == DV_LAYOUT_ZONED) {
        dvi_identity_add_i8(identity, c->scalar.dz.ticks);
        dvi_identity_add_i8(identity, c->scalar.dz.minutes);
    } else {
        dv_identity_add(identity, &c->scalar, dvi_width_of(&c->column.type));
    }
}

static dv_status add_condition(dvi_row_filter *f, int32_t i, const dv_condition *given,
                               dv_error *err)
{
    const dv_schema *schema = dv_view_schema(f->base.source);
    const unsigned compared = given->relations & DV_IS_VALUE;
    void *made;
    int32_t column;
    if (given->relations == 0 || given->relations > (DV_IS_VALUE | DV_IS_NA))
        return dvi_fail_argument(err, "relations are 0x%x; combine DV_IS_LESS and the like",
                                 given->relations);
    DVI_TRY(dvi_find_column(schema, given->column, &column, err));
    DVI_TRY(dvi_arena_alloc(&f->base.arena, &made, sizeof(condition), err));
    condition *c = made;
    const dv_type *type = &dv_schema_column(schema, column)->type;
    c->relations = given->relations;
    c->has_value = compared != 0 && compared != DV_IS_VALUE;
    f->tests[i] = (dvi_row_test){column, runner_of(type), c, identify};
    if (!c->has_value)
        return DV_OK;
    const dv_status status = read_value(c, type, &f->base.arena, given->value, err);
    if (status < 0)
        dvi_error_within(err, "column \"%s\"", dvi_show(given->column).text);
    return status;
}

dv_status dv_view_filter(dv_view **view_out, dv_view *source, const dv_condition *conditions,
                         int32_t n, const dv_allocator *allocator, dv_error *err)
{
    dvi_row_filter *filter;
    *view_out = NULL;
    DVI_TRY(dvi_row_filter_create(&filter, source, n, allocator, err));
    dv_status status = DV_OK;
    for (int32_t i = 0; i < n && status == DV_OK; i++)
        status = add_condition(filter, i, &conditions[i], err);
    return dvi_row_filter_view(view_out, filter, status, err);
}

/* --- Expressions ------------------------------------------------------------------------------ */

/* The range of an integer kind, without NA. */
static bool range_of(dv_kind kind, int64_t *least_out, int64_t *most_out)
{
    static const struct {
        int64_t least, most;
    } ranges[] = {[DV_KIND_I1] = {-INT8_MAX, INT8_MAX},   [DV_KIND_U1] = {0, UINT8_MAX},
                  [DV_KIND_I2] = {-INT16_MAX, INT16_MAX}, [DV_KIND_U2] = {0, UINT16_MAX},
                  [DV_KIND_I4] = {-INT32_MAX, INT32_MAX}, [DV_KIND_U4] = {0, UINT32_MAX},
                  [DV_KIND_I8] = {-INT64_MAX, INT64_MAX}, [DV_KIND_U8] = {0, INT64_MAX}};
    if (kind > DV_KIND_U8)
        return false;
    *least_out = ranges[kind].least;
    *most_out = ranges[kind].most;
    return true;
}

/* Give the condition the constant; false: a loop of its own does not compare the two. */
static bool take_constant(condition *c, const dv_type *type, const dvi_expr *constant)
{
    int64_t least, most;
    if (type->rank > 0 || type->is_key)
        return false;
    if (constant->form == DVI_EXPR_FORM_WIDE && type->kind == DV_KIND_U8) {
        c->scalar.u8 = constant->scalar.ug.lo;
        if (constant->scalar.ug.hi == 0) { /* below 0 */
            c->has_value = false;
            c->relations = c->relations & DV_IS_GREATER ? DV_IS_VALUE : 0;
        }
    } else if (constant->form == DVI_EXPR_FORM_INTEGER && range_of(type->kind, &least, &most)) {
        const int64_t value = constant->scalar.i8;
        const unsigned all = value < least ? DV_IS_GREATER : DV_IS_LESS; /* values compare so */
        c->scalar.i8 = value; /* also of narrower kinds: the lowest byte comes first */
        if (value < least || value > most) {
            c->has_value = false;
            c->relations = c->relations & all ? DV_IS_VALUE : 0;
        }
    } else if (constant->form == DVI_EXPR_FORM_REAL && type->kind == DV_KIND_R4) {
        c->scalar.r4 = (float)constant->scalar.r8;
    } else if (constant->form == DVI_EXPR_FORM_REAL && type->kind == DV_KIND_R8) {
        c->scalar.r8 = constant->scalar.r8;
    } else if (constant->form == DVI_EXPR_FORM_TIME) {
        c->scalar.i8 = constant->scalar.i8;
    } else if (constant->form == DVI_EXPR_FORM_TEXT && type->kind == DV_KIND_TX) {
        c->scalar.tx = constant->scalar.tx;
    } else {
        return false;
    }
    return true;
}

static unsigned mirrored(unsigned relations)
{
    return (relations & DV_IS_EQUAL) | (relations & DV_IS_LESS ? DV_IS_GREATER : 0) |
           (relations & DV_IS_GREATER ? DV_IS_LESS : 0);
}

/* Make a test of a part that compares a column with a constant. */
static bool take_part(condition *c, const dvi_expr **column_out, const dvi_expr *part)
{
    *c = (condition){0};
    *column_out = NULL;
    if (part->op != DVI_EXPR_IS_NA && part->op != DVI_EXPR_RELATION)
        return false;
    const dvi_expr *left = part->args[0];
    *column_out = left;
    if (part->op == DVI_EXPR_IS_NA && left->op == DVI_EXPR_COLUMN) {
        c->relations = part->is_not ? DV_IS_VALUE : DV_IS_NA;
        return true;
    }
    if (part->op != DVI_EXPR_RELATION)
        return false;
    const dvi_expr *right = part->args[1];
    const bool is_mirrored = right->op == DVI_EXPR_COLUMN;
    *column_out = is_mirrored ? right : left;
    if ((*column_out)->op != DVI_EXPR_COLUMN || !dvi_expr_is_constant(is_mirrored ? left : right))
        return false;
    c->relations = is_mirrored ? mirrored(part->relations) : part->relations;
    c->has_value = true;
    return take_constant(c, (*column_out)->type, is_mirrored ? left : right);
}

/* Divide a condition into tests of columns, and the rest, which is evaluated. */
static dv_status divide(dvi_row_filter *f, dvi_bound_expr *bound, dv_error *err)
{
    dvi_expr *root = bound->root;
    dvi_expr **parts = root->op == DVI_EXPR_AND ? root->args : &root;
    const int32_t n = root->op == DVI_EXPR_AND ? root->n : 1;
    int32_t rest = 0;
    for (int32_t i = 0; i < n; i++) {
        const dvi_expr *column;
        condition taken;
        void *made;
        if (!take_part(&taken, &column, parts[i])) {
            parts[rest++] = parts[i];
            continue;
        }
        DVI_TRY(dvi_arena_alloc(&f->base.arena, &made, sizeof taken, err));
        condition *c = made;
        *c = taken;
        if (c->has_value)
            set_column(c, column->type);
        const int32_t number = bound->columns[column->slot];
        const dvi_row_test test = {number, runner_of(column->type), c, identify};
        DVI_TRY(dvi_arena_append(&f->base.arena, &f->tests, f->n, &test, sizeof test, err));
        f->n++;
    }
    if (rest == 0)
        return DV_OK;
    if (root->op == DVI_EXPR_AND)
        root->n = rest;
    f->condition = bound;
    return dvi_expr_store(&f->stored, &f->base.arena, root, err);
}

dv_status dv_view_where(dv_view **view_out, dv_view *source, dv_text text,
                        const dv_allocator *allocator, dv_error *err)
{
    dvi_row_filter *filter;
    void *made;
    *view_out = NULL;
    DVI_TRY(dvi_row_filter_create(&filter, source, 0, allocator, err));
    dv_status status = dvi_arena_alloc(&filter->base.arena, &made, sizeof(dvi_bound_expr), err);
    if (status == DV_OK)
        status = dvi_expr_bind(made, &filter->base.arena, text, dv_view_schema(source), err);
    if (status == DV_OK)
        status = dvi_expr_check_condition(made, err);
    if (status == DV_OK)
        status = divide(filter, made, err);
    return dvi_row_filter_view(view_out, filter, status, err);
}

dv_status dv_view_filter_na(dv_view **view_out, dv_view *source, const dv_text *columns, int32_t n,
                            bool complement, const dv_allocator *allocator, dv_error *err)
{
    dvi_row_filter *filter;
    *view_out = NULL;
    DVI_TRY(dvi_row_filter_create(&filter, source, n, allocator, err));
    filter->complement = complement;
    dv_status status = DV_OK;
    for (int32_t i = 0; i < n && status == DV_OK; i++) {
        const dv_condition is_there = {columns[i], DV_IS_VALUE, dv_text_of(NULL)};
        status = add_condition(filter, i, &is_there, err);
    }
    return dvi_row_filter_view(view_out, filter, status, err);
}
