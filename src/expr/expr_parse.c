/* SPDX-License-Identifier: MIT */
/* expr_parse.c: reads the text of an expression (expressions:1). */
#include "base/check.h"
#include "base/utf8.h"
#include "codec/parse.h"
#include "expr/expr_token.h"
#include <dataview/transform.h>
#include <string.h>

/* --- Nodes ------------------------------------------------------------------------------------ */

dv_status dvi_expr_make(dvi_expr **made_out, dvi_arena *arena, dvi_expr_op op, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(arena, &made, sizeof(dvi_expr), err));
    dvi_expr *e = made;
    e->op = op;
    e->depth = 1;
    *made_out = e;
    return DV_OK;
}

dv_status dvi_expr_add(dvi_expr *e, dvi_arena *arena, dvi_expr *arg, dv_error *err)
{
    DVI_TRY(dvi_arena_append(arena, &e->args, e->n, &arg, sizeof arg, err));
    e->n++;
    if (arg->depth >= e->depth)
        e->depth = arg->depth + 1;
    return DV_OK;
}

static dv_status make(dvi_expr_parser *p, dvi_expr **made_out, dvi_expr_op op, int32_t at)
{
    if (++p->nodes > DVI_EXPR_NODES)
        return FAIL(p, "more than %d elements", DVI_EXPR_NODES);
    DVI_TRY(dvi_expr_make(made_out, p->arena, op, p->err));
    (*made_out)->at = at;
    return DV_OK;
}

static dv_status add(dvi_expr_parser *p, dvi_expr *e, dvi_expr *arg)
{
    if (arg->depth >= DVI_EXPR_DEPTH)
        return FAIL(p, "more than %d levels", DVI_EXPR_DEPTH);
    return dvi_expr_add(e, p->arena, arg, p->err);
}

/* *left = op(*left, right) */
static dv_status join(dvi_expr_parser *p, dvi_expr **left, dvi_expr_op op, dvi_expr *right)
{
    dvi_expr *made = NULL;
    DVI_TRY(make(p, &made, op, (*left)->at));
    DVI_TRY(add(p, made, *left));
    DVI_TRY(add(p, made, right));
    *left = made;
    return DV_OK;
}

/* --- Grammar ---------------------------------------------------------------------------------- */

static dv_status parse_or(dvi_expr_parser *p, dvi_expr **out);
static dv_status parse_sign(dvi_expr_parser *p, dvi_expr **out);

static dv_status enter(dvi_expr_parser *p)
{
    if (++p->level > DVI_EXPR_DEPTH)
        return FAIL(p, "more than %d levels", DVI_EXPR_DEPTH);
    return DV_OK;
}

static dv_status parse_number(dvi_expr_parser *p, dvi_expr **out)
{
    const dv_text text = p->next.text;
    const bool is_real = memchr(text.data, '.', (size_t)text.nbytes) ||
                         memchr(text.data, 'e', (size_t)text.nbytes) ||
                         memchr(text.data, 'E', (size_t)text.nbytes);
    DVI_TRY(make(p, out, is_real ? DVI_EXPR_REAL : DVI_EXPR_INTEGER, p->next.at));
    dvi_expr *e = *out;
    e->text = text;
    const size_t n = (size_t)text.nbytes;
    if (!dvi_parse_r8(&e->real, text.data, n, n, '.') || e->real - e->real != 0)
        return FAIL(p, "no number that R8 holds");
    if (!is_real && !dvi_parse_i8(&e->integer, text.data, n, n))
        return FAIL(p, "an integer above 9223372036854775807; with a point it is a real");
    return dvi_expr_advance(p);
}

static dv_status parse_arguments(dvi_expr_parser *p, dvi_expr *e)
{
    dvi_expr *arg;
    DVI_TRY(dvi_expr_expect(p, "("));
    while (!dvi_expr_is_at(p, ")")) {
        if (e->n > 0)
            DVI_TRY(dvi_expr_expect(p, ","));
        DVI_TRY(parse_or(p, &arg));
        DVI_TRY(add(p, e, arg));
    }
    return dvi_expr_advance(p);
}

