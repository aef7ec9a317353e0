/* SPDX-License-Identifier: MIT */
/* dense_fill.h: columns that were found good, written into a matrix. */
#ifndef DVI_VIEW_DENSE_FILL_H
#define DVI_VIEW_DENSE_FILL_H

#include "matrix/dense_column.h"

/* Parts that are written together: so many at most, and no more bytes of a row unless there is one
 * part alone. */
#define DVI_DENSE_COLUMNS 128
#define DVI_DENSE_STRIPE ((size_t)2 << 10)

/* Write the columns, whose slots follow each other, into every row of the matrix; the columns are
 * used up.  DV_OK; DV_ERR_LIMIT: NA, where it is refused. */
dv_status dvi_dense_fill(const dvi_dense_matrix *m, dvi_dense_column *columns, size_t n,
                         dv_error *err);

#endif
