/* SPDX-License-Identifier: MIT */
/* dense_column.h: checks that a column can be written into a matrix, and finds the conversion. */
#ifndef DVI_MATRIX_DENSE_COLUMN_H
#define DVI_MATRIX_DENSE_COLUMN_H

#include "simd/densify.h"
#include "view/column.h"
#include "matrix/dense.h"
#include "matrix/items.h"
#include "matrix/matrix.h"
#include <dataview/dense.h>

/* Items on their way into a matrix. */
typedef struct dvi_dense_items {
    size_t nbytes;
    dvi_na rule;    /* finds NA */
    uint64_t value; /* the bits of the NA replacement */
} dvi_dense_items;

/* The caller's matrix, and how its items are written. */
typedef struct dvi_dense_matrix {
    dvi_matrix to;
    size_t rows, item_nbytes;
    dvi_items_map *from_via;
    dv_dense_na na;
    dvi_dense_items via, own; /* the kind on the way (items.h); the matrix's own */
    dvi_store store;          /* how the kernels store items */
    bool pads;                /* fill, left or cut is not what it is by default */
    uint64_t fill;            /* the bits of an item outside a shorter row */
    bool left;
    dv_dense_cut cut;
    size_t *na_row; /* gets the row of a refused NA; may be NULL */
    const dvi_dense_names *names;
} dvi_dense_matrix;

/* A column that is written into a matrix. */
typedef struct dvi_dense_column {
    int32_t number;     /* number of the column in the batch, for messages; -1: the only one */
    size_t slot, width; /* its first slot in the matrix, and the number of slots */
    size_t item_nbytes; /* bytes of its own items */
    bool is_vector, has_na;
    bool is_key_vector;                /* whose slots without an item are NA */
    bool is_own;                       /* its items go into the matrix as they are */
    dvi_na rule;                       /* finds NA among its own items, for a mask */
    bool is_direct;                    /* to_via makes items of the matrix */
    dvi_items_map *to_via;             /* NULL: its items are of that kind */
    const dvi_densify_kernel *densify; /* the kernel for its own items; NULL: convert them first */
    const uint8_t *values;             /* scalars: the next value */
    dv_sparse rows;                    /* vectors: the next rows */
} dvi_dense_column;

/* The matrix to write, with this many rows, by options that are checked. */
dvi_dense_matrix dvi_dense_matrix_of(void *dst, int64_t rows, size_t stride, dv_kind items,
                                     const dv_dense_options *options);

/* Begin the message of an error with column `number` of the batch; names may be NULL. */
void dvi_dense_within_column(dv_error *err, const dvi_dense_names *names, int32_t number);

/* DV_ERR_ARGUMENT: items of the type cannot be converted to items of the matrix. */
dv_status dvi_dense_check_type(const dv_type *type, dv_kind kind, dv_error *err);

/* The slots of a column of this type: `given`, or as many as the type has; 0: unknown. */
size_t dvi_dense_width_of(const dv_type *type, size_t given);

/* Check that the column can be written into `width` slots without writing elsewhere. Columns of a
 * cursor have been checked, but a caller can also build one, so everything is checked again. */
dv_status dvi_dense_check(const dv_column_view *column, size_t width, const dvi_dense_matrix *m,
                          dv_error *err);

/* How items of a type go into a matrix.  Fields of a column are 0. */
dvi_dense_column dvi_dense_column_of_type(const dv_type *type, dv_kind items);

/* Prepare writing a checked column. */
dvi_dense_column dvi_dense_column_of(const dv_column_view *column, int32_t number, size_t slot,
                                     size_t width, dv_kind kind);

/* Can a kernel take the items without conversion? */
bool dvi_dense_is_plain(const dvi_dense_column *dense, const dvi_dense_matrix *m);

#endif
