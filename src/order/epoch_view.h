/* SPDX-License-Identifier: MIT */
/* epoch_view.h: how rows of an epoch are gathered; and rows in an order of ML.NET's, with a
 * generator of the caller. */
#ifndef DVI_ORDER_EPOCH_VIEW_H
#define DVI_ORDER_EPOCH_VIEW_H

#include "gather/row_gatherer.h"
#include "order/epoch_plan.h"
#include <dataview/epoch.h>

/* How to gather the rows of a plan from this position on: all of them, or only some, between which
 * others are skipped. */
dvi_gather_plan dvi_epoch_gather_plan(const dvi_epoch_plan *plan, int64_t position, bool all);

/* The number of rows of the source; if it does not know it, its rows are read without columns.
 * DV_OK; DV_ERR_STOPPED; as dv_cursor_next. */
dv_status dvi_epoch_count_rows(dv_view *source, const dv_progress *progress, int64_t *rows_out,
                               dv_error *err);

/* Rows of a pool's block if the source is not stored in blocks. */
#define DVI_EPOCH_BLOCK_ROWS 1024

/* A view of all rows of the source as dvi_epoch_plan_pool orders them: with DVI_POOL_OF_BLOCKS as
 * ML.NET's binary loader does with a generator, with DVI_POOL_IN_ORDER as its Shuffle does with
 * poolOnly (semantics:7.14).  If the number of rows is not known, they are counted. */
dv_status dvi_epoch_of_pool(dv_view **view_out, dv_view *source, dvi_pool_input input,
                            int64_t pool_rows, dvi_random random, const dv_allocator *allocator,
                            dv_error *err);

#endif
