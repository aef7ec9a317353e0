/* SPDX-License-Identifier: MIT */
/* expr_bind.c: finds the columns of an expression, and checks its types (expressions:2). */
#include "base/check.h"
#include "type/schema.h"
#include "codec/date_order.h"
#include "codec/number.h"
#include "expr/expr_eval.h"
#include "expr/expr_list.h"
#include <dataview/transform.h>
#include <string.h>

typedef struct binder {
    dvi_arena *arena;
    const dv_schema *schema;
    dvi_bound_expr *bound;
    int32_t *columns;
    dv_error *err;
} binder;

#define FAIL(b, e, ...) dvi_expr_fail((b)->bound->source_text, (e)->at, (b)->err, __VA_ARGS__)

/* --- Forms ------------------------------------------------------------------------------------ */

static const char *name_of(const dvi_expr *e)
{
    static const char *const names[] = {"na",
                                        "a condition",
                                        "an integer",
                                        "a real",
                                        "a text",
                                        "a time",
                                        "a time with its zone",
                                        "a key",
                                        "UG",
                                        "a value that is only tested by is na"};
    return names[e->form];
}

static dvi_expr_form form_of(const dv_type *type)
{
    if (type->rank > 0)
        return DVI_EXPR_FORM_OTHER;
    if (type->is_key)
        return DVI_EXPR_FORM_KEY;
    switch (type->kind) {
    case DV_KIND_I1:
    case DV_KIND_I2:
    case DV_KIND_I4:
    case DV_KIND_I8:
    case DV_KIND_U1:
    case DV_KIND_U2:
    case DV_KIND_U4:
    case DV_KIND_U8:
        return DVI_EXPR_FORM_INTEGER;
    case DV_KIND_R4:
    case DV_KIND_R8:
        return DVI_EXPR_FORM_REAL;
    case DV_KIND_TX:
        return DVI_EXPR_FORM_TEXT;
    case DV_KIND_BL:
        return DVI_EXPR_FORM_LOGICAL;
    case DV_KIND_TS:
    case DV_KIND_DT:
        return DVI_EXPR_FORM_TIME;
    case DV_KIND_DZ:
        return DVI_EXPR_FORM_ZONED;
    case DV_KIND_UG:
        return DVI_EXPR_FORM_WIDE;
    default:
        return DVI_EXPR_FORM_OTHER;
    }
}

static bool is_number(const dvi_expr *e)
{
    return e->form == DVI_EXPR_FORM_INTEGER || e->form == DVI_EXPR_FORM_REAL;
}

