/* SPDX-License-Identifier: MIT */
/* feed_rows.h: rows of an epoch, in an order of their own, written into the matrices of a batch.
 *
 * Rows are copied once, from where they lie or were decoded, by a row gatherer. Costly rows, such
 * as pictures, are made by themselves in several threads, each at its place in the matrices, so
 * that there is memory for one row of each thread. Everything else is left to a cursor of
 * dv_view_epoch, which delivers the same rows: it reports what cannot be read, after exactly the
 * rows before. */
#ifndef DVI_FEED_FEED_ROWS_H
#define DVI_FEED_FEED_ROWS_H

#include "feed/feed_epochs.h"

typedef struct dvi_feed_rows dvi_feed_rows;

/* *rows_out is NULL after DV_OK if that does not pay: rows come in the order of the view, or take
 * long and go by blocks.  plan must stay where it is.  whole: columns that are delivered as they
 * are grow by the rows of each batch. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_feed_rows_create(dvi_feed_rows **rows_out, const dvi_feed_plan *plan,
                               dvi_gathered_rows *whole, dv_error *err);
void dvi_feed_rows_free(dvi_feed_rows **rows); /* sets NULL; NULL is fine */

/* Go before row `first` of an epoch.  DV_OK; as dv_view_epoch. */
dv_status dvi_feed_rows_begin(dvi_feed_rows *rows, const dv_epoch_options *order, int64_t first,
                              dv_error *err);

/* Go on to row `first` of that epoch.  The rows that it has. */
void dvi_feed_rows_seek(dvi_feed_rows *rows, int64_t first);
int64_t dvi_feed_rows_count(const dvi_feed_rows *rows);

/* Fill the target with the next rows: *rows_out of them, batch_rows or those that are left; 0: none
 * is left.
 *
 * DV_OK
 * DV_NOT_FOUND   from these rows on a cursor must deliver them; the target may hold some of them
 * DV_ERR_MEMORY
 * DV_ERR_*       the first costly row that cannot be made has this error
 */
dv_status dvi_feed_rows_next(dvi_feed_rows *rows, const dvi_feed_target *target, int64_t *rows_out,
                             dv_error *err);

/* Write the rows of a batch as rows i and on of the target. As dv_batch_dense. */
dv_status dvi_feed_write(const dvi_feed_plan *plan, const dvi_feed_target *target, int64_t i,
                         const dv_batch *batch, dv_error *err);

#endif
