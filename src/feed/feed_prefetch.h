/* SPDX-License-Identifier: MIT */
/* feed_prefetch.h: a thread that fills batches ahead, in a ring of matrices. */
#ifndef DVI_FEED_PREFETCH_H
#define DVI_FEED_PREFETCH_H

#include "feed/feed_epochs.h"

typedef struct dvi_feed_prefetch dvi_feed_prefetch;

/* Begin to fill the targets, n >= 2 of them; from now on they and `rows` belong to the thread.
 * is_lent: each may be filled once, after dvi_feed_prefetch_lend.  *ahead_out is NULL after DV_OK
 * if the system refuses a thread.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_feed_prefetch_start(dvi_feed_prefetch **ahead_out, dvi_feed_epochs *rows,
                                  dvi_feed_target *targets, int64_t n, bool is_lent,
                                  const dv_allocator *allocator, dv_error *err);

/* Let the next target, which the caller has set, be filled. */
void dvi_feed_prefetch_lend(dvi_feed_prefetch *ahead);

/* Wait for the next batch, which is the caller's until dvi_feed_prefetch_release.  One at a time.
 * As dvi_feed_epochs_next. */
dv_status dvi_feed_prefetch_take(dvi_feed_prefetch *ahead, const dvi_feed_target **target_out,
                                 dv_error *err);
/* Return the batch that was taken, if any. */
void dvi_feed_prefetch_release(dvi_feed_prefetch *ahead);

/* Fill no more batches, wait for the one that is being filled, and free all.  Sets the pointer to
 * NULL; NULL is fine. */
void dvi_feed_prefetch_stop(dvi_feed_prefetch **ahead);

#endif
