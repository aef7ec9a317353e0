/* SPDX-License-Identifier: MIT */
/* gather_cursor.h: a cursor on rows of a source by number, or on rows that a reader hands over: the
 * batch sink of either. */
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

/* Hands rows to the sink in place of a gatherer. */
typedef struct dvi_row_reader {
    /* As dvi_row_gatherer_fill.  Only take_refs and take_batch of the sink may be called. */
    dv_status (*fill)(void *ctx, const dvi_row_sink *sink, dv_error *err);
    /* Go to another position; nothing is read. */
    void (*restart)(void *ctx, int64_t position);
    void (*close)(void *ctx);
    void *ctx;
} dvi_row_reader;

/* Open a cursor with the same functions.  The reader begins at request->first_row, and is closed
 * with the cursor; after a failure at once.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_gather_cursor_read(void **cursor_out, const dv_cursor_request *request,
                                 const dvi_row_reader *reader, dv_error *err);

/* As dvi_row_gatherer_peak. */
int64_t dvi_gather_cursor_peak(const void *cursor);

#endif
