/* SPDX-License-Identifier: MIT */
/* batch.h: batches as the library creates, fills and reuses them. */
#ifndef DVI_VIEW_BATCH_H
#define DVI_VIEW_BATCH_H

#include "view/column.h"
#include <dataview/own_view.h>

/* An empty batch with slots for the columns, and one reference for the caller. It holds a reference
 * to the view (or NULL) until it is freed. types: one per column, alive as long as the view, or as
 * the batch if there is no view. */
dv_status dvi_batch_create(dv_batch **batch_out, dv_view *view, const dv_type *const *types,
                           int32_t columns, const dv_allocator *allocator, dv_error *err);

/* The view that the batch holds; NULL: none. */
dv_view *dvi_batch_view(const dv_batch *batch);

/* Drop all content, so that the batch can be filled again. Only for the sole holder. */
void dvi_batch_clear(dv_batch *batch);
bool dvi_batch_is_sole(const dv_batch *batch);
/* Are rows and every column set? */
bool dvi_batch_is_full(const dv_batch *batch);

/* Column k, filled or not; and dv_batch_fill without its checks. */
dv_column_view *dvi_batch_slot(dv_batch *batch, int32_t k);
void dvi_batch_set_slot(dv_batch *batch, int32_t k, const dv_column_view *view);

/* Which chunk of a cursor set the rows belong to (dv_batch_chunk). */
void dvi_batch_set_chunk(dv_batch *batch, int64_t chunk);
/* Bytes per row of the values from which steps below made the rows: they are kept while the batch
 * is.  0 at first. */
void dvi_batch_set_below(dv_batch *batch, int64_t nbytes);
int64_t dvi_batch_below(const dv_batch *batch);
/* Take both from the batch of which this one is made. */
void dvi_batch_follow(dv_batch *batch, const dv_batch *source);
/* Bytes of the buffers of its columns, without borrowed ones and those without an owner. */
size_t dvi_batch_nbytes(const dv_batch *batch);

/* Fill the batch with the rows, the columns 0.. in their order and the ids of another batch.
 * Nothing is copied. */
dv_status dvi_batch_show(dv_batch *batch, const dv_batch *other, int64_t first_row, dv_error *err);

/* Three ways to set the ids of a batch: row i has {first_row + i, 0}; the caller writes them to
 * *ids_out; or they are those of a buffer, which is retained. */
dv_status dvi_batch_number_rows(dv_batch *batch, dv_error *err);
dv_status dvi_batch_reserve_ids(dv_batch *batch, dv_u128 **ids_out, dv_error *err);
void dvi_batch_lend_ids(dv_batch *batch, const dv_buffer *ids);
/* The ids of a batch as a column of `rows` rows. Its buffer is not retained. */
dv_column_view dvi_batch_ids_column(const dv_batch *batch, int64_t rows);

#endif
