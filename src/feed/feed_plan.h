/* SPDX-License-Identifier: MIT */
/* feed_plan.h: what a feed was asked for. */
#ifndef DVI_FEED_PLAN_H
#define DVI_FEED_PLAN_H

#include "base/arena.h"
#include "matrix/dense.h"
#include <dataview/feed.h>

typedef struct dvi_feed_matrix {
    dv_kind items;
    size_t item_nbytes, width; /* width may be 0: it has no slots */
    int32_t first;             /* its first column in the cursor's batches; the others follow */
    dv_dense_options dense;    /* whose columns are these */
    dvi_dense_names names;
} dvi_feed_matrix;

/* A position in a feed: what a token holds.  A plain value. */
typedef struct dvi_feed_position {
    int64_t epoch, start; /* as in dv_epoch_options */
    int64_t rows;         /* of the epoch after `start`, which this shard has had */
    int64_t batches;      /* over all epochs */
} dvi_feed_position;

/* Options, read once; constant from then on. */
typedef struct dvi_feed_plan {
    dvi_arena arena;                 /* of the lists below, of the view's allocator */
    dv_view *view;                   /* one reference */
    int32_t *columns, columns_count; /* the cursor's: one matrix after the other, then whole */
    dvi_feed_matrix *matrices;
    int32_t matrices_count;
    int32_t whole, whole_count; /* columns of the cursor that are delivered as they are: the last */
    int64_t batch_rows;
    int64_t most_rows; /* of a batch: batch_rows, or all rows of the view if it has fewer */
    bool drop_last, ids, lent;
    dv_epoch_options order; /* its epoch and start are not used */
    int64_t end_epoch;      /* the epoch after the last; INT64_MAX: no end */
    int32_t prefetch, threads;
    int32_t worker, workers;
    dvi_feed_position first; /* where it begins */
} dvi_feed_plan;

/* Free *plan with dvi_feed_plan_free, also after a failure.
 * DV_OK; DV_ERR_ARGUMENT, DV_ERR_MEMORY: as dv_feed_open, except what an epoch refuses. */
dv_status dvi_feed_plan_make(dvi_feed_plan *plan, dv_view *view, const dv_feed_options *options,
                             dv_error *err);
void dvi_feed_plan_free(dvi_feed_plan *plan);

/* Is the batch at this position one of this worker's? */
bool dvi_feed_plan_has(const dvi_feed_plan *plan, const dvi_feed_position *at);

/* Is the order that of the view, in one shard? Then a cursor of the view delivers it, and the
 * number of rows may be unknown. */
bool dvi_feed_plan_is_straight(const dvi_feed_plan *plan);

/* The bytes of a row of all matrices, which are checked to fit in memory. */
size_t dvi_feed_plan_row_nbytes(const dvi_feed_plan *plan);

#endif
