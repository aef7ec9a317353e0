/* SPDX-License-Identifier: MIT */
/* expr_print.c: writes the stored form of an expression (expressions:6). */
#include "codec/number.h"
#include "expr/expr.h"
#include <dataview/transform.h>
#include <math.h>
#include <string.h>

/* How tightly the parts of an expression hold together. */
enum { OR = 1, AND, NOT, TEST, SUM, PRODUCT, SIGN, PRIMARY };

static int level_of(const dvi_expr *e)
{
    switch (e->op) {
    case DVI_EXPR_OR:
        return OR;
    case DVI_EXPR_AND:
        return AND;
    case DVI_EXPR_NOT:
        return NOT;
    case DVI_EXPR_RELATION:
    case DVI_EXPR_IN:
    case DVI_EXPR_BETWEEN:
    case DVI_EXPR_LIKE:
    case DVI_EXPR_IS_NA:
        return TEST;
    case DVI_EXPR_ADD:
    case DVI_EXPR_SUBTRACT:
        return SUM;
    case DVI_EXPR_MULTIPLY:
    case DVI_EXPR_DIVIDE:
    case DVI_EXPR_MODULO:
        return PRODUCT;
    case DVI_EXPR_NEGATE:
        return SIGN;
    case DVI_EXPR_INTEGER:
        return e->integer < 0 ? SIGN : PRIMARY;
    case DVI_EXPR_REAL:
        return signbit(e->real) ? SIGN : PRIMARY;
    default:
        return PRIMARY;
    }
}

static bool put(const dv_sink *sink, const char *text)
{
    return sink->write(sink->ctx, text, strlen(text));
}

/* Between quotes; a quote in the text is doubled. */
static bool put_quoted(const dv_sink *sink, dv_text text, char quote)
{
    const char two[] = {quote, quote};
    bool goes_on = sink->write(sink->ctx, two, 1);
    for (int64_t i = 0; i < text.nbytes && goes_on; i++)
        goes_on = sink->write(sink->ctx, text.data[i] == quote ? two : text.data + i,
                              text.data[i] == quote ? 2 : 1);
    return goes_on && sink->write(sink->ctx, two, 1);
}

static bool put_name(const dv_sink *sink, dv_text name)
{
    if (!dvi_expr_is_plain_name(name))
        return put_quoted(sink, name, '`');
    return sink->write(sink->ctx, name.data, (size_t)name.nbytes);
}

static bool put_real(const dv_sink *sink, double real)
{
    char digits[DVI_NUMBER_NBYTES + 2];
    size_t n = dvi_number_print_r8(digits, real);
    if (!memchr(digits, '.', n) && !memchr(digits, 'E', n)) {
        digits[n++] = '.';
        digits[n++] = '0';
    }
    return sink->write(sink->ctx, digits, n);
}

static bool put_integer(const dv_sink *sink, int64_t integer)
{
    char digits[DVI_NUMBER_NBYTES];
    return sink->write(sink->ctx, digits, dvi_number_print_i8(digits, integer));
}

static const char *sign_of(unsigned relations)
{
    static const char *const signs[] = {"", " < ", " = ", " <= ", " > ", " != ", " >= "};
    return signs[relations % 7];
}

static bool print(const dvi_expr *e, const dv_sink *sink, int least);

static bool print_list(const dvi_expr *e, const dv_sink *sink, int32_t from, const char *between)
{
    bool goes_on = true;
    for (int32_t i = from; i < e->n && goes_on; i++)
        goes_on = (i == from || put(sink, between)) && print(e->args[i], sink, OR);
    return goes_on;
}

static bool print_joined(const dvi_expr *e, const dv_sink *sink, const char *word, int least)
{
    bool goes_on = true;
    for (int32_t i = 0; i < e->n && goes_on; i++)
        goes_on = (i == 0 || put(sink, word)) && print(e->args[i], sink, least);
    return goes_on;
}

static bool print_two(const dvi_expr *e, const dv_sink *sink, const char *sign, int left, int right)
{
    return print(e->args[0], sink, left) && put(sink, sign) && print(e->args[1], sink, right);
}

