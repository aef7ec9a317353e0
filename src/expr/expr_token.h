/* SPDX-License-Identifier: MIT */
/* expr_token.h: the tokens of an expression (expressions:1). */
#ifndef DVI_EXPR_EXPR_TOKEN_H
#define DVI_EXPR_EXPR_TOKEN_H

#include "expr/expr.h"

typedef enum dvi_expr_token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_TEXT,
    TOKEN_NAME, /* between backticks, or neither a word nor before a parenthesis */
    TOKEN_WORD, /* a word of the language */
    TOKEN_CALL, /* a name before a parenthesis */
    TOKEN_SIGN
} dvi_expr_token_kind;

typedef struct dvi_expr_token {
    dvi_expr_token_kind kind;
    int32_t at, end; /* bytes of the text */
    dv_text text;    /* of TEXT and NAME without quotes; of the others as written */
} dvi_expr_token;

typedef struct dvi_expr_parser {
    dvi_arena *arena;
    const char *text; /* with a NUL after it */
    int32_t nbytes;
    int32_t nodes, level, cases;
    dvi_expr_token next;
    dv_error *err;
} dvi_expr_parser;

/* Fail at the next token. */
#define FAIL(p, ...) dvi_expr_fail((p)->text, (p)->next.at, (p)->err, __VA_ARGS__)

/* Read the next token. DV_OK; DV_ERR_ARGUMENT, DV_ERR_MEMORY. */
dv_status dvi_expr_advance(dvi_expr_parser *p);
/* Is the next token this sign or word? */
bool dvi_expr_is_at(const dvi_expr_parser *p, const char *text);
/* Go on after this sign or word, which must be next. */
dv_status dvi_expr_expect(dvi_expr_parser *p, const char *text);

#endif
