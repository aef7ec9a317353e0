/* SPDX-License-Identifier: MIT */
/* source_cursor.h: the beginning of the cursor of a view with one source, and the cursor that
 * returns the batches of the source. */
#ifndef DVI_VIEW_SOURCE_CURSOR_H
#define DVI_VIEW_SOURCE_CURSOR_H

#include "view/derived.h"

/* The beginning of such a cursor: zeroed, then `view` and `request` are set. */
typedef struct dvi_source_cursor {
    const dvi_derived *view;
    const dv_cursor_request *request;
    dv_cursor *cursor;     /* on the source; NULL: not open yet */
    const dv_batch *batch; /* read from the source and not returned yet; NULL: none */
} dvi_source_cursor;

/* Read the next batch of the source, unless the last one has not been returned yet. DV_OK, DV_END,
 * or an error of the source's cursor. */
dv_status dvi_source_cursor_read(dvi_source_cursor *cursor, dv_error *err);

/* The member check_cursor of dv_view_class, for a cursor whose batches point into those of the
 * source. */
dv_status dvi_source_cursor_check(void *cursor, dv_error *err);

/* The cursor of a view with a run of the rows and all columns of the source: members of
 * dv_view_class, which dvi_derived_view sets for a class without open_cursor. */
dv_status dvi_pass_open(void *self, const dv_cursor_request *request, void **cursor_out,
                        dv_error *err);
dv_status dvi_pass_next(void *cursor, dv_batch *batch, dv_error *err);
dv_status dvi_pass_seek(void *cursor, dv_error *err);
void dvi_pass_close(void *cursor);

#endif
