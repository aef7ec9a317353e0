/* SPDX-License-Identifier: MIT */
/* matrix.h: checks that rows can be written into the caller's matrix.
 *
 * A wrong index would write anywhere, and a caller may have built the rows, so everything is
 * checked, by the kernels that read fastest. */
#ifndef DVI_MATRIX_MATRIX_H
#define DVI_MATRIX_MATRIX_H

#include "simd/kernel.h"

/* Row-major: dst[i * stride + slot], slots 0..width - 1. */
typedef struct dvi_matrix {
    void *dst;
    size_t width, stride;
    dv_kind item; /* of fixed width */
    int64_t
        first_row; /* the number of row 0, for errors: the rows may be some of a larger matrix */
} dvi_matrix;

/* DV_ERR_ARGUMENT: the matrix cannot have this many rows. */
dv_status dvi_matrix_check(const dvi_matrix *m, int64_t rows, dv_error *err);

/* Check that no row is longer than the matrix is wide. */
dv_status dvi_matrix_check_lengths(const dv_sparse *rows, const dvi_matrix *m, dv_error *err);

/* Check the n indices of rows with valid counts. first_row: the number of the first row, for
 * errors. */
dv_status dvi_matrix_check_indices(const dv_sparse *rows, size_t n, int64_t first_row,
                                   dv_error *err);

/* Fail with DV_ERR_ARGUMENT: a row is longer than the matrix is wide. */
dv_status dvi_matrix_fail_width(const dvi_matrix *m, int64_t row, int32_t length, dv_error *err);

#endif
