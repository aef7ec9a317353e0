/* SPDX-License-Identifier: MIT */
/* row_filter.h: views of the rows of a source for which a condition holds.
 *
 * Such a transform makes the condition. Its cursor is written here: it reads the columns that the
 * active columns and the condition need, and returns each batch without the rows that fail;
 * unchanged if none fails. */
#ifndef DVI_TRANSFORM_ROW_FILTER_H
#define DVI_TRANSFORM_ROW_FILTER_H
#include "scan/derived.h"

#include "expr/expr.h"

typedef struct dvi_row_filter {
    dvi_derived base;
    dvi_bound_expr condition; /* bound by dvi_expr_bind, or by dvi_row_filter_view */
    dv_text stored;           /* its stored form */
} dvi_row_filter;

dv_status dvi_row_filter_create(dvi_row_filter **filter_out, dv_view *source,
                                const dv_allocator *allocator, dv_error *err);
/* Make a part of the condition and give it to `whole` as an argument; NULL: it is the condition.
 * DV_OK; DV_ERR_MEMORY. */
dv_status dvi_row_filter_add(dvi_row_filter *filter, dvi_expr *whole, dvi_expr_op op,
                             dvi_expr **part_out, dv_error *err);
/* Make the view. It takes the filter, also on failure. If `status` is a failure, it only frees the
 * filter and returns that status. */
dv_status dvi_row_filter_view(dv_view **view_out, dvi_row_filter *filter, dv_status status,
                              dv_error *err);

#endif
