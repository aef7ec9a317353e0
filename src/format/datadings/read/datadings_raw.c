/* SPDX-License-Identifier: MIT */
/* datadings_raw.c: a cursor over keys and undecoded messages (datadings:12). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "view/batch.h"
#include "format/datadings/read/datadings_priv.h"
#include "format/datadings/read/datadings_project.h"
#include <inttypes.h>
#include <string.h>

#define RUN_NBYTES (INT64_C(1) << 20)
#define NA_BIT (UINT32_C(1) << 31)

enum { KEY, MESSAGE };

typedef struct cursor {
    dvi_datadings_cursor base;
    bool wants_keys, wants_messages;
    dv_text *keys;
    dvi_memory *keys_memory, *text, *text_ends, *ends, *projected;
} cursor;

static dv_column_view text_view(dv_kind kind, dvi_memory *ends, int64_t rows)
{
    const dv_type type = dv_type_of(kind);
    dv_column_view view = {.type = type, .layout = dvi_layout_of(&type), .rows = rows};
    view.as.text.ends = dvi_memory_buffer(ends, 0, 4 * (size_t)rows, 4);
    return view;
}

/* Messages with some of their entries: *rows of them, or those before the first broken one. */
static dv_status project(cursor *c, int64_t *rows, dv_column_view *view_out, dv_error *err)
{
    const dvi_datadings_file *file = c->base.file;
    size_t at = 0;
    DVI_TRY(dvi_memory_reserve(&c->ends, &file->allocator, 4 * (size_t)*rows, err));
    DVI_TRY(dvi_memory_reserve(&c->projected, &file->allocator, c->base.source.span.nbytes, err));
    for (int64_t i = 0; i < *rows; i++) {
        size_t n;
        dv_error own = DV_ERROR_INIT;
        const dvi_msgpack_reader message =
            dvi_datadings_source_message(&c->base.source, c->base.row + i);
        const dv_status status =
            dvi_datadings_project(&file->options, &message, c->projected->data + at, &n, &own);
        if (status < 0 && i > 0) {
            *rows = i;
            break;
        }
        if (status < 0 && err)
            *err = own;
        DVI_TRY(status);
        at += n;
        dvi_store_i32(c->ends->data + 4 * i, (int32_t)at);
    }
    *view_out = text_view(DV_KIND_BY, c->ends, *rows);
    view_out->as.text.utf8 = dvi_memory_buffer(c->projected, 0, at, 1);
    return DV_OK;
}

static dv_status make_messages(cursor *c, int64_t rows, dv_column_view *view_out, dv_error *err)
{
    const dvi_span *span = &c->base.source.span;
    DVI_TRY(dvi_memory_reserve(&c->ends, &c->base.file->allocator, 4 * (size_t)rows, err));
    for (int64_t i = 0; i < rows; i++) {
        const int64_t end = dvi_datadings_source_offset(&c->base.source, c->base.row + i + 1);
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
    DVI_TRY(dvi_datadings_keys(c->base.file->set, c->base.row, (size_t)rows, c->keys,
                               &c->keys_memory, err));
    for (int64_t i = 0; i < rows; i++)
        nbytes += (size_t)dvi_max_i64(c->keys[i].nbytes, 0);
    DVI_REQUIRE(nbytes <= INT32_MAX,
                dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "keys of a batch",
                         "at most 2^31-1 bytes|%zu", nbytes));
    DVI_TRY(dvi_memory_reserve(&c->text, &c->base.file->allocator, nbytes, err));
    DVI_TRY(dvi_memory_reserve(&c->text_ends, &c->base.file->allocator, 4 * (size_t)rows, err));
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

static dv_status read_batch(dvi_datadings_cursor *base, int64_t rows, dv_batch *batch,
                            dv_error *err)
{
    cursor *c = (cursor *)base;
    dv_column_view keys, messages;
    DVI_REQUIRE(!(c->wants_keys && c->base.request->zero_copy_only),
                dvi_fail(err, DV_ERR_COPY, "datadings:12", -1, "key",
                         "bytes to be used as they are|keys, which are copied"));
    if (c->wants_messages) {
        DVI_TRY(dvi_datadings_source_run(&c->base.source, c->base.row, c->base.row + rows,
                                         RUN_NBYTES, INT64_MAX, &rows, err));
        DVI_REQUIRE(!(c->base.request->zero_copy_only && c->base.file->options.names_count),
                    dvi_fail(err, DV_ERR_COPY, "datadings:12", -1, "message",
                             "whole messages|options keep or drop, which copy"));
        DVI_REQUIRE(c->base.source.span.is_borrowed || !c->base.request->zero_copy_only,
                    dvi_fail(err, DV_ERR_COPY, "datadings:12", c->base.source.span.offset,
                             "message", "a mapped file|%s",
                             dvi_map_why_copied(c->base.file->map).text));
        DVI_TRY(c->base.file->options.names_count ? project(c, &rows, &messages, err)
                                                  : make_messages(c, rows, &messages, err));
    }
    if (c->wants_keys)
        DVI_TRY(make_keys(c, rows, &keys, err));
    DVI_TRY(dv_batch_start(batch, c->base.row, rows, err));
    for (int32_t k = 0; k < c->base.request->columns_count; k++)
        dvi_batch_set_slot(batch, k, c->base.request->columns[k] == KEY ? &keys : &messages);
    return DV_OK;
}

static dv_status open_raw(dvi_datadings_cursor *base, dv_error *err)
{
    cursor *c = (cursor *)base;
    const dv_cursor_request *request = c->base.request;
    void *keys;
    DVI_TRY(
        dvi_alloc(&c->base.file->allocator, &keys, DVI_DATADINGS_WINDOW * sizeof *c->keys, err));
    c->keys = keys;
    for (int32_t k = 0; k < request->columns_count; k++) {
        c->wants_keys |= request->columns[k] == KEY;
        c->wants_messages |= request->columns[k] == MESSAGE;
    }
    return DV_OK;
}

static void close_raw(dvi_datadings_cursor *base)
{
    cursor *c = (cursor *)base;
    const size_t nbytes = DVI_DATADINGS_WINDOW * sizeof *c->keys;
    dvi_memory_release(&c->keys_memory);
    dvi_memory_release(&c->text);
    dvi_memory_release(&c->text_ends);
    dvi_memory_release(&c->ends);
    dvi_memory_release(&c->projected);
    dvi_free(&c->base.file->allocator, c->keys, nbytes);
}

const dvi_datadings_cursor_class dvi_datadings_raw = {sizeof(cursor), open_raw, read_batch,
                                                      close_raw};
