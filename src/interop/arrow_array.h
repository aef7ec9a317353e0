/* SPDX-License-Identifier: MIT */
/* arrow_array.h: makes Arrow arrays of rows of a batch, as the plan says. */
#ifndef DVI_INTEROP_ARROW_ARRAY_H
#define DVI_INTEROP_ARROW_ARRAY_H

#include "view/column.h"
#include "interop/arrow_plan.h"

/* Scalars of which arrays are made: a column view, or the slots of vectors. */
typedef struct dvi_arrow_source {
    const dv_batch *batch;           /* that the array retains */
    int64_t n;                       /* scalars */
    int64_t row;                     /* of the cursor, for errors; vectors: the first one */
    dv_column_view scalars;          /* all of them; with rows: those that are stored */
    const dv_vector_layout *vectors; /* the rows whose slots they are, if some are not stored; NULL:
                                        all are */
    int64_t rows;
} dvi_arrow_source;

/* Scalars, in the form of the field. */
dv_status dvi_arrow_array_of_scalars(struct ArrowArray *array_out, const dvi_arrow_plan *plan,
                                     const dvi_arrow_field *field, const dvi_arrow_source *source,
                                     dv_error *err);

/* The slots of the first row of a vector column, as scalars in the form of the field. */
dv_status dvi_arrow_array_of_items(struct ArrowArray *array_out, const dvi_arrow_plan *plan,
                                   const dvi_arrow_field *field, const dv_batch *batch,
                                   const dv_column_view *vector, dv_error *err);

/* Rows first..first+n-1 of column k of the batch, or of all columns as a struct.
 *
 * DV_OK; DV_ERR_LOSS, DV_ERR_LIMIT, DV_ERR_MEMORY: release is NULL. */
dv_status dvi_arrow_array_of_column(struct ArrowArray *array_out, const dvi_arrow_plan *plan,
                                    const dv_batch *batch, int32_t k, int64_t first, int64_t n,
                                    dv_error *err);
dv_status dvi_arrow_array_of(struct ArrowArray *array_out, const dvi_arrow_plan *plan,
                             const dv_batch *batch, int64_t first, int64_t n, dv_error *err);

/* How many rows from `first` on need at most made_nbytes of new memory; at least 1. */
int64_t dvi_arrow_rows_that_fit(const dvi_arrow_plan *plan, const dv_batch *batch, int64_t first);

#endif
