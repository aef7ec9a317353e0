/* SPDX-License-Identifier: MIT */
/* datadings_cursor.c: what cursors over columns and over raw messages share. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/view.h"
#include "format/datadings/read/datadings_priv.h"
#include <inttypes.h>

/* The most rows that the next batch may have. */
static int64_t most_rows(const dvi_datadings_cursor *c)
{
    const int64_t requested = c->request->batch_rows;
    const int64_t most =
        requested > 0 ? dvi_min_i64(requested, DVI_DATADINGS_WINDOW) : DVI_DATADINGS_WINDOW;
    return dvi_min_i64(most, c->request->end_row - c->row);
}

dv_status dvi_datadings_next(void *cursor, dv_batch *batch, dv_error *err)
{
    dvi_datadings_cursor *c = cursor;
    if (c->row >= c->request->end_row)
        return DV_END;
    const dv_status status = c->cls->read(c, most_rows(c), batch, err);
    if (status < 0) {
        dvi_error_within(err, "sample %" PRId64, c->row);
        dvi_error_set_file(err, dvi_map_name(c->file->map));
        return status;
    }
    c->row += batch->rows;
    return DV_OK;
}

dv_status dvi_datadings_seek(void *cursor, dv_error *err)
{
    dvi_datadings_cursor *c = cursor;
    (void)err;
    c->row = c->request->first_row;
    return DV_OK;
}

dv_status dvi_datadings_open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                                    dv_error *err)
{
    dvi_datadings_file *file = self;
    const dvi_datadings_cursor_class *cls =
        file->options.raw ? &dvi_datadings_raw : &dvi_datadings_decoded;
    void *made;
    *cursor_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&file->allocator, &made, cls->size, err));
    dvi_datadings_cursor *c = made;
    c->cls = cls;
    c->file = c->source.file = file;
    c->request = request;
    c->row = request->first_row;
    const dv_status status = cls->open(c, err);
    if (status < 0)
        dvi_datadings_close_cursor(c);
    else
        *cursor_out = c;
    return status;
}

void dvi_datadings_close_cursor(void *cursor)
{
    dvi_datadings_cursor *c = cursor;
    const dv_allocator *allocator = &c->file->allocator;
    c->cls->close(c);
    dvi_datadings_source_free(&c->source);
    dvi_free(allocator, c, c->cls->size);
}

dvi_datadings_file *dvi_datadings_file_of(const dv_view *view)
{
    return dvi_view_class(view)->open_cursor == dvi_datadings_open_cursor ? dvi_view_self(view)
                                                                          : NULL;
}
