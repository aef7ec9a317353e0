/* SPDX-License-Identifier: MIT */
/* dense.h: fills a matrix with columns of a batch. */
#ifndef DVI_MATRIX_DENSE_H
#define DVI_MATRIX_DENSE_H

#include <dataview/dense.h>

/* Copy and check options; given NULL: the defaults. DV_OK, DV_ERR_ARGUMENT. */
dv_status dvi_dense_read_options(const dv_dense_options *given, dv_dense_options *options,
                                 dv_error *err);

/* Check kind and numbers of the options for a matrix of these items.  DV_OK, DV_ERR_ARGUMENT. */
dv_status dvi_dense_check_items(const dv_dense_options *options, dv_kind items, dv_error *err);

/* The width of the matrix that the options make of batches with these n active columns of the
 * schema. DV_OK, DV_ERR_ARGUMENT. */
dv_status dvi_dense_sum_widths(size_t *width_out, const dv_schema *schema, const int32_t *active,
                               int32_t n, const dv_dense_options *options, dv_kind kind,
                               dv_error *err);

/* What messages call the columns of a batch. */
typedef struct dvi_dense_names {
    const dv_schema *schema;
    const int32_t *active; /* the column of the schema that each is */
} dvi_dense_names;

/* Does a matrix of these items have the values of a column as they are, `width` slots of each row
 * (0: as many as its type says)? */
bool dvi_dense_is_own(const dv_type *type, dv_kind items, size_t width);

/* As dv_batch_dense, for a batch that is the rows from first_row on of a larger matrix: errors
 * count from there.  dst is still that of the batch's first row.  names: NULL: messages have
 * numbers of columns. */
dv_status dvi_dense_rows(const dv_batch *batch, int64_t first_row, void *dst, size_t stride,
                         dv_kind kind, const dv_dense_options *given, const dvi_dense_names *names,
                         dv_error *err);

#endif
