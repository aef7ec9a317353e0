/* SPDX-License-Identifier: MIT */
/* arrow_piece.h: makes columns of rows of an array that is held. */
#ifndef DVI_INTEROP_ARROW_PIECE_H
#define DVI_INTEROP_ARROW_PIECE_H

#include "interop/arrow_read.h"

#define DVI_ARROW_PIECE_ROWS 65536 /* of a batch, at most */

/* An array that was taken from its producer. It is released with the last reference. */
typedef struct dvi_arrow_held {
    dv_owner owner;
    dv_allocator allocator;
    struct ArrowArray array;
    int32_t dictionaries;
    dvi_arrow_memory *memories; /* of the entries, one for each dictionary */
    dvi_arrow_entries *entries; /* of each dictionary */
    dvi_memory **keys;          /* to which entries[].keys points; NULL: none */
} dvi_arrow_held;

/* Take the array: check it, and make the entries of its dictionaries. Its release is NULL after
 * DV_OK; after a failure it is still the caller's. DV_OK; DV_ERR_CORRUPT, DV_ERR_LOSS,
 * DV_ERR_LIMIT, DV_ERR_UNSUPPORTED, DV_ERR_MEMORY. */
dv_status dvi_arrow_hold(dvi_arrow_held **held_out, struct ArrowArray *array,
                         const dvi_arrow_intake *intake, dv_error *err);

/* Whether a value of the column, or a struct around it, is null. */
bool dvi_arrow_held_has_nulls(const dvi_arrow_held *held, const dvi_arrow_column *column);

/* Where rows of a column lie. */
typedef struct dvi_arrow_piece {
    const dvi_arrow_intake *intake;
    const dvi_arrow_column *column;
    const dvi_arrow_held *held;
    int64_t first, n;       /* of the array's rows */
    int64_t row;            /* of the view: the first one */
    const dv_buffer *dense; /* int32[DVI_ARROW_PIECE_ROWS] of -1 */
    dvi_arrow_memory *memory;
    const dv_allocator *allocator;
    bool zero_copy_only;
} dvi_arrow_piece;

/* How many of n rows fit in a batch: at least 1, unless n is 0. */
int64_t dvi_arrow_piece_rows(const dvi_arrow_piece *piece);

/* Make the column. Buffers have owners, but no reference is added. Statuses as
 * dvi_arrow_read_scalars. */
dv_status dvi_arrow_piece_read(dvi_column *column_out, const dvi_arrow_piece *piece, dv_error *err);

#endif