static void set(dvi_expr *e, dvi_expr_form form, dv_kind kind)
{
    e->form = form;
    e->kind = kind;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static dv_status bind_column(binder *b, dvi_expr *e)
{
    const int32_t n = b->bound->n;
    int32_t column, slot = n > DVI_EXPR_NODES ? n - DVI_EXPR_NODES : 0;
    if (dv_schema_find(b->schema, e->text, &column) != DV_OK) {
        const dvi_shown name = dvi_show(e->text);
        FAIL(b, e, "there is no column \"%s\"; a text needs quotes: '%s'", name.text, name.text);
        if (b->err)
            strcpy(b->err->expected, "a name of the schema");
        if (b->err)
            memcpy(b->err->found, name.text, sizeof name.text);
        dvi_schema_advise(b->schema, e->text, b->err);
        return DV_ERR_ARGUMENT;
    }
    DVI_KNOWN(n == 0 || b->columns != NULL);
    while (slot < n && b->columns[slot] != column)
        slot++;
    if (slot == n) {
        DVI_TRY(dvi_arena_append(b->arena, &b->columns, slot, &column, sizeof column, b->err));
        b->bound->n++;
    }
    e->slot = slot;
    e->type = &dv_schema_column(b->schema, column)->type;
    set(e, form_of(e->type), e->type->kind);
    if (e->form == DVI_EXPR_FORM_INTEGER)
        e->kind = DV_KIND_I8;
    if (e->is_share)
        set(e, DVI_EXPR_FORM_REAL, DV_KIND_R8);
    return DV_OK;
}

/* --- Constants -------------------------------------------------------------------------------- */

bool dvi_expr_read_value(dv_scalar *scalar_out, const dv_type *type, dv_text text)
{
    dv_column_view column = {.type = *type, .layout = dvi_layout_of(type), .rows = 1};
    if (!dv_value_parse(scalar_out, type, text))
        return false;
    if (column.layout == DV_LAYOUT_TEXT)
        return scalar_out->tx.nbytes >= 0;
    if (column.layout == DV_LAYOUT_ZONED) {
        column.as.zoned.ticks.data = &scalar_out->dz.ticks;
        column.as.zoned.minutes.data = &scalar_out->dz.minutes;
    } else {
        column.as.fixed.values.data = scalar_out;
    }
    const dv_value value = dv_value_first(&column);
    return !dv_value_is_na(&value);
}

/* Read the constant as a value of a type: the standard conversion. */
static dv_status read_constant(binder *b, dvi_expr *e, const dv_type *type)
{
    char digits[DVI_NUMBER_NBYTES], name[96];
    dv_text text = e->text;
    dv_type_print(type, name, sizeof name);
    if (e->op == DVI_EXPR_LOGICAL)
        text = dv_text_of(e->integer ? "true" : "false");
    if (e->op == DVI_EXPR_INTEGER)
        text = (dv_text){digits, (int64_t)dvi_number_print_i8(digits, e->integer)};
    if (e->op == DVI_EXPR_REAL)
        text = (dv_text){digits, (int64_t)dvi_number_print_r8(digits, e->real)};
    if ((type->kind == DV_KIND_DT || type->kind == DV_KIND_DZ) && dvi_date_needs_rule(text, NULL))
        return FAIL(b, e, "day or month first? Write the year first, as in 2023-02-17");
    if (!dvi_expr_read_value(&e->scalar, type, text))
        return FAIL(b, e, "no value of type %s", name);
    return DV_OK;
}

static bool is_time(const dvi_expr *e)
{
    return e->form == DVI_EXPR_FORM_TIME || e->form == DVI_EXPR_FORM_ZONED;
}

static dv_status refuse(binder *b, const dvi_expr *left, const dvi_expr *right)
{
    const bool is_date = (is_time(left) && is_number(right)) || (is_time(right) && is_number(left));
    return FAIL(b, right, "%s and %s do not compare%s", name_of(left), name_of(right),
                is_date ? ": a date needs quotes, as '2024-05-01'" : "");
}

/* Make a real of a number, rounded to the kind that it meets. */
static void make_real(dvi_expr *e, dv_kind kind)
{
    const double real = e->op == DVI_EXPR_INTEGER ? (double)e->integer : e->real;
    e->scalar.r8 = kind == DV_KIND_R4 ? (double)(float)real : real;
    set(e, DVI_EXPR_FORM_REAL, kind);
}

static bool may_read(const dvi_expr *e, dvi_expr_form form)
{
    return e->op == DVI_EXPR_TEXT ||
           (is_number(e) && (form == DVI_EXPR_FORM_KEY || form == DVI_EXPR_FORM_WIDE ||
                             form == DVI_EXPR_FORM_LOGICAL));
}

/* Hold what was read as a value of a type in the form of the constant. */
static void hold(dvi_expr *e, const dv_type *type)
{
    const dv_scalar s = e->scalar;
    switch (type->kind) {
    case DV_KIND_I1:
    case DV_KIND_BL:
        e->scalar.i8 = s.i1;
        break;
    case DV_KIND_U1:
        e->scalar.i8 = s.u1;
        break;
    case DV_KIND_I2:
        e->scalar.i8 = s.i2;
        break;
    case DV_KIND_U2:
        e->scalar.i8 = s.u2;
        break;
    case DV_KIND_I4:
        e->scalar.i8 = s.i4;
        break;
    case DV_KIND_U4:
        e->scalar.i8 = s.u4;
        break;
    case DV_KIND_U8:
        e->scalar.ug = (dv_u128){s.u8, 1};
        break;
    case DV_KIND_R4:
        e->scalar.r8 = (double)s.r4;
        break;
    default:
        break;
    }
    if (type->is_key)
        e->scalar.u8 ^= (uint64_t)1 << 63;
}

/* Give a constant the form in which it meets `with`. */
static dv_status suit(binder *b, dvi_expr *e, const dvi_expr *with)
{
    if (!dvi_expr_is_constant(e) || with->form == DVI_EXPR_FORM_NONE ||
        with->form == DVI_EXPR_FORM_OTHER)
        return DV_OK;
    if (is_number(e) && with->form == DVI_EXPR_FORM_REAL)
        make_real(e, with->kind);
    if (e->form == with->form || (is_number(e) && is_number(with)))
        return DV_OK;
    if (with->form == DVI_EXPR_FORM_TEXT)
        return FAIL(b, e, "it is compared with a text: put it in quotes, or convert the column");
    if (!may_read(e, with->form))
        return refuse(b, with, e);
    const dv_type type = with->type ? *with->type : dv_type_of(with->kind);
    DVI_TRY(read_constant(b, e, &type));
    set(e, with->form, with->kind);
    hold(e, &type);
    return DV_OK;
}

/* U8 and an integer are compared as wide numbers, which hold all values of both. */
static bool is_wide_pair(const dvi_expr *column, const dvi_expr *constant)
{
    return column->op == DVI_EXPR_COLUMN && column->form == DVI_EXPR_FORM_INTEGER &&
           column->type->kind == DV_KIND_U8 &&
           (constant->op == DVI_EXPR_INTEGER || constant->op == DVI_EXPR_TEXT);
}

static dv_status widen_constant(binder *b, dvi_expr *e)
{
    const dv_type type = dv_type_of(DV_KIND_U8);
    if (e->op == DVI_EXPR_INTEGER) {
        e->scalar.ug = (dv_u128){e->integer < 0 ? 0 : (uint64_t)e->integer, e->integer >= 0};
    } else {
        DVI_TRY(read_constant(b, e, &type));
        e->scalar.ug = (dv_u128){e->scalar.u8, 1};
    }
    set(e, DVI_EXPR_FORM_WIDE, DV_KIND_U8);
    return DV_OK;
}

/* Do the forms of two values compare? */
static dv_status check_alike(binder *b, const dvi_expr *left, const dvi_expr *right)
{
    const bool are_alike = left->form == right->form && left->form != DVI_EXPR_FORM_OTHER &&
                           (left->form != DVI_EXPR_FORM_TIME || left->kind == right->kind) &&
                           (left->form != DVI_EXPR_FORM_KEY || dvi_expr_is_constant(left) ||
                            dvi_expr_is_constant(right) || dv_type_equal(left->type, right->type));
    return are_alike || (is_number(left) && is_number(right)) ? DV_OK : refuse(b, left, right);
}

/* Let two values meet, one of which may be a constant. */
static dv_status meet(binder *b, dvi_expr *left, dvi_expr *right)
{
    if (is_wide_pair(left, right) || is_wide_pair(right, left)) {
        dvi_expr *column = is_wide_pair(left, right) ? left : right;
        set(column, DVI_EXPR_FORM_WIDE, DV_KIND_U8);
        return widen_constant(b, column == left ? right : left);
    }
    DVI_TRY(suit(b, left, right));
    DVI_TRY(suit(b, right, left));
    return check_alike(b, left, right);
}

/* --- Lists ------------------------------------------------------------------------------------ */

/* Are all listed values integers for a column of U8? */
static bool is_wide_list(const dvi_expr *e)
{
    for (int32_t i = 1; i < e->n; i++)
        if (e->args[i]->op != DVI_EXPR_NA && !is_wide_pair(e->args[0], e->args[i]))
            return false;
    return true;
}

static dv_status bind_list(binder *b, dvi_expr *e)
{
    dvi_expr *first = e->args[0];
    const bool is_wide = is_wide_list(e);
    if (first->form == DVI_EXPR_FORM_OTHER || first->form == DVI_EXPR_FORM_NONE)
        return FAIL(b, e, "in does not take %s", name_of(first));
    for (int32_t i = 1; i < e->n; i++) {
        dvi_expr *item = e->args[i];
        if (item->op == DVI_EXPR_NA) {
            e->has_na = true;
            continue;
        }
        if (is_wide)
            DVI_TRY(widen_constant(b, item));
        else
            DVI_TRY(suit(b, item, first)); /* the first keeps its form, whatever is listed */
        if (!is_wide)
            DVI_TRY(check_alike(b, first, item));
    }
    if (is_wide && first->op == DVI_EXPR_COLUMN && first->type->kind == DV_KIND_U8)
        set(first, DVI_EXPR_FORM_WIDE, DV_KIND_U8);
    for (int32_t i = 1; i < e->n; i++)
        if (e->args[i]->op != DVI_EXPR_NA)
            DVI_TRY(dvi_expr_list_add(e, e->args[i], b->arena, b->err));
    dvi_expr_list_sort(e);
    return DV_OK;
}

/* --- Operations ------------------------------------------------------------------------------- */

/* The kind of reals of two numbers, one of which is real (expressions:T2). */
static dv_kind real_kind(const dvi_expr *x, const dvi_expr *y)
{
    const bool x_fits = x->kind == DV_KIND_R4 || x->is_fixed,
               y_fits = y->kind == DV_KIND_R4 || y->is_fixed;
    return x_fits && y_fits && !(x->is_fixed && y->is_fixed) ? DV_KIND_R4 : DV_KIND_R8;
}

static dv_status bind_arithmetic(binder *b, dvi_expr *e)
{
    const dvi_expr *x = e->args[0], *y = e->args[e->n - 1];
    for (int32_t i = 0; i < e->n; i++)
        if (!is_number(e->args[i]))
            return FAIL(b, e->args[i], "arithmetic needs numbers, not %s", name_of(e->args[i]));
    if (x->form == DVI_EXPR_FORM_INTEGER && y->form == DVI_EXPR_FORM_INTEGER &&
        e->op != DVI_EXPR_DIVIDE)
        set(e, DVI_EXPR_FORM_INTEGER, DV_KIND_I8);
    else if (e->n == 1)
        set(e, DVI_EXPR_FORM_REAL, x->kind);
    else
        set(e, DVI_EXPR_FORM_REAL, real_kind(x, y));
    for (int32_t i = 0; i < e->n && e->form == DVI_EXPR_FORM_REAL; i++)
        if (dvi_expr_is_constant(e->args[i]))
            make_real(e->args[i], e->kind);
    return DV_OK;
}

static dv_status need(binder *b, const dvi_expr *arg, dvi_expr_form form, const char *what)
{
    if (arg->form != form)
        return FAIL(b, arg, "expected %s, not %s", what, name_of(arg));
    return DV_OK;
}

static dv_status bind_function(binder *b, dvi_expr *e)
{
    dvi_expr *x = e->args[0];
    switch (e->op) {
    case DVI_EXPR_ABS:
    case DVI_EXPR_ROUND:
        if (!is_number(x))
            return need(b, x, DVI_EXPR_FORM_REAL, "a number");
        set(e, x->form, x->kind);
        return DV_OK;
    case DVI_EXPR_SQRT:
    case DVI_EXPR_LOG:
    case DVI_EXPR_EXP:
        if (!is_number(x))
            return need(b, x, DVI_EXPR_FORM_REAL, "a number");
        set(e, DVI_EXPR_FORM_REAL, x->kind == DV_KIND_R4 ? DV_KIND_R4 : DV_KIND_R8);
        return DV_OK;
    case DVI_EXPR_LENGTH:
        set(e, DVI_EXPR_FORM_INTEGER, DV_KIND_I8);
        return need(b, x, DVI_EXPR_FORM_TEXT, "a text");
    case DVI_EXPR_LOWER:
    case DVI_EXPR_UPPER:
        b->bound->makes_text = true;
        set(e, DVI_EXPR_FORM_TEXT, DV_KIND_TX);
        return need(b, x, DVI_EXPR_FORM_TEXT, "a text");
    default: /* YEAR, MONTH, DAY */
        set(e, DVI_EXPR_FORM_INTEGER, DV_KIND_I8);
        if (x->form == DVI_EXPR_FORM_ZONED ||
            (x->form == DVI_EXPR_FORM_TIME && x->kind == DV_KIND_DT))
            return DV_OK;
        return FAIL(b, x, "expected a date, not %s", name_of(x));
    }
}

/* Give values that stand for each other one form; `first` is the place of the first of them. */
static dv_status bind_choice(binder *b, dvi_expr *e, int32_t first)
{
    const dvi_expr *known = NULL;
    for (int32_t i = first; i < e->n; i++) {
        dvi_expr *arg = e->args[i];
        if (arg->form == DVI_EXPR_FORM_NONE)
            continue;
        if (arg->form > DVI_EXPR_FORM_ZONED)
            return FAIL(b, arg, "no choice between %s and other values", name_of(arg));
        if (!known) {
            known = arg;
            set(e, arg->form, arg->kind);
            e->is_fixed = arg->is_fixed;
            continue;
        }
        const bool are_numbers = is_number(e) && is_number(arg);
        if (!are_numbers && (arg->form != e->form || arg->kind != e->kind))
            return FAIL(b, arg, "%s beside %s", name_of(arg), name_of(known));
        if (are_numbers && (e->form == DVI_EXPR_FORM_REAL || arg->form == DVI_EXPR_FORM_REAL))
            set(e, DVI_EXPR_FORM_REAL, real_kind(e, arg));
        e->is_fixed = e->is_fixed && arg->is_fixed;
    }
    for (int32_t i = first; i < e->n && e->form == DVI_EXPR_FORM_REAL; i++)
        if (dvi_expr_is_constant(e->args[i]) && is_number(e->args[i]))
            make_real(e->args[i], e->kind);
    return DV_OK;
}

static dv_status bind_conditions(binder *b, dvi_expr *e, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (e->args[i]->form != DVI_EXPR_FORM_LOGICAL)
            return FAIL(b, e->args[i], "expected a condition, not %s", name_of(e->args[i]));
    return DV_OK;
}

static dv_status bind_test(binder *b, dvi_expr *e)
{
    set(e, DVI_EXPR_FORM_LOGICAL, DV_KIND_BL);
    switch (e->op) {
    case DVI_EXPR_OR:
    case DVI_EXPR_AND:
    case DVI_EXPR_NOT:
        return bind_conditions(b, e, e->n);
    case DVI_EXPR_RELATION:
        return meet(b, e->args[0], e->args[1]);
    case DVI_EXPR_IN:
        return bind_list(b, e);
    case DVI_EXPR_BETWEEN:
        if (is_wide_pair(e->args[0], e->args[1]) && is_wide_pair(e->args[0], e->args[2])) {
            DVI_TRY(widen_constant(b, e->args[1]));
            DVI_TRY(widen_constant(b, e->args[2]));
            set(e->args[0], DVI_EXPR_FORM_WIDE, DV_KIND_U8);
            return DV_OK;
        }
        DVI_TRY(meet(b, e->args[0], e->args[1]));
        return meet(b, e->args[e->n == 4 ? 3 : 0], e->args[2]);
    case DVI_EXPR_LIKE:
    case DVI_EXPR_CONTAINS:
        DVI_TRY(need(b, e->args[0], DVI_EXPR_FORM_TEXT, "a text"));
        if (e->op == DVI_EXPR_LIKE && !dvi_expr_is_pattern(e->args[1]->text))
            return FAIL(b, e->args[1],
                        "a pattern of at most %d characters, where after \\ stands "
                        "%%, _ or \\",
                        DVI_EXPR_PATTERN);
        return need(b, e->args[1], DVI_EXPR_FORM_TEXT, "a text");
    default: /* IS_NA */
        return DV_OK;
    }
}

static dv_status bind_one(binder *b, dvi_expr *e)
{
    e->is_fixed = true;
    for (int32_t i = 0; i < e->n; i++)
        e->is_fixed = e->is_fixed && e->args[i]->is_fixed;
    switch (e->op) {
    case DVI_EXPR_INTEGER:
        e->scalar.i8 = e->integer;
        set(e, DVI_EXPR_FORM_INTEGER, DV_KIND_I8);
        return DV_OK;
    case DVI_EXPR_REAL:
        e->scalar.r8 = e->real;
        set(e, DVI_EXPR_FORM_REAL, DV_KIND_R8);
        return DV_OK;
    case DVI_EXPR_TEXT:
        e->scalar.tx = e->text;
        b->bound->text_nbytes += e->text.nbytes;
        set(e, DVI_EXPR_FORM_TEXT, DV_KIND_TX);
        return DV_OK;
    case DVI_EXPR_LOGICAL:
        e->scalar.i8 = e->integer;
        set(e, DVI_EXPR_FORM_LOGICAL, DV_KIND_BL);
        return DV_OK;
    case DVI_EXPR_NA:
        return DV_OK;
    case DVI_EXPR_COLUMN:
        e->is_fixed = false;
        return bind_column(b, e);
    case DVI_EXPR_COALESCE:
        return bind_choice(b, e, 0);
    case DVI_EXPR_IF:
        DVI_TRY(bind_conditions(b, e, 1));
        return bind_choice(b, e, 1);
    default:
        break;
    }
    if (e->op >= DVI_EXPR_OR && e->op <= DVI_EXPR_CONTAINS)
        return bind_test(b, e);
    return e->op <= DVI_EXPR_NEGATE ? bind_arithmetic(b, e) : bind_function(b, e);
}

/* Bind the parts, then the whole. */
static dv_status bind(binder *b, dvi_expr *e, int32_t *registers_out)
{
    int32_t most = 0;
    *registers_out = 0;
    for (int32_t i = 0; i < e->n; i++) {
        DVI_TRY(bind(b, e->args[i], registers_out));
        most = *registers_out > most ? *registers_out : most;
    }
    *registers_out = e->op > DVI_EXPR_COLUMN ? most + 3 : 0;
    return bind_one(b, e);
}

static dv_status bind_root(dvi_bound_expr *bound, dvi_arena *arena, const dv_schema *schema,
                           dv_error *err)
{
    binder b = {.arena = arena, .schema = schema, .bound = bound, .err = err};
    const dv_status status = bind(&b, bound->root, &bound->registers);
    bound->columns = b.columns;
    return status;
}

dv_status dvi_expr_bind(dvi_bound_expr *bound_out, dvi_arena *arena, dv_text text,
                        const dv_schema *schema, dv_error *err)
{
    dv_text copy;
    *bound_out = (dvi_bound_expr){0};
    DVI_TRY(dvi_expr_parse(&bound_out->root, arena, text, err));
    DVI_TRY(dvi_arena_text(arena, &copy, text, err));
    bound_out->source_text = copy.data;
    return bind_root(bound_out, arena, schema, err);
}

dv_status dvi_expr_bind_tree(dvi_bound_expr *bound_out, dvi_arena *arena, dvi_expr *root,
                             const dv_schema *schema, dv_error *err)
{
    *bound_out = (dvi_bound_expr){.root = root, .source_text = ""};
    return bind_root(bound_out, arena, schema, err);
}

dv_status dvi_expr_type(dv_type *type_out, const dvi_bound_expr *bound, dv_error *err)
{
    const dvi_expr *e = bound->root;
    if (e->form == DVI_EXPR_FORM_NONE || e->form > DVI_EXPR_FORM_ZONED)
        return dvi_expr_fail(bound->source_text, e->at, err, "no column is made of %s", name_of(e));
    *type_out = dv_type_of(e->kind);
    return DV_OK;
}

dv_status dvi_expr_check_condition(const dvi_bound_expr *bound, dv_error *err)
{
    const dvi_expr *e = bound->root;
    if (e->form != DVI_EXPR_FORM_LOGICAL)
        return dvi_expr_fail(bound->source_text, e->at, err,
                             "expected a condition such as x > 3, not %s", name_of(e));
    return DV_OK;
}