static dv_status parse_call(dvi_expr_parser *p, dvi_expr **out)
{
    const dvi_expr_token name = p->next;
    const dvi_expr_function *function = dvi_expr_function_named(name.text);
    if (!function)
        return FAIL(p,
                    "no such function; there are abs, round, sqrt, log, exp, length, lower, upper, "
                    "contains, year, month, day, coalesce and if");
    p->cases += function->op == DVI_EXPR_LOWER || function->op == DVI_EXPR_UPPER;
    if (p->cases > DVI_EXPR_CASES)
        return FAIL(p, "lower and upper more than %d times", DVI_EXPR_CASES);
    DVI_TRY(make(p, out, function->op, name.at));
    DVI_TRY(dvi_expr_advance(p));
    DVI_TRY(parse_arguments(p, *out));
    if ((*out)->n < function->least || (*out)->n > function->most)
        return dvi_expr_fail(p->text, name.at, p->err, "%s takes %d argument%s, not %d",
                             function->name, (int)function->least, DVI_S(function->least),
                             (int)(*out)->n);
    return DV_OK;
}

static dv_status parse_word(dvi_expr_parser *p, dvi_expr **out)
{
    if (dvi_expr_is_at(p, "na")) {
        DVI_TRY(make(p, out, DVI_EXPR_NA, p->next.at));
    } else if (dvi_expr_is_at(p, "true") || dvi_expr_is_at(p, "false")) {
        DVI_TRY(make(p, out, DVI_EXPR_LOGICAL, p->next.at));
        (*out)->integer = dvi_expr_is_at(p, "true");
    } else {
        return FAIL(p, "expected a column, a value or a function; a column of this name needs "
                       "backticks");
    }
    return dvi_expr_advance(p);
}

static dv_status parse_primary(dvi_expr_parser *p, dvi_expr **out)
{
    const dvi_expr_token t = p->next;
    switch (t.kind) {
    case TOKEN_NUMBER:
        return parse_number(p, out);
    case TOKEN_TEXT:
    case TOKEN_NAME:
        DVI_TRY(make(p, out, t.kind == TOKEN_TEXT ? DVI_EXPR_TEXT : DVI_EXPR_COLUMN, t.at));
        (*out)->text = t.text;
        return dvi_expr_advance(p);
    case TOKEN_CALL:
        return parse_call(p, out);
    case TOKEN_WORD:
        return parse_word(p, out);
    default:
        if (!dvi_expr_is_at(p, "("))
            return FAIL(p, "expected a column, a value or a function");
        DVI_TRY(dvi_expr_advance(p));
        DVI_TRY(parse_or(p, out));
        return dvi_expr_expect(p, ")");
    }
}

/* A minus before a number makes a number. */
static bool negate(dvi_expr *e)
{
    if (e->op != DVI_EXPR_INTEGER && e->op != DVI_EXPR_REAL)
        return false;
    e->integer = -e->integer;
    e->real = -e->real;
    return true;
}

static dv_status parse_minus(dvi_expr_parser *p, dvi_expr **out)
{
    const int32_t at = p->next.at;
    dvi_expr *arg;
    DVI_TRY(dvi_expr_advance(p));
    const bool is_number = p->next.kind == TOKEN_NUMBER;
    DVI_TRY(parse_sign(p, &arg));
    if (is_number && negate(arg)) {
        arg->at = at;
        *out = arg;
        return DV_OK;
    }
    DVI_TRY(make(p, out, DVI_EXPR_NEGATE, at));
    return add(p, *out, arg);
}

static dv_status parse_sign(dvi_expr_parser *p, dvi_expr **out)
{
    DVI_TRY(enter(p));
    if (dvi_expr_is_at(p, "-")) {
        DVI_TRY(parse_minus(p, out));
    } else if (dvi_expr_is_at(p, "+")) {
        DVI_TRY(dvi_expr_advance(p));
        DVI_TRY(parse_sign(p, out));
    } else {
        DVI_TRY(parse_primary(p, out));
    }
    p->level--;
    return DV_OK;
}

static dv_status parse_product(dvi_expr_parser *p, dvi_expr **out)
{
    dvi_expr *right;
    DVI_TRY(parse_sign(p, out));
    while (dvi_expr_is_at(p, "*") || dvi_expr_is_at(p, "/") || dvi_expr_is_at(p, "%")) {
        const dvi_expr_op op = dvi_expr_is_at(p, "*")   ? DVI_EXPR_MULTIPLY
                               : dvi_expr_is_at(p, "/") ? DVI_EXPR_DIVIDE
                                                        : DVI_EXPR_MODULO;
        DVI_TRY(dvi_expr_advance(p));
        DVI_TRY(parse_sign(p, &right));
        DVI_TRY(join(p, out, op, right));
    }
    return DV_OK;
}

