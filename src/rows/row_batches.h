/* SPDX-License-Identifier: MIT */
/* row_batches.h: a cursor whose rows are those of a source by number: the batch sink of a row
 * gatherer. */
#ifndef DVI_ROW_BATCHES_H
#define DVI_ROW_BATCHES_H

#include "rows/row_gatherer.h"

/* Row p of the view is the source's row with the number at position p.  The functions are those of
 * a dv_view_class.
 *
 * dvi_row_batches_open takes over the numbers, which are closed with the cursor, and after a
 * failure at once.  DV_OK, DV_ERR_MEMORY, or what opening a cursor of the source returns. */
dv_status dvi_row_batches_open(void **cursor_out, dv_view *source, const dv_cursor_request *request,
                               const dvi_gather_plan *plan, const dvi_row_numbers *numbers,
                               dv_error *err);
dv_status dvi_row_batches_next(void *cursor, dv_batch *batch, dv_error *err);
dv_status dvi_row_batches_seek(void *cursor, dv_error *err);
void dvi_row_batches_close(void *cursor);

/* As dvi_row_gatherer_peak. */
int64_t dvi_row_batches_peak(const void *cursor);

#endif
