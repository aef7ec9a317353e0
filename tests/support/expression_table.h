/* SPDX-License-Identifier: MIT */
/* expression_table.h: a table with a column of each kind, with NA, for expressions. */
#ifndef DVT_EXPRESSION_TABLE_H
#define DVT_EXPRESSION_TABLE_H

#include <dataview/view.h>

#define DVT_EXPRESSION_ROWS 8

/* Columns i1 i2 i4 i8 u1 u2 u4 u8 r4 r8 tx bl ts dt dz ug key v (a vector of R4) and "two words"
 * (I4). */
dv_view *dvt_expression_table(void);

#endif
