/* SPDX-License-Identifier: MIT */
/* dense_fill.h: writes checked columns into a matrix. */
#ifndef DVI_MATRIX_DENSE_FILL_H
#define DVI_MATRIX_DENSE_FILL_H

#include "matrix/dense_column.h"

/* The most columns that are written together; and the most bytes of a row, unless there is one
 * column. */
#define DVI_DENSE_COLUMNS 128
#define DVI_DENSE_STRIPE ((size_t)2 << 10)

/* Is a column written row by row, and by itself?  Its rows are shorter or longer than it is wide,
 * and the options say what to do then; or they are vectors of keys. */
bool dvi_dense_goes_by_rows(const dvi_dense_matrix *m, const dvi_dense_column *column);

/* Write the columns, whose slots follow each other, into every row of the matrix; uses the columns
 * up.  One that goes by rows is the only one. DV_OK; DV_ERR_LIMIT: NA, which the policy refuses: of
 * one column the first one, of several any.
 */
dv_status dvi_dense_fill(const dvi_dense_matrix *m, dvi_dense_column *columns, size_t n,
                         dv_error *err);

/* Write the slots of all rows of a column end to end, from m->to.dst on; uses the column up.
 * Statuses as dvi_dense_fill. */
dv_status dvi_dense_fill_ragged(const dvi_dense_matrix *m, dvi_dense_column *column, dv_error *err);

/* Convert n items of a column, at any address, to items of the matrix.  false: one is refused, and
 * those before it may have been written. */
bool dvi_dense_convert(const dvi_dense_matrix *m, const dvi_dense_column *column, void *dst,
                       const void *src, size_t n);

#endif