static bool print_test(const dvi_expr *e, const dv_sink *sink)
{
    if (e->op == DVI_EXPR_RELATION)
        return print_two(e, sink, sign_of(e->relations), SUM, SUM);
    if (!print(e->args[0], sink, SUM))
        return false;
    if (e->op == DVI_EXPR_IS_NA)
        return put(sink, e->is_not ? " is not na" : " is na");
    if (e->is_not && !put(sink, " not"))
        return false;
    if (e->op == DVI_EXPR_LIKE)
        return put(sink, " like ") && print(e->args[1], sink, PRIMARY);
    if (e->op == DVI_EXPR_BETWEEN)
        return put(sink, " between ") && print(e->args[1], sink, SUM) && put(sink, " and ") &&
               print(e->args[2], sink, SUM);
    return put(sink, " in (") && print_list(e, sink, 1, ", ") && put(sink, ")");
}

/* A number after a minus needs parentheses: without them, both are one constant. */
static bool is_number(const dvi_expr *e)
{
    return e->op == DVI_EXPR_INTEGER || e->op == DVI_EXPR_REAL;
}

static bool print_one(const dvi_expr *e, const dv_sink *sink)
{
    switch (e->op) {
    case DVI_EXPR_INTEGER:
        return put_integer(sink, e->integer);
    case DVI_EXPR_REAL:
        return put_real(sink, e->real);
    case DVI_EXPR_TEXT:
        return put_quoted(sink, e->text, '\'');
    case DVI_EXPR_LOGICAL:
        return put(sink, e->integer ? "true" : "false");
    case DVI_EXPR_NA:
        return put(sink, "na");
    case DVI_EXPR_COLUMN:
        return put_name(sink, e->text) && (!e->is_share || put(sink, ":share"));
    case DVI_EXPR_OR:
        return print_joined(e, sink, " or ", AND);
    case DVI_EXPR_AND:
        return print_joined(e, sink, " and ", NOT);
    case DVI_EXPR_NOT:
        return put(sink, "not ") && print(e->args[0], sink, NOT);
    case DVI_EXPR_RELATION:
    case DVI_EXPR_IN:
    case DVI_EXPR_BETWEEN:
    case DVI_EXPR_LIKE:
    case DVI_EXPR_IS_NA:
        return print_test(e, sink);
    case DVI_EXPR_ADD:
        return print_two(e, sink, " + ", SUM, PRODUCT);
    case DVI_EXPR_SUBTRACT:
        return print_two(e, sink, " - ", SUM, PRODUCT);
    case DVI_EXPR_MULTIPLY:
        return print_two(e, sink, " * ", PRODUCT, SIGN);
    case DVI_EXPR_DIVIDE:
        return print_two(e, sink, " / ", PRODUCT, SIGN);
    case DVI_EXPR_MODULO:
        return print_two(e, sink, " % ", PRODUCT, SIGN);
    case DVI_EXPR_NEGATE:
        return put(sink, "-") &&
               print(e->args[0], sink, is_number(e->args[0]) ? PRIMARY + 1 : SIGN);
    default:
        return put(sink, dvi_expr_function_of(e->op)->name) && put(sink, "(") &&
               print_list(e, sink, 0, ", ") && put(sink, ")");
    }
}

/* Print a part, in parentheses unless it holds together as tightly as its place asks for. */
static bool print(const dvi_expr *e, const dv_sink *sink, int least)
{
    if (level_of(e) >= least)
        return print_one(e, sink);
    return put(sink, "(") && print_one(e, sink) && put(sink, ")");
}

bool dvi_expr_print(const dvi_expr *expr, const dv_sink *sink)
{
    return print(expr, sink, OR);
}

/* A text that grows in an arena. */
typedef struct growing_text {
    dvi_arena *arena;
    char *data;
    int64_t n;
    dv_status status;
    dv_error *err;
} growing_text;

static bool append(void *ctx, const char *data, size_t nbytes)
{
    growing_text *text = ctx;
    for (size_t i = 0; i < nbytes && text->status == DV_OK; i++) {
        text->status = dvi_arena_append(text->arena, &text->data, text->n, data + i, 1, text->err);
        text->n++;
    }
    return text->status == DV_OK;
}

dv_status dvi_expr_store(dv_text *text_out, dvi_arena *arena, const dvi_expr *expr, dv_error *err)
{
    growing_text stored = {.arena = arena, .err = err};
    dvi_expr_print(expr, &(dv_sink){append, &stored});
    *text_out = (dv_text){stored.data, stored.n};
    return stored.status;
}
