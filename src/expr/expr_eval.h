/* SPDX-License-Identifier: MIT */
/* expr_eval.h: evaluates an expression for the rows of batches (expressions:2 to 4). */
#ifndef DVI_EXPR_EXPR_EVAL_H
#define DVI_EXPR_EXPR_EVAL_H

#include "base/owner.h"
#include "view/column.h"
#include "expr/expr.h"

#define DVI_EXPR_ROWS 1024 /* evaluated at a time, so that all registers stay in the cache */

/* Values of some rows, in the form of the expression. */
typedef union dvi_expr_register {
    uint8_t logical[DVI_EXPR_ROWS];
    int64_t integer[DVI_EXPR_ROWS];
    double real[DVI_EXPR_ROWS];
    dv_text text[DVI_EXPR_ROWS];
    dv_zoned zoned[DVI_EXPR_ROWS];
    uint64_t large[DVI_EXPR_ROWS];
    dv_u128 wide[DVI_EXPR_ROWS];
} dvi_expr_register;

/* The evaluation of an expression by one cursor. */
typedef struct dvi_expr_run {
    const dvi_bound_expr *bound;
    const dv_allocator *allocator;
    size_t stride;                /* bytes of a register: fewer rows if there are many */
    dvi_expr_register *registers; /* bound->registers, of which `used` hold values; one more for
                                     the result, and one for the rows that matter */
    int32_t used;
    dvi_column *rest; /* by column: the remaining rows of the batch */
    int64_t row;      /* number of the first of these rows, for errors */
    int32_t n;        /* rows being evaluated */
    dvi_arena texts;  /* that lower and upper make, until the next rows are evaluated */
    int64_t texts_nbytes, row_nbytes; /* the latter: an option of open.h */
} dvi_expr_run;

/* DV_OK; DV_ERR_MEMORY. A zeroed run may be closed. */
dv_status dvi_expr_open(dvi_expr_run *run, const dvi_bound_expr *bound, int64_t row_nbytes,
                        const dv_allocator *allocator, dv_error *err);
void dvi_expr_close(dvi_expr_run *run);

/* Begin a batch. slots: of each column of the expression in the batch; first_row: of the source. */
void dvi_expr_begin(dvi_expr_run *run, const dv_batch *batch, const int32_t *slots);
/* Evaluate the next rows, at most `most`: run->n of them, and *result_out holds their values until
 * the next call. matters: of each of these rows, whether an error in it is one; NULL: all.
 *
 * DV_OK
 * DV_ERR_LOSS    an integer of more than 64 bits, in a row that matters
 * DV_ERR_LIMIT   row_nbytes: the texts made of one row
 * DV_ERR_MEMORY */
dv_status dvi_expr_next(dvi_expr_run *run, int64_t most, const uint8_t *matters,
                        const dvi_expr_register **result_out, dv_error *err);

/* Read a column into a register: the first n rows of `column`. */
void dvi_expr_load(dvi_expr_register *dst, const dvi_expr *e, const dv_column_view *column,
                   int32_t n);
/* Write 1 where a value of a column of any type is NA. */
void dvi_expr_load_missing(uint8_t *dst, const dv_column_view *column, int32_t n);

/* Does the text fit a pattern of `like`? */
bool dvi_expr_fits(dv_text text, dv_text pattern);
/* Is it a pattern whose escapes are sound, and of no more characters than are allowed? */
bool dvi_expr_is_pattern(dv_text pattern);

#endif