static dv_status parse_sum(dvi_expr_parser *p, dvi_expr **out)
{
    dvi_expr *right;
    DVI_TRY(parse_product(p, out));
    while (dvi_expr_is_at(p, "+") || dvi_expr_is_at(p, "-")) {
        const dvi_expr_op op = dvi_expr_is_at(p, "+") ? DVI_EXPR_ADD : DVI_EXPR_SUBTRACT;
        DVI_TRY(dvi_expr_advance(p));
        DVI_TRY(parse_product(p, &right));
        DVI_TRY(join(p, out, op, right));
    }
    return DV_OK;
}

/* The relations of the next token; 0: it is another one. */
static unsigned relations_at(const dvi_expr_parser *p)
{
    static const struct {
        const char *sign;
        unsigned relations;
    } signs[] = {{"=", DV_IS_EQUAL},
                 {"==", DV_IS_EQUAL},
                 {"!=", DV_IS_LESS | DV_IS_GREATER},
                 {"<>", DV_IS_LESS | DV_IS_GREATER},
                 {"<", DV_IS_LESS},
                 {"<=", DV_IS_LESS | DV_IS_EQUAL},
                 {">", DV_IS_GREATER},
                 {">=", DV_IS_GREATER | DV_IS_EQUAL}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (dvi_expr_is_at(p, signs[i].sign))
            return signs[i].relations;
    return 0;
}

static dv_status parse_relation(dvi_expr_parser *p, dvi_expr **left)
{
    dvi_expr *right;
    const unsigned relations = relations_at(p);
    DVI_TRY(dvi_expr_advance(p));
    DVI_TRY(parse_sum(p, &right));
    if (right->op == DVI_EXPR_NA)
        return dvi_expr_fail(p->text, right->at, p->err, "nothing compares with na: x is na");
    if (relations_at(p))
        return FAIL(p, "a relation after another one: x between 1 and 3, or x > 1 and x < 3");
    DVI_TRY(join(p, left, DVI_EXPR_RELATION, right));
    (*left)->relations = relations;
    return DV_OK;
}

static dv_status parse_list(dvi_expr_parser *p, dvi_expr **left)
{
    dvi_expr *made = NULL, *item;
    DVI_TRY(make(p, &made, DVI_EXPR_IN, (*left)->at));
    DVI_TRY(add(p, made, *left));
    DVI_TRY(dvi_expr_advance(p));
    DVI_TRY(dvi_expr_expect(p, "("));
    do {
        DVI_TRY(parse_sign(p, &item));
        if (!dvi_expr_is_constant(item))
            return dvi_expr_fail(p->text, item->at, p->err,
                                 "a list holds values; a text needs quotes");
        DVI_TRY(add(p, made, item));
        p->nodes--;
        if (!dvi_expr_is_at(p, ","))
            break;
        DVI_TRY(dvi_expr_advance(p));
    } while (true);
    *left = made;
    return dvi_expr_expect(p, ")");
}

static dv_status parse_between(dvi_expr_parser *p, dvi_expr **left)
{
    dvi_expr *low, *high;
    DVI_TRY(dvi_expr_advance(p));
    DVI_TRY(parse_sum(p, &low));
    DVI_TRY(dvi_expr_expect(p, "and"));
    DVI_TRY(parse_sum(p, &high));
    dvi_expr *first = *left, *copy = NULL;
    DVI_TRY(join(p, left, DVI_EXPR_BETWEEN, low));
    DVI_TRY(add(p, *left, high));
    if (!dvi_expr_is_constant(first))
        return DV_OK;
    DVI_TRY(make(p, &copy, first->op, first->at)); /* it may meet two types */
    *copy = *first;
    return add(p, *left, copy);
}

static dv_status parse_like(dvi_expr_parser *p, dvi_expr **left)
{
    dvi_expr *pattern;
    DVI_TRY(dvi_expr_advance(p));
    if (p->next.kind != TOKEN_TEXT)
        return FAIL(p, "like needs a text in quotes: name like 'Ad%%'");
    DVI_TRY(parse_primary(p, &pattern));
    return join(p, left, DVI_EXPR_LIKE, pattern);
}

static dv_status parse_is(dvi_expr_parser *p, dvi_expr **left)
{
    dvi_expr *made = NULL;
    DVI_TRY(make(p, &made, DVI_EXPR_IS_NA, (*left)->at));
    DVI_TRY(add(p, made, *left));
    DVI_TRY(dvi_expr_advance(p));
    if (dvi_expr_is_at(p, "not")) {
        made->is_not = true;
        DVI_TRY(dvi_expr_advance(p));
    }
    *left = made;
    return dvi_expr_expect(p, "na");
}

static dv_status parse_test(dvi_expr_parser *p, dvi_expr **out)
{
    DVI_TRY(parse_sum(p, out));
    if (relations_at(p))
        return parse_relation(p, out);
    if (dvi_expr_is_at(p, "is"))
        return parse_is(p, out);
    const bool is_not = dvi_expr_is_at(p, "not");
    if (is_not)
        DVI_TRY(dvi_expr_advance(p));
    if (dvi_expr_is_at(p, "in"))
        DVI_TRY(parse_list(p, out));
    else if (dvi_expr_is_at(p, "between"))
        DVI_TRY(parse_between(p, out));
    else if (dvi_expr_is_at(p, "like"))
        DVI_TRY(parse_like(p, out));
    else
        return is_not ? FAIL(p, "expected in, between or like after not") : DV_OK;
    (*out)->is_not = is_not;
    return DV_OK;
}

static dv_status parse_not(dvi_expr_parser *p, dvi_expr **out)
{
    dvi_expr *arg;
    if (!dvi_expr_is_at(p, "not"))
        return parse_test(p, out);
    const int32_t at = p->next.at;
    DVI_TRY(enter(p));
    DVI_TRY(dvi_expr_advance(p));
    DVI_TRY(parse_not(p, &arg));
    p->level--;
    DVI_TRY(make(p, out, DVI_EXPR_NOT, at));
    return add(p, *out, arg);
}

/* One or more, joined by a word into one node. */
static dv_status parse_joined(dvi_expr_parser *p, dvi_expr **out, const char *word, dvi_expr_op op,
                              dv_status (*parse)(dvi_expr_parser *p, dvi_expr **out))
{
    dvi_expr *right;
    DVI_TRY(parse(p, out));
    if (!dvi_expr_is_at(p, word))
        return DV_OK;
    dvi_expr *joined = NULL;
    DVI_TRY(make(p, &joined, op, (*out)->at));
    DVI_TRY(add(p, joined, *out));
    while (dvi_expr_is_at(p, word)) {
        DVI_TRY(dvi_expr_advance(p));
        DVI_TRY(parse(p, &right));
        DVI_TRY(add(p, joined, right));
    }
    *out = joined;
    return DV_OK;
}

static dv_status parse_and(dvi_expr_parser *p, dvi_expr **out)
{
    return parse_joined(p, out, "and", DVI_EXPR_AND, parse_not);
}

static dv_status parse_or(dvi_expr_parser *p, dvi_expr **out)
{
    return parse_joined(p, out, "or", DVI_EXPR_OR, parse_and);
}

/* --- The whole -------------------------------------------------------------------------------- */

static dv_status check_text(const dvi_expr_parser *p)
{
    for (int32_t i = 0; i < p->nbytes;) {
        const size_t width = dvi_utf8_step(p->text + i, (size_t)(p->nbytes - i));
        if (width == 0)
            return dvi_fail_argument(p->err, "expression: byte %d is not UTF-8", (int)i);
        i += (int32_t)width;
    }
    return DV_OK;
}

dv_status dvi_expr_parse(dvi_expr **expr_out, dvi_arena *arena, dv_text text, dv_error *err)
{
    dv_text copy;
    *expr_out = NULL;
    if (text.nbytes < 0 || text.nbytes > DVI_EXPR_NBYTES)
        return dvi_fail_argument(err, "expression: at most %lld bytes, not %lld",
                                 (long long)DVI_EXPR_NBYTES, (long long)text.nbytes);
    DVI_TRY(dvi_arena_text(arena, &copy, text, err));
    dvi_expr_parser p = {
        .arena = arena, .text = copy.data, .nbytes = (int32_t)copy.nbytes, .err = err};
    DVI_TRY(check_text(&p));
    DVI_TRY(dvi_expr_advance(&p));
    DVI_TRY(parse_or(&p, expr_out));
    if (p.next.kind == TOKEN_END)
        return DV_OK;
    if (p.next.kind == TOKEN_NAME || p.next.kind == TOKEN_TEXT || p.next.kind == TOKEN_NUMBER)
        return FAIL(&p,
                    "expected and, or, or the end; a text of several words needs quotes, a name "
                    "backticks");
    return FAIL(&p, "expected and, or, or the end");
}
