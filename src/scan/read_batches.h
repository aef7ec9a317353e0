/* SPDX-License-Identifier: MIT */
/* read_batches.h: reads the rows of a view in order. */
#ifndef DVI_SCAN_READ_BATCHES_H
#define DVI_SCAN_READ_BATCHES_H

#include <dataview/cursor.h>

/* Call `add` for each batch of a cursor of the view; NULL: the rows are only read. DV_OK after the
 * last one; else what `add` returned, or an error of the cursor. */
dv_status dvi_read_batches(dv_view *view, const dv_cursor_options *options,
                           dv_status (*add)(void *ctx, const dv_batch *batch, dv_error *err),
                           void *ctx, dv_error *err);

#endif
