/* SPDX-License-Identifier: MIT */
/* feed_single.h: rows of an epoch that are costly to make, such as pictures: each is made by
 * itself, in one of several threads, and written to its place in the matrices at once.
 *
 * No batch is made on the way, so there is memory for one row of each thread.  The rows are those
 * that a cursor of dv_view_epoch delivers. */
#ifndef DVI_FEED_SINGLE_H
#define DVI_FEED_SINGLE_H

#include "feed/feed_epochs.h"

typedef struct dvi_feed_single dvi_feed_single;

/* *single_out is NULL after DV_OK if no column is costly, or the order is one of blocks.  plan must
 * stay where it is. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_feed_single_create(dvi_feed_single **single_out, const dvi_feed_plan *plan,
                                 dv_error *err);
void dvi_feed_single_free(dvi_feed_single **single); /* sets NULL; NULL is fine */

/* The rows that follow are those of this epoch. */
void dvi_feed_single_begin(dvi_feed_single *single, int64_t epoch);

/* Fill the target with n rows of the view, by their numbers.
 * DV_OK; DV_ERR_MEMORY; DV_ERR_*: of the first row that cannot be made. */
dv_status dvi_feed_single_fill(dvi_feed_single *single, const dvi_feed_target *target,
                               const int64_t *rows, int64_t n, dv_error *err);

#endif
