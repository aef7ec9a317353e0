/* SPDX-License-Identifier: MIT */
/* feed_sink.h: rows of an epoch, copied once, from where they lie or were decoded into a matrix:
 * the matrix sink of a row gatherer.
 *
 * It serves rows in an order of their own. Everything else is left to a cursor of dv_view_epoch,
 * which delivers the same rows: it reports what cannot be read, after exactly the rows before. */
#ifndef DVI_FEED_SINK_H
#define DVI_FEED_SINK_H

#include "feed/feed_epochs.h"

typedef struct dvi_feed_sink dvi_feed_sink;

/* *sink_out is NULL after DV_OK if a sink does not pay: rows come in the order of the view, or take
 * long and go by blocks.  plan must stay where it is.
 * DV_OK, DV_ERR_MEMORY. */
dv_status dvi_feed_sink_create(dvi_feed_sink **sink_out, const dvi_feed_plan *plan, dv_error *err);
void dvi_feed_sink_free(dvi_feed_sink **sink); /* sets NULL; NULL is fine */

/* Go before row `first` of an epoch.  DV_OK; as dv_view_epoch. */
dv_status dvi_feed_sink_begin(dvi_feed_sink *sink, const dv_epoch_options *order, int64_t first,
                              dv_error *err);

/* Go on to row `first` of that epoch.  The rows that it has. */
void dvi_feed_sink_seek(dvi_feed_sink *sink, int64_t first);
int64_t dvi_feed_sink_rows(const dvi_feed_sink *sink);

/* Fill the target with the next rows: *rows_out of them, batch_rows or those that are left; 0: none
 * is left.
 *
 * DV_OK
 * DV_NOT_FOUND   from these rows on a cursor must deliver them; the target may hold some of them
 * DV_ERR_MEMORY
 * DV_ERR_*       of the first costly row that cannot be made
 */
dv_status dvi_feed_sink_next(dvi_feed_sink *sink, const dvi_feed_target *target, int64_t *rows_out,
                             dv_error *err);

#endif
