/* SPDX-License-Identifier: MIT */
/* datadings_raw.c: keys and messages, nothing decoded: the file's own bytes (datadings:12). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "view/batch.h"
#include "format/datadings/read/datadings_priv.h"
#include <inttypes.h>
#include <string.h>

#define RUN_NBYTES (INT64_C(1) << 20)
#define NA_BIT (UINT32_C(1) << 31)

enum { KEY, MESSAGE };

typedef struct cursor {
    dvi_datadings_place at; /* first: seek knows no more */
    bool wants_keys, wants_messages;
    dv_text *keys;
    dvi_memory *keys_memory, *text, *text_ends, *ends;
} cursor;

static dv_column_view text_view(dv_kind kind, dvi_memory *ends, int64_t rows)
{
    const dv_type type = dv_type_of(kind);
    dv_column_view view = {.type = type, .layout = dvi_layout_of(&type), .rows = rows};
    view.as.text.ends = dvi_memory_buffer(ends, 0, 4 * (size_t)rows, 4);
    return view;
}

static dv_status make_messages(cursor *c, int64_t rows, dv_column_view *view_out, dv_error *err)
{
    const dvi_span *span = &c->at.source.span;
    DVI_TRY(dvi_memory_reserve(&c->ends, &c->at.file->allocator, 4 * (size_t)rows, err));
    for (int64_t i = 0; i < rows; i++) {
        const int64_t end = dvi_datadings_source_offset(&c->at.source, c->at.row + i + 1);
        dvi_store_i32(c->ends->data + 4 * i, (int32_t)(end - span->offset));
    }
    *view_out = text_view(DV_KIND_BY, c->ends, rows);
    view_out->as.text.utf8 =
        (dv_buffer){span->data, span->nbytes, span->owner, span->is_borrowed, true};
    return DV_OK;
}

static dv_status make_keys(cursor *c, int64_t rows, dv_column_view *view_out, dv_error *err)
{
    size_t nbytes = 0, at = 0;
    DVI_TRY(dvi_datadings_keys(c->at.file->set, c->at.row, (size_t)rows, c->keys, &c->keys_memory,
                               err));
    for (int64_t i = 0; i < rows; i++)
        nbytes += (size_t)dvi_max_i64(c->keys[i].nbytes, 0);
    DVI_REQUIRE(nbytes <= INT32_MAX,
                dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "keys of a batch",
                         "at most 2^31-1 bytes|%zu", nbytes));
    DVI_TRY(dvi_memory_reserve(&c->text, &c->at.file->allocator, nbytes, err));
    DVI_TRY(dvi_memory_reserve(&c->text_ends, &c->at.file->allocator, 4 * (size_t)rows, err));
    for (int64_t i = 0; i < rows; i++) {
        const dv_text key = c->keys[i];
        if (key.nbytes > 0)
            memcpy(c->text->data + at, key.data, (size_t)key.nbytes);
        at += (size_t)dvi_max_i64(key.nbytes, 0);
        dvi_store_u32(c->text_ends->data + 4 * i, (uint32_t)at | (key.nbytes < 0 ? NA_BIT : 0));
    }
    *view_out = text_view(DV_KIND_TX, c->text_ends, rows);
    view_out->as.text.utf8 = dvi_memory_buffer(c->text, 0, nbytes, 1);
    return DV_OK;
}

static int64_t most_rows(const cursor *c)
{
    const int64_t wish = c->at.request->batch_rows;
    const int64_t most = wish > 0 ? dvi_min_i64(wish, DVI_DATADINGS_WINDOW) : DVI_DATADINGS_WINDOW;
    return dvi_min_i64(most, c->at.request->end_row - c->at.row);
}

static dv_status next(cursor *c, dv_batch *batch, dv_error *err)
{
    dv_column_view keys, messages;
    if (c->at.row >= c->at.request->end_row)
        return DV_END;
    int64_t rows = most_rows(c);
    DVI_REQUIRE(!(c->wants_keys && c->at.request->zero_copy_only),
                dvi_fail(err, DV_ERR_COPY, "datadings:12", -1, "key",
                         "bytes to be used as they are|keys, which are copied"));
    if (c->wants_messages) {
        DVI_TRY(dvi_datadings_source_run(&c->at.source, c->at.row, c->at.row + rows, RUN_NBYTES,
                                         INT64_MAX, &rows, err));
        DVI_REQUIRE(c->at.source.span.is_borrowed || !c->at.request->zero_copy_only,
                    dvi_fail(err, DV_ERR_COPY, "datadings:12", c->at.source.span.offset, "message",
                             "a mapped file|one that is read"));
        DVI_TRY(make_messages(c, rows, &messages, err));
    }
    if (c->wants_keys)
        DVI_TRY(make_keys(c, rows, &keys, err));
    DVI_TRY(dv_batch_start(batch, c->at.row, rows, err));
    for (int32_t k = 0; k < c->at.request->columns_count; k++)
        dvi_batch_set_slot(batch, k, c->at.request->columns[k] == KEY ? &keys : &messages);
    c->at.row += rows;
    return DV_OK;
}

dv_status dvi_datadings_raw_next(void *ctx, dv_batch *batch, dv_error *err)
{
    cursor *c = ctx;
    return dvi_datadings_place_name(&c->at, next(c, batch, err), err);
}

dv_status dvi_datadings_raw_open_cursor(void *self, const dv_cursor_request *request,
                                        void **cursor_out, dv_error *err)
{
    dvi_datadings_file *file = self;
    void *made, *keys;
    *cursor_out = NULL;
    DVI_TRY(dvi_alloc(&file->allocator, &keys, DVI_DATADINGS_WINDOW * sizeof(dv_text), err));
    const dv_status status = dvi_alloc_zeroed(&file->allocator, &made, sizeof(cursor), err);
    if (status < 0) {
        dvi_free(&file->allocator, keys, DVI_DATADINGS_WINDOW * sizeof(dv_text));
        return status;
    }
    cursor *c = made;
    dvi_datadings_place_init(&c->at, file, request);
    c->keys = keys;
    for (int32_t k = 0; k < request->columns_count; k++) {
        c->wants_keys |= request->columns[k] == KEY;
        c->wants_messages |= request->columns[k] == MESSAGE;
    }
    *cursor_out = c;
    return DV_OK;
}

void dvi_datadings_raw_close_cursor(void *ctx)
{
    cursor *c = ctx;
    const dv_allocator *allocator = &c->at.file->allocator;
    dvi_datadings_source_free(&c->at.source);
    dvi_memory_release(&c->keys_memory);
    dvi_memory_release(&c->text);
    dvi_memory_release(&c->text_ends);
    dvi_memory_release(&c->ends);
    dvi_free(allocator, c->keys, DVI_DATADINGS_WINDOW * sizeof *c->keys);
    dvi_free(allocator, c, sizeof *c);
}
