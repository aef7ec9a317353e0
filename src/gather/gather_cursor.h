/* SPDX-License-Identifier: MIT */
/* gather_cursor.h: a cursor on rows of a source by number: the batch sink of a row gatherer. */
#ifndef DVI_GATHER_GATHER_CURSOR_H
#define DVI_GATHER_GATHER_CURSOR_H

#include "gather/row_gatherer.h"

/* Row p of the view is the source's row with the number at position p.  The functions are those of
 * a dv_view_class.
 *
 * dvi_gather_cursor_open takes over the numbers, which are closed with the cursor, and after a
 * failure at once.  DV_OK, DV_ERR_MEMORY, or what opening a cursor of the source returns. */
dv_status dvi_gather_cursor_open(void **cursor_out, dv_view *source,
                                 const dv_cursor_request *request, const dvi_gather_plan *plan,
                                 const dvi_row_numbers *numbers, dv_error *err);
dv_status dvi_gather_cursor_next(void *cursor, dv_batch *batch, dv_error *err);
dv_status dvi_gather_cursor_seek(void *cursor, dv_error *err);
void dvi_gather_cursor_close(void *cursor);

/* As dvi_row_gatherer_peak. */
int64_t dvi_gather_cursor_peak(const void *cursor);

#endif
