/* SPDX-License-Identifier: MIT */
/* datadings_cursor.c: runs of samples, decoded.
 *
 * Small samples become columns of many rows.  A large one is a batch of its own, whose bytes, texts
 * and arrays are those of the file. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "format/datadings/read/datadings_decoder.h"
#include <inttypes.h>

#define RUN_NBYTES (INT64_C(1) << 20) /* of messages, and of columns of fixed width */
#define LARGE_NBYTES (INT64_C(16) << 10)

typedef struct cursor {
    dvi_datadings_place at; /* first: seek knows no more */
    dvi_datadings_decoder decoder;
    dv_text *keys; /* of a run, when the options are strict */
    dvi_memory *keys_memory;
} cursor;

/* How many rows may a batch have, at most? */
static int64_t most_rows(const cursor *c)
{
    const int64_t width = dvi_max_i64(c->decoder.row_nbytes, 1);
    int64_t most = dvi_min_i64(DVI_DATADINGS_WINDOW, dvi_max_i64(RUN_NBYTES / width, 1));
    if (c->at.request->batch_rows > 0)
        most = dvi_min_i64(most, c->at.request->batch_rows);
    return dvi_min_i64(most, c->at.request->end_row - c->at.row);
}

/* The next rows that become a batch: one that is large, or those before the next large one. */
static dv_status read_run(cursor *c, int64_t *rows_out, bool *in_place_out, dv_error *err)
{
    const int64_t large = c->at.request->zero_copy_only ? 0 : LARGE_NBYTES;
    DVI_TRY(dvi_datadings_source_run(&c->at.source, c->at.row, c->at.row + most_rows(c), RUN_NBYTES,
                                     large, rows_out, err));
    *in_place_out = *rows_out == 1 && (int64_t)c->at.source.span.nbytes > large;
    if (c->keys)
        DVI_TRY(dvi_datadings_keys(c->at.file->set, c->at.row, (size_t)*rows_out, c->keys,
                                   &c->keys_memory, err));
    return DV_OK;
}

/* Row 31: the message's own key is the one that the set has for it. */
static dv_status check_key(const cursor *c, int64_t i, const dvi_msgpack_reader *message,
                           dv_error *err)
{
    const dvi_datadings_decoder *d = &c->decoder;
    const dvi_datadings_cell *cell = d->key_cell < 0 ? NULL : &d->walk.cells[d->key_cell];
    const bool is_str = cell && cell->stamp == d->walk.stamp && cell->token.kind == DVI_MSGPACK_STR;
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

/* Decode up to `rows` of them.  *done_out: how many are sound. */
static dv_status decode(cursor *c, int64_t rows, bool in_place, bool checks_text, int64_t *done_out,
                        dv_error *err)
{
    dvi_datadings_decoder_clear(&c->decoder, in_place, checks_text);
    for (*done_out = 0; *done_out < rows; ++*done_out) {
        const dvi_msgpack_reader message =
            dvi_datadings_source_message(&c->at.source, c->at.row + *done_out);
        dv_status status = dvi_datadings_decoder_add(&c->decoder, &message, err);
        if (status == DV_OK && c->keys)
            status = check_key(c, *done_out, &message, err);
        DVI_TRY(status);
    }
    return DV_OK;
}

/* As many rows as are sound; when the first is not, what is wrong with it.  Texts are checked all
 * together, and again one by one when that fails. */
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

/* Is what is handed out the file itself, as was asked? */
static dv_status check_borrowed(const cursor *c, dv_error *err)
{
    for (int32_t k = 0; c->at.request->zero_copy_only && k < c->decoder.count; k++) {
        const dvi_datadings_builder *b = &c->decoder.builders[k];
        const bool is_empty = b->is_text ? b->nbytes == 0 : b->items == 0;
        DVI_REQUIRE((b->place && c->at.source.span.is_borrowed) || is_empty,
                    dvi_fail(err, DV_ERR_COPY, "datadings:12", c->at.source.span.offset, "value",
                             "bytes to be used as they are|a value that is decoded"));
    }
    return DV_OK;
}

static void fill(cursor *c, dv_batch *batch)
{
    for (int32_t k = 0; k < c->decoder.count; k++) {
        dv_column_view view, items;
        dvi_datadings_decoder_view(&c->decoder, k, &c->at.source.span, &view, &items);
        dvi_batch_set_slot(batch, k, &view);
    }
}

static dv_status next(cursor *c, dv_batch *batch, dv_error *err)
{
    int64_t rows;
    bool in_place;
    if (c->at.row >= c->at.request->end_row)
        return DV_END;
    if (c->decoder.count == 0 && !c->keys) { /* rows are known without a look at them */
        rows = most_rows(c);
        DVI_TRY(dv_batch_start(batch, c->at.row, rows, err));
        c->at.row += rows;
        return DV_OK;
    }
    DVI_TRY(read_run(c, &rows, &in_place, err));
    DVI_TRY(decode_run(c, rows, in_place, err));
    DVI_TRY(check_borrowed(c, err));
    DVI_TRY(dv_batch_start(batch, c->at.row, c->decoder.rows, err));
    fill(c, batch);
    c->at.row += c->decoder.rows;
    atomic_fetch_add(&c->at.file->mismatches, c->decoder.misfits);
    return DV_OK;
}

dv_status dvi_datadings_next(void *ctx, dv_batch *batch, dv_error *err)
{
    cursor *c = ctx;
    return dvi_datadings_place_name(&c->at, next(c, batch, err), err);
}

static dv_status start(cursor *c, dv_error *err)
{
    void *keys;
    const dv_cursor_request *request = c->at.request;
    DVI_TRY(dvi_datadings_decoder_create(&c->decoder, c->at.file, request->columns,
                                         request->columns_count, &c->at.file->allocator, err));
    if (!c->at.file->options.strict)
        return DV_OK;
    DVI_TRY(dvi_alloc(&c->at.file->allocator, &keys, DVI_DATADINGS_WINDOW * sizeof *c->keys, err));
    c->keys = keys;
    return DV_OK;
}

dv_status dvi_datadings_open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                                    dv_error *err)
{
    dvi_datadings_file *file = self;
    void *made;
    *cursor_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&file->allocator, &made, sizeof(cursor), err));
    cursor *c = made;
    dvi_datadings_place_init(&c->at, file, request);
    const dv_status status = start(c, err);
    if (status < 0)
        dvi_datadings_close_cursor(c);
    else
        *cursor_out = c;
    return status;
}

void dvi_datadings_close_cursor(void *ctx)
{
    cursor *c = ctx;
    const dv_allocator *allocator = &c->at.file->allocator;
    dvi_datadings_decoder_free(&c->decoder);
    dvi_datadings_source_free(&c->at.source);
    dvi_memory_release(&c->keys_memory);
    dvi_free(allocator, c->keys, DVI_DATADINGS_WINDOW * sizeof *c->keys);
    dvi_free(allocator, c, sizeof *c);
}
