/* SPDX-License-Identifier: MIT */
/* gathering_cursor.c: opens and closes cursors that copy rows into columns of their own. */
#include "view/gathering_cursor.h"
#include "base/alloc.h"
#include "base/check.h"
#include "view/cursor.h"

static dv_status set_up(dvi_gathering_cursor *c, const dvi_gathering *kind, dv_error *err)
{
    void *gather;
    const size_t columns = (size_t)c->source.request->columns_count;
    DVI_TRY(dvi_arena_alloc(&c->arena, &gather, columns * sizeof *c->gather, err));
    c->gather = gather;
    return kind->open_source(c, err);
}

dv_status dvi_gathering_open(void **cursor_out, const dvi_gathering *kind, void *self,
                             const dv_cursor_request *request, dv_error *err)
{
    void *made;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "zero_copy_only", "rows as they are stored|%s",
                        kind->made);
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, kind->size, err));
    dvi_gathering_cursor *c = made;
    c->source.view = self;
    c->source.request = request;
    c->size = kind->size;
    dvi_arena_init(&c->arena, request->allocator);
    const dv_status status = set_up(c, kind, err);
    if (status < 0)
        kind->close(c);
    else
        *cursor_out = c;
    return status;
}

void dvi_gathering_close(void *cursor)
{
    dvi_gathering_cursor *c = cursor;
    dv_cursor_close(&c->source.cursor);
    for (int32_t k = 0; c->gather && k < c->source.request->columns_count; k++)
        dvi_growing_free(&c->gather[k]);
    dvi_arena_free(&c->arena);
    dvi_free(c->source.request->allocator, c, c->size);
}
