/* SPDX-License-Identifier: MIT */
/* expr_token.c: divides the text of an expression into tokens. */
#define DVI_EXPR_TOKEN_C
#include "expr/expr_token.h"
#include "base/check.h"
#include "codec/digits.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- Errors ----------------------------------------------------------------------------------- */

dv_status dvi_expr_fail(const char *text, int32_t at, dv_error *err, const char *format, ...)
{
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    int32_t character = 1;
    for (int32_t i = 0; i < at; i++)
        character += ((unsigned char)text[i] & 0xC0) != 0x80;
    const dv_text rest = {text + at, (int64_t)strlen(text + at)};
    if (rest.nbytes == 0)
        return dvi_fail_argument(err, "expression: at its end: %s", what);
    return dvi_fail_argument(err, "expression: character %d, at \"%s\": %s", (int)character,
                             dvi_show(rest).text, what);
}

/* --- Words ------------------------------------------------------------------------------------ */

static const char *const words[] = {"and",  "or", "not", "in",   "between",
                                    "like", "is", "na",  "true", "false"};

static bool equals(dv_text a, const char *b)
{
    return a.nbytes == (int64_t)strlen(b) && strncasecmp(a.data, b, (size_t)a.nbytes) == 0;
}

bool dvi_expr_is_word(dv_text name)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (equals(name, words[i]))
            return true;
    return false;
}

static const dvi_expr_function functions[] = {{"abs", DVI_EXPR_ABS, 1, 1},
                                              {"round", DVI_EXPR_ROUND, 1, 1},
                                              {"sqrt", DVI_EXPR_SQRT, 1, 1},
                                              {"log", DVI_EXPR_LOG, 1, 1},
                                              {"exp", DVI_EXPR_EXP, 1, 1},
                                              {"length", DVI_EXPR_LENGTH, 1, 1},
                                              {"lower", DVI_EXPR_LOWER, 1, 1},
                                              {"upper", DVI_EXPR_UPPER, 1, 1},
                                              {"contains", DVI_EXPR_CONTAINS, 2, 2},
                                              {"year", DVI_EXPR_YEAR, 1, 1},
                                              {"month", DVI_EXPR_MONTH, 1, 1},
                                              {"day", DVI_EXPR_DAY, 1, 1},
                                              {"coalesce", DVI_EXPR_COALESCE, 1, DVI_EXPR_NODES},
                                              {"if", DVI_EXPR_IF, 3, 3}};

const dvi_expr_function *dvi_expr_function_named(dv_text name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (equals(name, functions[i].name))
            return &functions[i];
    return NULL;
}

const dvi_expr_function *dvi_expr_function_of(dvi_expr_op op)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].op == op)
            return &functions[i];
    return NULL;
}

/* --- Tokens ----------------------------------------------------------------------------------- */

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool dvi_expr_is_plain_name(dv_text name)
{
    if (name.nbytes < 1 || !begins_name(name.data[0]) || dvi_expr_is_word(name))
        return false;
    for (int64_t i = 1; i < name.nbytes; i++)
        if (!begins_name(name.data[i]) && !dvi_is_digit(name.data[i]))
            return false;
    return true;
}

/* Read a quoted token; two quotes are one. */
static dv_status read_quoted(dvi_expr_parser *p, dvi_expr_token *t, char quote)
{
    int32_t i = t->at + 1, doubled = 0;
    void *made;
    for (; i < p->nbytes; i++)
        if (p->text[i] == quote) {
            if (p->text[i + 1] != quote)
                break;
            i++;
            doubled++;
        }
    if (i >= p->nbytes)
        return FAIL(p, "the closing %c is missing", quote);
    t->end = i + 1;
    const int32_t first = t->at + 1, n = i - first;
    t->text = (dv_text){p->text + first, n};
    if (doubled == 0)
        return DV_OK;
    DVI_TRY(dvi_arena_alloc(p->arena, &made, (size_t)n, p->err));
    char *copy = made;
    t->text = (dv_text){copy, n - doubled};
    for (int32_t k = first; k < i; k++) {
        *copy++ = p->text[k];
        k += p->text[k] == quote;
    }
    return DV_OK;
}

