/* SPDX-License-Identifier: MIT */
/* feed_epochs.h: the rows of one epoch after the other, made into matrices. */
#ifndef DVI_FEED_EPOCHS_H
#define DVI_FEED_EPOCHS_H

#include "feed/feed_plan.h"

#define DVI_FEED_BARREN 64 /* epochs without a batch, one after the other, that end a feed */

/* Where a batch goes, and what it is then. */
typedef struct dvi_feed_target {
    void *features, *labels;
    size_t features_stride, labels_stride;
    dv_u128 *ids; /* batch_rows of them, or NULL */
    int64_t rows;
    dvi_feed_position before, after; /* where the feed stands */
} dvi_feed_target;

/* The walk.  One thread at a time. */
typedef struct dvi_feed_epochs {
    const dvi_feed_plan *plan;
    dvi_feed_position at;
    bool is_open;               /* is the epoch? */
    struct dvi_feed_sink *sink; /* who copies rows; NULL: only a cursor does */
    dv_view *view;              /* of the epoch, and a cursor on it; NULL: not asked for */
    dv_cursor *cursor;
    int64_t waiting; /* rows of a short batch that the target has: does anything follow? */
    int32_t barren;  /* whole epochs without a batch since the last one with some */
    bool is_over;
} dvi_feed_epochs;

/* Stand before plan->first, with its epoch open: plan must stay where it is.  Close with
 * dvi_feed_epochs_close, after a failure too. */
dv_status dvi_feed_epochs_open(dvi_feed_epochs *rows, const dvi_feed_plan *plan, dv_error *err);
void dvi_feed_epochs_close(dvi_feed_epochs *rows);

/* Fill the target with the next batch.
 * DV_OK; DV_END; DV_ERR_MEMORY: again, please, with the same target; other errors are final, and
 * not to be followed by another call. */
dv_status dvi_feed_epochs_next(dvi_feed_epochs *rows, dvi_feed_target *target, dv_error *err);

#endif
