/* SPDX-License-Identifier: MIT */
/* mapper_part.h: divides batches of the source whose rows are too large to be made at once. */
#ifndef DVI_TRANSFORM_MAPPER_PART_H
#define DVI_TRANSFORM_MAPPER_PART_H

#include "transform/mapper.h"

/* Each step of a pipeline may double a row.  The values of one row from which the steps of a chain
 * make columns take at most row_nbytes together (open.h).  So that many rows do not take a multiple
 * of that, a step makes them a few at a time: the fewer, the longer the chain below it. */
typedef struct dvi_part {
    int64_t row_nbytes, rows_nbytes; /* limits of one row of the chain; of more rows of the step */
    const dv_type *const *types;     /* by column of the source's batches */
    int32_t columns;
    dv_batch *batch;   /* the rows taken, if they are not all; NULL: not needed yet */
    int64_t from, end; /* the rows taken, in the source's batch */
} dvi_part;

/* The columns from which one column is made. */
typedef struct dvi_part_use {
    const int32_t *slots; /* in the source's batch */
    int32_t n;
    bool fills_slots; /* an item is made for each slot */
    int64_t
        value_nbytes; /* the most that one value or item becomes; 0: not much more than it has */
    int64_t nbytes;   /* per row of the rows taken, without what they become */
    dv_text name;     /* the column's */
} dvi_part_use;

/* Set the limits, for a step above `depth` views. */
void dvi_part_limit(dvi_part *part, int64_t row_nbytes, int32_t depth);

/* Take the rows after `end` of a batch of the source, as many as fit for each of the uses.  *batch
 * becomes the rows taken, and *below_out what dvi_batch_below says of the rows made of them.
 *
 * DV_OK
 * DV_ERR_LIMIT  row_nbytes: a single row does not fit
 * DV_ERR_MEMORY */
dv_status dvi_part_take(dvi_part *part, const dv_batch **batch, dvi_part_use *uses, int32_t n,
                        int64_t *below_out, const dv_allocator *allocator, dv_error *err);
/* Count a column that was made of a use: what its rows have more than those that they were made of.
 * DV_OK; DV_ERR_LIMIT: row_nbytes. */
dv_status dvi_part_made(const dvi_part *part, const dvi_part_use *use, const dv_column_view *made,
                        int64_t *below, dv_error *err);
void dvi_part_free(dvi_part *part);

#endif