static int32_t skip_digits(const dvi_expr_parser *p, int32_t at)
{
    while (dvi_is_digit(p->text[at]))
        at++;
    return at;
}

static dv_status read_number(dvi_expr_parser *p, dvi_expr_token *t)
{
    int32_t end = skip_digits(p, t->at);
    if (p->text[end] == '.')
        end = skip_digits(p, end + 1);
    if (p->text[end] == 'e' || p->text[end] == 'E') {
        const int32_t sign = end + 1 + (p->text[end + 1] == '+' || p->text[end + 1] == '-');
        if (dvi_is_digit(p->text[sign]))
            end = skip_digits(p, sign);
    }
    if (begins_name(p->text[end]) || p->text[end] == '.')
        return FAIL(p, "no number; a text needs quotes, a name that begins with a digit backticks");
    t->end = end;
    return DV_OK;
}

static void read_name(const dvi_expr_parser *p, dvi_expr_token *t)
{
    int32_t end = t->at, after;
    while (begins_name(p->text[end]) || dvi_is_digit(p->text[end]))
        end++;
    t->end = end;
    t->text = (dv_text){p->text + t->at, end - t->at};
    for (after = end; is_blank(p->text[after]); after++)
        continue;
    t->kind = dvi_expr_is_word(t->text) ? TOKEN_WORD
              : p->text[after] == '('   ? TOKEN_CALL
                                        : TOKEN_NAME;
}

static bool is_sign(const dvi_expr_parser *p, int32_t at, int32_t *n_out)
{
    static const char *const signs[] = {"==", "!=", "<>", "<=", ">=", "=", "<", ">",
                                        "+",  "-",  "*",  "/",  "%",  "(", ")", ","};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        *n_out = (int32_t)strlen(signs[i]);
        if (strncmp(p->text + at, signs[i], (size_t)*n_out) == 0)
            return true;
    }
    return false;
}

/* Show the word for a sign of another language. */
static dv_status refuse_sign(dvi_expr_parser *p)
{
    const char *at = p->text + p->next.at;
    if (*at == '&')
        return FAIL(p, "write \"and\"");
    if (*at == '|')
        return FAIL(p, "write \"or\"");
    if (*at == '!' || *at == '~')
        return FAIL(p, "write \"not\"");
    if (*at == '[')
        return FAIL(p, "a list stands in parentheses: x in (1, 2)");
    return FAIL(p, "no part of an expression");
}

/* Read the next token. */
dv_status dvi_expr_advance(dvi_expr_parser *p)
{
    dvi_expr_token *t = &p->next;
    int32_t at = t->end, n;
    while (is_blank(p->text[at]))
        at++;
    *t = (dvi_expr_token){TOKEN_SIGN, at, at, {p->text + at, 0}};
    const char c = p->text[at];
    if (at >= p->nbytes) {
        t->kind = TOKEN_END;
        return DV_OK;
    }
    if (c == '\'' || c == '"' || c == '`') {
        t->kind = c == '`' ? TOKEN_NAME : TOKEN_TEXT;
        return read_quoted(p, t, c);
    }
    if (begins_name(c)) {
        read_name(p, t);
        return DV_OK;
    }
    if (dvi_is_digit(c) || (c == '.' && dvi_is_digit(p->text[at + 1]))) {
        t->kind = TOKEN_NUMBER;
        DVI_TRY(read_number(p, t));
    } else if (is_sign(p, at, &n)) {
        t->end = at + n;
    } else {
        return refuse_sign(p);
    }
    t->text = (dv_text){p->text + at, t->end - at};
    return DV_OK;
}

bool dvi_expr_is_at(const dvi_expr_parser *p, const char *text)
{
    return (p->next.kind == TOKEN_SIGN || p->next.kind == TOKEN_WORD) && equals(p->next.text, text);
}

dv_status dvi_expr_expect(dvi_expr_parser *p, const char *text)
{
    if (!dvi_expr_is_at(p, text))
        return FAIL(p, "expected %s", text);
    return dvi_expr_advance(p);
}
