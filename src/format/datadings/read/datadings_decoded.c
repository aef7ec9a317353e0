/* SPDX-License-Identifier: MIT */
/* datadings_decoded.c: a cursor that decodes samples into columns.
 *
 * Small samples share a batch. A large sample is a batch of its own, whose bytes, texts and arrays
 * point into the file. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "format/datadings/read/datadings_decoder.h"
#include <inttypes.h>

#define RUN_NBYTES (INT64_C(1) << 20) /* of messages, and of columns of fixed width */
#define LARGE_NBYTES (INT64_C(16) << 10)

typedef struct cursor {
    dvi_datadings_cursor base;
    dvi_datadings_decoder decoder;
    dv_text *keys; /* of a run, with option strict; else NULL */
    dvi_memory *keys_memory;
} cursor;

/* Read the run of the next batch: one large sample, or at most *rows small ones. */
static dv_status read_run(cursor *c, int64_t *rows, bool *in_place_out, dv_error *err)
{
    const int64_t large = c->base.request->zero_copy_only ? 0 : LARGE_NBYTES;
    DVI_TRY(dvi_datadings_source_run(&c->base.source, c->base.row, c->base.row + *rows, RUN_NBYTES,
                                     large, rows, err));
    *in_place_out = *rows == 1 && (int64_t)c->base.source.span.nbytes > large;
    if (c->keys)
        DVI_TRY(dvi_datadings_keys(c->base.file->set, c->base.row, (size_t)*rows, c->keys,
                                   &c->keys_memory, err));
    return DV_OK;
}

/* Compare the message's own key with the key that the set lists (datadings:8.31). */
static dv_status check_key(const cursor *c, int64_t i, const dvi_msgpack_reader *message,
                           dv_error *err)
{
    const dvi_datadings_decoder *d = &c->decoder;
    const dvi_datadings_cell *cell = d->key_cell < 0 ? NULL : &d->locator.cells[d->key_cell];
    const bool is_str =
        cell && cell->stamp == d->locator.stamp && cell->token.kind == DVI_MSGPACK_STR;
    const dv_text own =
        is_str ? (dv_text){(const char *)cell->token.data, cell->token.n} : (dv_text){NULL, -1};
    const bool is_same = is_str && dv_text_equal(own, c->keys[i]);
    const int64_t at = is_str ? message->offset + (cell->at - message->start) : message->offset;
    const char *quote = is_str ? "\"" : "";
    DVI_REQUIRE(is_same, dvi_fail(err, DV_ERR_CORRUPT, "datadings:8.31", at, "key", "\"%s\"|%s%s%s",
                                  dvi_show(c->keys[i]).text, quote,
                                  is_str ? dvi_show(own).text : "no key", quote));
    return DV_OK;
}

/* Decode `rows` samples of the run. *done_out: the sound ones before the first failure. */
static dv_status decode(cursor *c, int64_t rows, bool in_place, bool checks_text, int64_t *done_out,
                        dv_error *err)
{
    dvi_datadings_decoder_clear(&c->decoder, c->base.row, in_place, checks_text);
    for (*done_out = 0; *done_out < rows; ++*done_out) {
        dvi_msgpack_reader message =
            dvi_datadings_source_message(&c->base.source, c->base.row + *done_out);
        dv_status status = dvi_datadings_decoder_add(&c->decoder, &message, err);
        if (status == DV_OK && c->keys)
            status = check_key(c, *done_out, &message, err);
        DVI_TRY(status);
    }
    return DV_OK;
}

/* Decode the sound rows before the first broken one; fail if the first row is broken. Texts are
 * checked together, and only if that fails one by one. */
static dv_status decode_run(cursor *c, int64_t rows, bool in_place, dv_error *err)
{
    int64_t done;
    dv_error own = DV_ERROR_INIT;
    bool checks_text = false;
    dv_status status = decode(c, rows, in_place, checks_text, &done, &own);
    if (status == DV_OK && !dvi_datadings_decoder_is_text(&c->decoder)) {
        checks_text = true;
        status = decode(c, rows, in_place, checks_text, &done, &own);
    }
    if (status == DV_ERR_CORRUPT || status == DV_ERR_LIMIT) {
        const int64_t sound = done;
        const dv_error first = own;
        if (sound > 0)
            return decode_run(c, sound, in_place, err);
        own = first;
    }
    if (status < 0 && err)
        *err = own;
    return status;
}

/* With zero_copy_only all values must point into the file. */
static dv_status check_borrowed(const cursor *c, dv_error *err)
{
    for (int32_t k = 0; c->base.request->zero_copy_only && k < c->decoder.count; k++) {
        const dvi_datadings_builder *b = &c->decoder.builders[k];
        const bool is_empty = b->is_text ? b->nbytes == 0 : b->items == 0;
        DVI_REQUIRE((b->borrowed && c->base.source.span.is_borrowed) || is_empty,
                    dvi_fail(err, DV_ERR_COPY, "datadings:12", c->base.source.span.offset, "value",
                             "bytes to be used as they are|a value that is decoded"));
    }
    return DV_OK;
}

static void fill(cursor *c, dv_batch *batch)
{
    for (int32_t k = 0; k < c->decoder.count; k++) {
        dv_column_view view, items;
        dvi_datadings_decoder_view(&c->decoder, k, &c->base.source.span, &view, &items);
        dvi_batch_set_slot(batch, k, &view);
    }
}

static dv_status read_batch(dvi_datadings_cursor *base, int64_t rows, dv_batch *batch,
                            dv_error *err)
{
    cursor *c = (cursor *)base;
    bool in_place;
    if (c->decoder.count == 0 && !c->keys) /* only the number of rows is requested */
        return dv_batch_start(batch, c->base.row, rows, err);
    const int64_t width = dvi_max_i64(c->decoder.row_nbytes, 1);
    rows = dvi_min_i64(rows, dvi_max_i64(RUN_NBYTES / width, 1));
    DVI_TRY(read_run(c, &rows, &in_place, err));
    DVI_TRY(decode_run(c, rows, in_place, err));
    DVI_TRY(check_borrowed(c, err));
    DVI_TRY(dv_batch_start(batch, c->base.row, c->decoder.rows, err));
    fill(c, batch);
    atomic_fetch_add(&c->base.file->mismatches, c->decoder.mismatches);
    return DV_OK;
}

static dv_status open_decoder(dvi_datadings_cursor *base, dv_error *err)
{
    cursor *c = (cursor *)base;
    void *keys;
    const dv_cursor_request *request = c->base.request;
    DVI_TRY(dvi_datadings_decoder_create(&c->decoder, c->base.file, request->columns,
                                         request->columns_count, &c->base.file->allocator, err));
    if (!c->base.file->options.strict)
        return DV_OK;
    DVI_TRY(
        dvi_alloc(&c->base.file->allocator, &keys, DVI_DATADINGS_WINDOW * sizeof *c->keys, err));
    c->keys = keys;
    return DV_OK;
}

static void close_decoder(dvi_datadings_cursor *base)
{
    cursor *c = (cursor *)base;
    const size_t nbytes = DVI_DATADINGS_WINDOW * sizeof *c->keys;
    dvi_datadings_decoder_free(&c->decoder);
    dvi_memory_release(&c->keys_memory);
    dvi_free(&c->base.file->allocator, c->keys, nbytes);
}

const dvi_datadings_cursor_class dvi_datadings_decoded = {sizeof(cursor), open_decoder, read_batch,
                                                          close_decoder};
