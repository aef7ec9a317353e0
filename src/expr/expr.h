/* SPDX-License-Identifier: MIT */
/* expr.h: the tree of an expression (docs/spec/expressions.md). */
#ifndef DVI_EXPR_EXPR_H
#define DVI_EXPR_EXPR_H

#include "base/arena.h"
#include "base/compiler.h"
#include <dataview/schema.h>
#include <dataview/value.h>

#define DVI_EXPR_NBYTES ((int64_t)1 << 20)
#define DVI_EXPR_NODES 4096 /* without the values of lists */
#define DVI_EXPR_DEPTH 200
#define DVI_EXPR_CASES 16    /* functions lower and upper: each holds a copy of its texts */
#define DVI_EXPR_PATTERN 256 /* characters after like */

typedef enum dvi_expr_op {
    /* constants and columns */
    DVI_EXPR_INTEGER,
    DVI_EXPR_REAL,
    DVI_EXPR_TEXT,
    DVI_EXPR_LOGICAL,
    DVI_EXPR_NA,
    DVI_EXPR_COLUMN,
    /* conditions */
    DVI_EXPR_OR,  /* of two or more */
    DVI_EXPR_AND, /* of two or more */
    DVI_EXPR_NOT,
    DVI_EXPR_RELATION, /* `relations`, an enum of transform.h */
    DVI_EXPR_IN,       /* the first is one of the others */
    DVI_EXPR_BETWEEN,  /* a constant comes first and once more, last: for either comparison */
    DVI_EXPR_LIKE,
    DVI_EXPR_IS_NA,
    DVI_EXPR_CONTAINS,
    /* arithmetic */
    DVI_EXPR_ADD,
    DVI_EXPR_SUBTRACT,
    DVI_EXPR_MULTIPLY,
    DVI_EXPR_DIVIDE,
    DVI_EXPR_MODULO,
    DVI_EXPR_NEGATE,
    /* functions, in the order of their table */
    DVI_EXPR_ABS,
    DVI_EXPR_ROUND,
    DVI_EXPR_SQRT,
    DVI_EXPR_LOG,
    DVI_EXPR_EXP,
    DVI_EXPR_LENGTH,
    DVI_EXPR_LOWER,
    DVI_EXPR_UPPER,
    DVI_EXPR_YEAR,
    DVI_EXPR_MONTH,
    DVI_EXPR_DAY,
    DVI_EXPR_COALESCE,
    DVI_EXPR_IF
} dvi_expr_op;

/* The form of values in registers. */
typedef enum dvi_expr_form {
    DVI_EXPR_FORM_NONE,    /* `na` whose type is not known yet */
    DVI_EXPR_FORM_LOGICAL, /* uint8: 0, 1, or 2 for NA */
    DVI_EXPR_FORM_INTEGER, /* int64; INT64_MIN is NA */
    DVI_EXPR_FORM_REAL,    /* double; NaN is NA */
    DVI_EXPR_FORM_TEXT,    /* dv_text */
    DVI_EXPR_FORM_TIME,    /* int64: ticks of DT or TS; INT64_MIN is NA */
    DVI_EXPR_FORM_ZONED,   /* dv_zoned */
    DVI_EXPR_FORM_KEY,  /* int64: the number stored - 2^63, so that 0 is INT64_MIN, which is NA */
    DVI_EXPR_FORM_WIDE, /* never NA; of UG dv_u128; of U8 uint64, and constants that meet it are
                           dv_u128: hi is 1, or 0 below 0 */
    DVI_EXPR_FORM_OTHER /* only tested for NA */
} dvi_expr_form;

typedef struct dvi_expr dvi_expr;
struct dvi_expr {
    dvi_expr_op op;
    int32_t at;    /* where it begins in the text */
    int32_t n;     /* args */
    int32_t depth; /* 1: without args */
    dvi_expr **args;
    bool is_not;   /* of IN, BETWEEN, LIKE, IS_NA: preceded by `not` */
    bool is_share; /* of COLUMN, not in texts: R4 meets reals as R8, and a key is a real, its number
                      less 0.5 by its count */
    unsigned relations;
    dv_text text;    /* of TEXT and COLUMN; of numbers as written */
    int64_t integer; /* of INTEGER; of LOGICAL 0 or 1 */
    double real;     /* of REAL */
    /* set by dvi_expr_bind */
    dvi_expr_form form;
    dv_kind kind;        /* of values: BL, I8, R4, R8, TX, DT, DZ, TS, or of a key or UG */
    bool is_fixed;       /* made of constants alone */
    const dv_type *type; /* of COLUMN */
    int32_t slot;        /* of COLUMN, in dvi_bound_expr.columns */
    dv_scalar scalar;    /* the constant in its form: i8, r8, tx, dz or ug */
    void *list;          /* of IN: the values listed, in the form of its first, sorted */
    int32_t list_n;
    bool has_na; /* of IN: na is listed */
};

