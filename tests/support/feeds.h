/* SPDX-License-Identifier: MIT */
/* feeds.h: a table to train on, and the batches that a feed must deliver of it. */
#ifndef DVT_FEEDS_H
#define DVT_FEEDS_H

#include "support/many_rows.h"
#include <dataview/feed.h>

#define DVT_FEED_ROWS 160
#define DVT_FEED_WIDTH 8

/* The table of many_rows.h, and a materialized copy of it. */
typedef struct dvt_feed_table {
    dvt_many_rows *many;
    dv_view *view, *held;
    dv_epoch_options order;
} dvt_feed_table;

dvt_feed_table *dvt_feed_table_create(int64_t rows, int64_t block_rows,
                                      const dv_allocator *allocator);
void dvt_feed_table_free(dvt_feed_table *table);

/* Features d, a, c as floats; label b as a whole number.  All static but the order. */
dv_feed_options dvt_feed_options(const dv_epoch_options *order);

/* Rows without gaps. */
typedef struct dvt_feed_rows {
    int64_t rows;
    size_t width;
    float features[DVT_FEED_ROWS][DVT_FEED_WIDTH];
    int64_t labels[DVT_FEED_ROWS][1];
    dv_u128 ids[DVT_FEED_ROWS];
} dvt_feed_rows;

/* All rows of an epoch by a cursor over dv_view_epoch, filled row by row; or those below `end`. */
void dvt_feed_truth(dvt_feed_rows *want, dv_view *view, const dv_feed_options *options,
                    int64_t epoch);
void dvt_feed_truth_of(dvt_feed_rows *want, dv_view *view, const dv_feed_options *options,
                       int64_t epoch, int64_t end);

/* A batch of floats, whole numbers and, if it has them, ids. */
void dvt_feed_copy(dvt_feed_rows *got, const dv_feed_batch *batch);

/* Compare rows from `at` on with the expected ones, bit for bit; ids if they were requested. */
void dvt_feed_expect(const dvt_feed_rows *want, int64_t at, const dvt_feed_rows *got, int64_t rows);

#endif
