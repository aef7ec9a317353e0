/* SPDX-License-Identifier: MIT */
/* batch.h: making, filling and giving away batches. */
#ifndef DVI_VIEW_BATCH_H
#define DVI_VIEW_BATCH_H

#include "view/column.h"
#include <dataview/own_view.h>

/* An empty batch with room for the columns, and one reference for the caller; holds a reference to
 * the view until it is freed (view may be NULL).  types: one per column, alive as long as the view
 * (or as the batch). */
dv_status dvi_batch_create(dv_batch **batch_out, dv_view *view, const dv_type *const *types,
                           int32_t columns, const dv_allocator *allocator, dv_error *err);

/* Drop all content, so that the batch may be filled again; only for a sole holder. */
void dvi_batch_clear(dv_batch *batch);
bool dvi_batch_is_sole(const dv_batch *batch);
/* Has it rows, and every column? */
bool dvi_batch_is_full(const dv_batch *batch);

/* Column k, filled or not; fill it without the checks of dv_batch_fill. */
dvi_column *dvi_batch_slot(dv_batch *batch, int32_t k);
void dvi_batch_set_slot(dv_batch *batch, int32_t k, const dv_column_view *view);

/* Which chunk of a cursor set the rows belong to (dv_batch_chunk). */
void dvi_batch_set_chunk(dv_batch *batch, int64_t chunk);
/* Memory behind its columns that is neither borrowed nor anybody's for good, as far as it shows. */
size_t dvi_batch_nbytes(const dv_batch *batch);

/* Show the rows of another batch, columns 0.. in their order, and its ids: nothing is copied. */
dv_status dvi_batch_show(dv_batch *batch, const dv_batch *other, int64_t first_row, dv_error *err);

/* Give every row of a batch without ids an id: {first_row + i, 0}; what the caller writes there; or
 * those that lie in a buffer, which is retained. */
dv_status dvi_batch_number_rows(dv_batch *batch, dv_error *err);
dv_status dvi_batch_reserve_ids(dv_batch *batch, dv_u128 **ids_out, dv_error *err);
void dvi_batch_lend_ids(dv_batch *batch, const dv_buffer *ids);
/* The ids of a batch as a column of `rows` rows; its buffer is not retained. */
dv_column_view dvi_batch_ids_column(const dv_batch *batch, int64_t rows);

#endif
