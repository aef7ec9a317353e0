/* SPDX-License-Identifier: MIT */
/* feed_sink.h: rows that are there anyway, copied once, from where they lie into a matrix.
 *
 * A mapped file, or rows in memory, in an order of an epoch: no batch is made in between.  Whatever
 * is out of the ordinary is left to a cursor of dv_view_epoch, which delivers the same rows. */
#ifndef DVI_FEED_SINK_H
#define DVI_FEED_SINK_H

#include "feed/feed_epochs.h"

typedef struct dvi_feed_sink dvi_feed_sink;

/* *direct_out is NULL after DV_OK where it does not pay: rows that have to be decoded, or come as
 * they lie.  May look at the first batch of the view.  plan must stay where it is.
 * DV_OK, DV_ERR_MEMORY. */
dv_status dvi_feed_sink_create(dvi_feed_sink **direct_out, const dvi_feed_plan *plan,
                               dv_error *err);
void dvi_feed_sink_free(dvi_feed_sink **direct); /* sets NULL; NULL is fine */

/* Stand before row `first` of an epoch.  DV_OK; as dv_view_epoch. */
dv_status dvi_feed_sink_begin(dvi_feed_sink *direct, const dv_epoch_options *order, int64_t first,
                              dv_error *err);

/* Fill the target with the next rows: *rows_out of them, batch_rows or those that are left; 0: none
 * are left.
 * DV_OK; DV_NOT_FOUND: by a cursor, please, from these rows on; DV_ERR_MEMORY: again, please;
 * DV_ERR_LIMIT: NA, where it is refused. */
dv_status dvi_feed_sink_next(dvi_feed_sink *direct, const dvi_feed_target *target,
                             int64_t *rows_out, dv_error *err);

#endif
