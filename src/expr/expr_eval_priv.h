/* SPDX-License-Identifier: MIT */
/* expr_eval_priv.h: what the files share that evaluate the parts of an expression. */
#ifndef DVI_EXPR_EXPR_EVAL_PRIV_H
#define DVI_EXPR_EXPR_EVAL_PRIV_H

#include "base/check.h"
#include "expr/expr_eval.h"
#include <math.h>
#include <string.h>

#define NA INT64_MIN

typedef dvi_expr_register reg;
typedef dvi_expr_run run;

static inline reg *dvi_expr_register_at(const run *r, int32_t i)
{
    return (reg *)(void *)((char *)r->registers + (size_t)i * r->stride);
}

/* A register that is free again when the part that takes it has been evaluated. */
static inline reg *dvi_expr_take(run *r)
{
    return dvi_expr_register_at(r, r->used++);
}

static inline double dvi_expr_rounded(double value, dv_kind kind)
{
    return kind == DV_KIND_R4 ? (double)(float)value : value;
}

/* Evaluate into dst. matters: of each row; an error counts only where it is 1. */
dv_status dvi_expr_eval(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters, dv_error *err);
/* Evaluate an argument. *values_out: a register that is taken, or the memory of the column. */
dv_status dvi_expr_argument(run *r, const dvi_expr *e, const reg **values_out,
                            const uint8_t *matters, dv_error *err);
/* Evaluate a number or `na` in the form and precision of the whole; anything else as it is. */
dv_status dvi_expr_eval_as(run *r, const dvi_expr *e, const dvi_expr *whole, reg *dst,
                           const uint8_t *matters, dv_error *err);
/* DV_ERR_LOSS, in row i of those being evaluated: an integer needs more than 64 bits. */
dv_status dvi_expr_fail_row(const run *r, const dvi_expr *e, int32_t i, dv_error *err);
/* Write 1 where a value is NA. */
void dvi_expr_find_missing(const run *r, uint8_t *dst, const reg *src, dvi_expr_form form);

/* The parts, as dvi_expr_eval. */
typedef dv_status dvi_expr_part(run *r, const dvi_expr *e, reg *dst, const uint8_t *matters,
                                dv_error *err);
dvi_expr_part dvi_expr_arithmetic, dvi_expr_number, dvi_expr_date; /* expr_number.c */
dvi_expr_part dvi_expr_length, dvi_expr_case, dvi_expr_like;       /* expr_text.c */
dvi_expr_part dvi_expr_relation, dvi_expr_between, dvi_expr_in;    /* expr_compare.c */

#endif
