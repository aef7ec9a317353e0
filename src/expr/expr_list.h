/* SPDX-License-Identifier: MIT */
/* expr_list.h: the sorted values of `in`. */
#ifndef DVI_EXPR_EXPR_LIST_H
#define DVI_EXPR_EXPR_LIST_H

#include "expr/expr.h"

/* Add a listed value, in the form of the first argument; an integer column has no value with a
 * fraction. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_expr_list_add(dvi_expr *e, const dvi_expr *item, dvi_arena *arena, dv_error *err);
/* Sort the values, once all are added. */
void dvi_expr_list_sort(dvi_expr *e);

#endif
