/* SPDX-License-Identifier: MIT */
/* read_batches.c: reads the rows of a view in order. */
#include "scan/read_batches.h"
#include "base/check.h"

dv_status dvi_read_batches(dv_view *view, const dv_cursor_options *options,
                           dv_status (*add)(void *ctx, const dv_batch *batch, dv_error *err),
                           void *ctx, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status = DV_OK, read = DV_OK;
    DVI_TRY(dv_cursor_open(&cursor, view, options, err));
    while (status == DV_OK && (read = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        status = add ? add(ctx, batch, err) : DV_OK;
    dv_cursor_close(&cursor);
    return read < 0 ? read : status;
}