/* Read a text into a tree.  The arena holds all of it; the text need not live on.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  where and why it is not an expression; no limit has an option
 * DV_ERR_MEMORY */
dv_status dvi_expr_parse(dvi_expr **expr_out, dvi_arena *arena, dv_text text, dv_error *err);

/* Make a part without arguments, and give a part one more.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_expr_make(dvi_expr **made_out, dvi_arena *arena, dvi_expr_op op, dv_error *err);
dv_status dvi_expr_add(dvi_expr *e, dvi_arena *arena, dvi_expr *arg, dv_error *err);

/* An error about the expression at its place in the text: DV_ERR_ARGUMENT. */
dv_status dvi_expr_fail(const char *text, int32_t at, dv_error *err, const char *format, ...)
    DVI_PRINTF(4, 5);

#if defined(__clang_analyzer__) && !defined(DVI_EXPR_TOKEN_C) /* as in base/error.h */
#define dvi_expr_fail(...) (dvi_expr_fail(__VA_ARGS__), DV_ERR_ARGUMENT)
#endif

/* The name of a function and its arguments. */
typedef struct dvi_expr_function {
    const char *name;
    dvi_expr_op op;
    int32_t least, most; /* arguments */
} dvi_expr_function;
const dvi_expr_function *dvi_expr_function_of(dvi_expr_op op); /* NULL: no function */
const dvi_expr_function *dvi_expr_function_named(dv_text name);

/* Is it a word of the language, in any case? */
bool dvi_expr_is_word(dv_text name);
/* May the name stand without backticks? */
bool dvi_expr_is_plain_name(dv_text name);

/* Write the stored form (expressions:6). Returns false if the sink stopped. */
bool dvi_expr_print(const dvi_expr *expr, const dv_sink *sink);
/* Write it into an arena. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_expr_store(dv_text *text_out, dvi_arena *arena, const dvi_expr *expr, dv_error *err);

static inline bool dvi_expr_is_constant(const dvi_expr *e)
{
    return e->op <= DVI_EXPR_NA;
}

/* An expression on the columns of a source. */
typedef struct dvi_bound_expr {
    dvi_expr *root;
    const char *source_text; /* for errors while it is evaluated; in the arena */
    const int32_t *columns;  /* numbers in the schema, in order of appearance; each once, unless
                                DVI_EXPR_NODES others are between */
    int32_t n;
    int32_t registers;   /* needed to evaluate it */
    bool makes_text;     /* by lower or upper */
    int64_t text_nbytes; /* sum over its constant texts */
} dvi_bound_expr;

/* Check types and give each part its form. `schema` must outlive the tree.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column; types that do not fit
 * DV_ERR_MEMORY */
dv_status dvi_expr_bind(dvi_bound_expr *bound_out, dvi_arena *arena, dv_text text,
                        const dv_schema *schema, dv_error *err);
/* The same for a tree, not bound yet, that was not read from a text. */
dv_status dvi_expr_bind_tree(dvi_bound_expr *bound_out, dvi_arena *arena, dvi_expr *root,
                             const dv_schema *schema, dv_error *err);
/* Read text as a value, but not NA, of a scalar type that is neither BY nor an extension. */
bool dvi_expr_read_value(dv_scalar *scalar_out, const dv_type *type, dv_text text);
/* The type of the column that it makes; DV_ERR_ARGUMENT: it makes none, as `na` alone. */
dv_status dvi_expr_type(dv_type *type_out, const dvi_bound_expr *bound, dv_error *err);
/* DV_ERR_ARGUMENT: it is neither a condition nor logical. */
dv_status dvi_expr_check_condition(const dvi_bound_expr *bound, dv_error *err);

#endif
