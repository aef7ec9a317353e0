/* SPDX-License-Identifier: MIT */
/* source_cursor.h: what the cursor of a view with one source begins with, and the cursor that hands
 * on the source's batches. */
#ifndef DVI_VIEW_SOURCE_CURSOR_H
#define DVI_VIEW_SOURCE_CURSOR_H

#include "view/derived.h"

/* The beginning of what such a cursor is made of: zeroed, then `view` and `request` are set. */
typedef struct dvi_source_cursor {
    const dvi_derived *view;
    const dv_cursor_request *request;
    dv_cursor *cursor;     /* on the source; NULL: not open yet */
    const dv_batch *batch; /* of the source, not handed on yet; NULL: none.  A call that may be
                              repeated leaves it here */
} dvi_source_cursor;

/* Have a batch of the source: the one that was not handed on, or the next.  DV_OK, DV_END, or an
 * error of the source's cursor. */
dv_status dvi_source_cursor_read(dvi_source_cursor *cursor, dv_error *err);

/* A member of dv_view_class for a cursor whose batches point into those of the source:
 * check_cursor. */
dv_status dvi_source_cursor_check(void *cursor, dv_error *err);

/* The cursor of a view whose rows are a run of the source's and whose columns are the source's:
 * members of dv_view_class, which dvi_derived_view fills in for a class without open_cursor. */
dv_status dvi_pass_open(void *self, const dv_cursor_request *request, void **cursor_out,
                        dv_error *err);
dv_status dvi_pass_next(void *cursor, dv_batch *batch, dv_error *err);
dv_status dvi_pass_seek(void *cursor, dv_error *err);
void dvi_pass_close(void *cursor);

#endif
