/* SPDX-License-Identifier: MIT */
/* source_cursor.c: reads the source of a view and returns its batches unchanged. */
#include "view/source_cursor.h"
#include "base/alloc.h"
#include "base/check.h"
#include "view/batch.h"
#include "view/cursor.h"
#include <dataview/cursor_set.h>

dv_status dvi_source_cursor_read(dvi_source_cursor *s, dv_error *err)
{
    return s->batch ? DV_OK : dv_cursor_next(s->cursor, &s->batch, err);
}

dv_status dvi_source_cursor_check(void *cursor, dv_error *err)
{
    return dvi_cursor_check(((const dvi_source_cursor *)cursor)->cursor, err);
}

/* --- Unchanged batches ------------------------------------------------------------------------ */

dv_status dvi_pass_open(void *self, const dv_cursor_request *request, void **cursor_out,
                        dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(dvi_source_cursor), err));
    dvi_source_cursor *s = made;
    *s = (dvi_source_cursor){.view = self, .request = request};
    const dv_status status = dvi_pass_source(
        &s->cursor, s->view->source, request, request->columns, request->columns_count,
        request->batch_rows, dvi_derived_source_row(s->view, request->first_row),
        dvi_derived_source_row(s->view, request->end_row), err);
    if (status < 0)
        dvi_pass_close(s);
    else
        *cursor_out = s;
    return status;
}

dv_status dvi_pass_next(void *cursor, dv_batch *batch, dv_error *err)
{
    dvi_source_cursor *s = cursor;
    const dv_status status = dvi_source_cursor_read(s, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(dvi_batch_show(batch, s->batch, s->batch->first_row - s->view->first_row, err));
    dvi_batch_follow(batch, s->batch);
    s->batch = NULL;
    return DV_OK;
}

dv_status dvi_pass_seek(void *cursor, dv_error *err)
{
    dvi_source_cursor *s = cursor;
    s->batch = NULL;
    return dvi_cursor_seek(s->cursor, dvi_derived_source_row(s->view, s->request->first_row),
                           dvi_derived_source_row(s->view, s->request->end_row), err);
}

void dvi_pass_close(void *cursor)
{
    dvi_source_cursor *s = cursor;
    const dv_allocator *allocator = s->request->allocator;
    dv_cursor_close(&s->cursor);
    dvi_free(allocator, s, sizeof *s);
}
