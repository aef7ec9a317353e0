/* SPDX-License-Identifier: MIT */
/* feed_epochs.h: the rows of one epoch after the other, as matrices. */
#ifndef DVI_FEED_EPOCHS_H
#define DVI_FEED_EPOCHS_H

#include "feed/feed_plan.h"
#include "gather/gathered_rows.h"

#define DVI_FEED_BARREN 64 /* epochs without a batch, one after the other, that end a feed */

/* Where a batch is written to, and what it holds. */
typedef struct dvi_feed_target {
    void *memory; /* of the feed: the matrices, unless they are the caller's, and ids */
    dv_feed_items matrices[DV_FEED_MATRICES_MOST];
    dv_u128 *ids;      /* batch_rows of them, or NULL */
    dv_batch *columns; /* those that are delivered as they are; NULL: none, or not made yet */
    int64_t rows;
    dvi_feed_position before, after; /* positions of the feed */
} dvi_feed_target;

/* One thread at a time. */
typedef struct dvi_feed_epochs {
    const dvi_feed_plan *plan;
    dvi_feed_position at;
    bool is_open;               /* the epoch at `at` is open */
    struct dvi_feed_rows *rows; /* writes rows by number; NULL: only a cursor is used */
    dv_view *view;              /* of the epoch, and a cursor on it; NULL: not needed yet */
    dv_cursor *cursor;
    bool has_moved;  /* past batches of other workers, without `rows` */
    int64_t waiting; /* rows of a short batch in the target, until it is known what follows */
    dv_cursor_request whole_request; /* columns that are delivered as they are: their rows so far */
    dvi_gathered_rows whole;
    int32_t barren; /* whole epochs without a batch since the last one that had some */
    bool is_over;
} dvi_feed_epochs;

/* Start at plan->first, with its epoch open.  plan must stay where it is.  Close with
 * dvi_feed_epochs_close, also after a failure. */
dv_status dvi_feed_epochs_open(dvi_feed_epochs *rows, const dvi_feed_plan *plan, dv_error *err);
void dvi_feed_epochs_close(dvi_feed_epochs *rows);

/* Fill the target with the next batch.
 * DV_OK; DV_END; an error, after which it is not called again. */
dv_status dvi_feed_epochs_next(dvi_feed_epochs *rows, dvi_feed_target *target, dv_error *err);

/* Drop what a target holds besides its memory. */
void dvi_feed_target_free(dvi_feed_target *target);

#endif
