/* SPDX-License-Identifier: MIT */
/* dense_fill.h: writes checked columns into a matrix. */
#ifndef DVI_MATRIX_DENSE_FILL_H
#define DVI_MATRIX_DENSE_FILL_H

#include "matrix/dense_column.h"

/* The most columns that are written together; and the most bytes of a row, unless there is one
 * column. */
#define DVI_DENSE_COLUMNS 128
#define DVI_DENSE_STRIPE ((size_t)2 << 10)

/* Write the columns, whose slots follow each other, into every row of the matrix; uses the columns
 * up. DV_OK; DV_ERR_LIMIT: NA, which the policy refuses: of one column the first one, of several
 * any.
 */
dv_status dvi_dense_fill(const dvi_dense_matrix *m, dvi_dense_column *columns, size_t n,
                         dv_error *err);

/* Convert n items of a column, at any address, to items of the matrix.  false: one is refused, and
 * those before it may have been written. */
bool dvi_dense_convert(const dvi_dense_matrix *m, const dvi_dense_column *column, void *dst,
                       const void *src, size_t n);

#endif
