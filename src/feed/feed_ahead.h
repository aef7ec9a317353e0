/* SPDX-License-Identifier: MIT */
/* feed_ahead.h: batches that a thread fills ahead, in a ring of matrices. */
#ifndef DVI_TRANSFORM_FEED_AHEAD_H
#define DVI_TRANSFORM_FEED_AHEAD_H

#include "feed/feed_rows.h"

typedef struct dvi_feed_ahead dvi_feed_ahead;

/* Begin to fill the targets, n >= 2 of them; from now on they and `rows` are the thread's.
 * *ahead_out is NULL after DV_OK when the system refuses a thread.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_feed_ahead_start(dvi_feed_ahead **ahead_out, dvi_feed_rows *rows,
                               dvi_feed_target *targets, int64_t n, const dv_allocator *allocator,
                               dv_error *err);

/* Wait for the next batch: it is the caller's until dvi_feed_ahead_release.  One at a time.
 * As dvi_feed_rows_next. */
dv_status dvi_feed_ahead_take(dvi_feed_ahead *ahead, const dvi_feed_target **target_out,
                              dv_error *err);
/* Give back what was taken, if anything. */
void dvi_feed_ahead_release(dvi_feed_ahead *ahead);

/* Fill no more batches, wait for the one that is being filled, free all.  Sets the pointer to NULL;
 * NULL is fine. */
void dvi_feed_ahead_stop(dvi_feed_ahead **ahead);

#endif
