/* SPDX-License-Identifier: MIT */
/* dense_column.h: may a column go into a matrix, and what has to happen to its items? */
#ifndef DVI_VIEW_DENSE_COLUMN_H
#define DVI_VIEW_DENSE_COLUMN_H

#include "simd/densify.h"
#include "view/column.h"
#include "matrix/matrix.h"
#include <dataview/dense.h>

/* The caller's matrix, and what its items are to be. */
typedef struct dvi_dense_matrix {
    dvi_matrix to;
    size_t rows, item_nbytes;
    dv_dense_na na;
    dv_na rule;     /* which of its items are NA */
    uint64_t value; /* the bits of what replaces them */
    dv_store store; /* how it is written */
} dvi_dense_matrix;

/* A column on its way into a matrix. */
typedef struct dvi_dense_column {
    int32_t number;     /* which column of the batch it is, for messages; -1: the only one */
    size_t slot, width; /* the first of its slots, and how many */
    size_t item_nbytes; /* of its own items */
    bool is_vector, is_clock;
    void (*map)(void *dst, const void *src, size_t n); /* to items of the matrix; NULL: they are */
    const dvi_densify_kernel *densify; /* from its own items; NULL: map them first */
    const uint8_t *values;             /* scalars: the next one */
    dv_sparse rows;                    /* vectors: the next ones */
} dvi_dense_column;

/* DV_ERR_ARGUMENT: items of the type, or of its vectors, do not become those of a matrix. */
dv_status dvi_dense_check_type(const dv_type *type, dv_kind kind, dv_error *err);

/* The slots that a column of this type takes: as many as are given, or as the type says; 0: it does
 * not. */
size_t dvi_dense_width_of(const dv_type *type, size_t given);

/* Can the column be written at all, into so many slots, and nowhere else?  A column that a cursor
 * gave has been checked, but one may be made by hand: so all of it is checked again. */
dv_status dvi_dense_check(const dv_column_view *column, size_t width, const dvi_dense_matrix *m,
                          dv_error *err);

/* How a column that was found good is written. */
dvi_dense_column dvi_dense_column_of(const dv_column_view *column, int32_t number, size_t slot,
                                     size_t width, dv_kind kind);

/* Can a kernel take its items as they are? */
bool dvi_dense_is_plain(const dvi_dense_column *dense, const dvi_dense_matrix *m);

#endif
