/* SPDX-License-Identifier: MIT */
/* expression.h: views of the rows for which a condition holds, and of columns that are computed
 * (docs/spec/expressions.md). */
#ifndef DATAVIEW_EXPRESSION_H
#define DATAVIEW_EXPRESSION_H

#include <dataview/value.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* expressions:1 to expressions:4 define the language:
 *
 *     price > 3 and town in ('Bath', 'Ely')
 *     if(area > 0, price / area, na)
 *
 * The functions check it before they return.  What can only be seen in the rows fails while these
 * are read: DV_ERR_LOSS, where an integer would need more than 64 bits (expressions:T1); the
 * message names the row of the source. */

/* Make a view of the rows for which a condition holds: of these rows, views as dv_view_filter
 * (transform.h) makes them.  The text need not outlive the call.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no expression, or no condition; the message says where.  No such column; types
 *                  that do not compare
 * DV_ERR_MEMORY */
DV_API dv_status dv_view_where(dv_view **view_out, dv_view *source, dv_text condition,
                               const dv_allocator *allocator, dv_error *err);

/* A new column, and the expression of its values. */
typedef struct dv_computed {
    dv_text name, expression;
} dv_computed;

/* Make a view that adds n computed columns. A new column hides one of the same name.
 * Each sees the columns of the source, not the new ones.
 *
 * schema  the columns of the source, then the new ones: BL, I8, R4, R8, TX, DT, DZ or TS
 *         (expressions:5)
 * rows    the rows of the source, with their ids
 *
 * DV_OK
 * DV_ERR_ARGUMENT  as above; two new columns of one name; an empty name; an expression that makes
 *                  no column
 * DV_ERR_MEMORY */
DV_API dv_status dv_view_compute(dv_view **view_out, dv_view *source, const dv_computed *columns,
                                 int32_t n, const dv_allocator *allocator, dv_error *err);

/* Write the stored form of an expression (expressions:6) to a sink, without looking at columns.
 *
 * DV_OK            also if the sink stopped
 * DV_ERR_ARGUMENT  no expression
 * DV_ERR_MEMORY */
DV_API dv_status dv_expression_print(dv_text expression, const dv_sink *sink,
                                     const dv_allocator *allocator, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
