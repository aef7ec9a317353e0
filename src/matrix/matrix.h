/* SPDX-License-Identifier: MIT */
/* matrix.h: may this be written into a matrix of the caller's?
 *
 * A wrong index is a write anywhere, and what a caller gives may be made by hand: all of it is
 * checked, by the kernels that read fastest. */
#ifndef DVI_VIEW_MATRIX_H
#define DVI_VIEW_MATRIX_H

#include <dataview/kernel.h>

/* Row by row: dst[i * stride + slot], slots 0..width - 1. */
typedef struct dvi_matrix {
    void *dst;
    size_t width, stride;
    dv_kind item; /* DV_KIND_R4, DV_KIND_R8 or DV_KIND_I8 */
} dvi_matrix;

/* DV_ERR_ARGUMENT: so many rows cannot be there. */
dv_status dvi_matrix_check(const dvi_matrix *m, int64_t rows, dv_error *err);

/* The n indices of rows whose counts are sound; first_row: what an error calls the first of them.
 */
dv_status dvi_matrix_check_indices(const dv_sparse *rows, size_t n, int64_t first_row,
                                   dv_error *err);

/* DV_ERR_ARGUMENT, which it returns: a row is longer than the matrix is wide. */
dv_status dvi_matrix_fail_width(const dvi_matrix *m, int64_t row, int32_t length, dv_error *err);

#endif
