/* SPDX-License-Identifier: MIT */
/* feed_window.h: rows of many batches of a uniform order, read together.
 *
 * A batch of such an order has rows from all over the view, and each of their values is a line of
 * its own that the cache lacks. The rows of many batches are read in the order of the view instead,
 * where neighbours share lines and pages, into memory that has them in the order of the epoch. */
#ifndef DVI_FEED_FEED_WINDOW_H
#define DVI_FEED_FEED_WINDOW_H

#include "base/tasks.h"
#include "feed/feed_epochs.h"
#include "gather/places.h"

typedef struct dvi_feed_window dvi_feed_window;

/* Writes at most n numbers of rows from a position of the order on; returns how many there are. */
typedef int64_t dvi_feed_numbers(void *ctx, int64_t position, int64_t *rows_out, int64_t n);

/* The view of the places has `rows` rows.  *window_out is NULL if the order is another one, or a
 * window would not hold several batches. plan and places must stay. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_feed_window_create(dvi_feed_window **window_out, const dvi_feed_plan *plan,
                                 const dvi_places *places, int64_t rows,
                                 const dv_allocator *allocator, dv_error *err);
void dvi_feed_window_free(dvi_feed_window **window); /* sets NULL; NULL is fine */

/* The order is another one from now on. */
void dvi_feed_window_reset(dvi_feed_window *window);

/* Fill the target with at most n rows from a position on; *rows_out: how many there are. DV_OK;
 * DV_NOT_FOUND: some row of the window is not in place; what the places return. */
dv_status dvi_feed_window_read(dvi_feed_window *window, int64_t position, int64_t n,
                               dvi_feed_numbers *next, void *ctx, const dvi_feed_target *target,
                               int64_t *rows_out, dv_error *err);

#endif
