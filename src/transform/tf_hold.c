/* SPDX-License-Identifier: MIT */
/* tf_hold.c: rows of a view, copied into memory (transform.h). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "view/gather.h"
#include "view/identity.h"
#include "view/inherit.h"
#include "view/token.h"
#include <dataview/cursor.h>
#include <dataview/digest.h>
#include <dataview/inspect.h>
#include <dataview/transform.h>

/* Rows of a chunk.  To reach a row of a vector one walks over those before it in its chunk. */
#define CHUNK_ROWS 1024
#define CHUNK_ROWS_OF_VECTORS 64

typedef struct hold {
    dv_allocator allocator;
    dv_view *source;     /* one reference */
    dvi_column **chunks; /* of each its columns, which point into themselves and so stay in place */
    size_t count, cap;
    int64_t rows, chunk_rows; /* of each chunk but the last */
    int32_t columns;
    /* What was asked of the source: columns by number, and rows. */
    dv_u16 columns_digest;
    int64_t first, end;
} hold;

typedef struct walk {
    const hold *h;
    const dv_cursor_request *request;
    int64_t at;
} walk;

/* --- Rows ------------------------------------------------------------------------------------- */

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    walk *w = cursor;
    const hold *h = w->h;
    const int64_t end = dvi_min_i64(w->request->end_row, h->rows);
    const int64_t chunk = w->at / h->chunk_rows, first = w->at % h->chunk_rows;
    if (w->at >= end)
        return DV_END;
    const int64_t rows = dvi_min_i64(h->chunk_rows - first, end - w->at);
    DVI_TRY(dv_batch_start(batch, w->at, rows, err));
    for (int32_t k = 0; k < w->request->columns_count; k++) {
        dvi_column part;
        dvi_column_assign(&part, &h->chunks[chunk][w->request->columns[k]].view);
        dvi_column_advance(&part.view, first);
        dvi_column_limit(&part.view, rows);
        dvi_batch_set_slot(batch, k, &part.view);
    }
    w->at += rows;
    return DV_OK;
}

static dv_status seek(void *cursor, dv_error *err)
{
    walk *w = cursor;
    (void)err;
    w->at = w->request->first_row;
    return DV_OK;
}

static dv_status open_walk(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "held rows",
                        "rows as they are stored|copies in memory");
    DVI_TRY(dvi_alloc_zeroed(request->allocator, cursor_out, sizeof(walk), err));
    *(walk *)*cursor_out = (walk){self, request, request->first_row};
    return DV_OK;
}

static void close_walk(void *cursor)
{
    walk *w = cursor;
    dvi_free(w->request->allocator, w, sizeof *w);
}

/* --- What is known of the view ---------------------------------------------------------------- */

static int64_t count_rows(void *self)
{
    return ((const hold *)self)->rows;
}

static bool can_shuffle(void *self)
{
    (void)self;
    return true;
}

/* Each row is at hand. */
static int64_t block_rows(void *self)
{
    (void)self;
    return 1;
}

static void close_hold(void *self)
{
    hold *h = self;
    const dv_allocator allocator = h->allocator;
    for (size_t i = 0; i < h->count; i++) {
        for (int32_t k = 0; k < h->columns; k++)
            dvi_column_release(&h->chunks[i][k]);
        dvi_free(&allocator, h->chunks[i], (size_t)h->columns * sizeof **h->chunks);
    }
    dvi_free(&allocator, h->chunks, h->cap * sizeof *h->chunks);
    dv_view_release(&h->source);
    dvi_free(&allocator, h, sizeof *h);
}

static dv_status verify(void *self, const dv_verify_options *options, dv_error *err)
{
    return dv_verify(((const hold *)self)->source, options, err);
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const hold *h = self;
    dv_identity_add(identity, &h->columns_digest, sizeof h->columns_digest);
    dvi_identity_add_i8(identity, h->first);
    dvi_identity_add_i8(identity, h->end);
    return dv_identity_add_view(identity, h->source, err);
}

/* Batches are copies: no `check`. */
static const dv_view_class hold_class = {.size = sizeof hold_class,
                                         .kind = "hold",
                                         .rows = count_rows,
                                         .can_shuffle = can_shuffle,
                                         .close = close_hold,
                                         .open_cursor = open_walk,
                                         .next = next,
                                         .close_cursor = close_walk,
                                         .verify = verify,
                                         .seek = seek,
                                         .block_rows = block_rows,
                                         .identify = identify};

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status hold_column(const hold *h, dvi_column *held, const dv_column_view *source,
                             dv_error *err)
{
    dvi_gather copy = {0};
    dvi_column column;
    const dv_status status = dvi_gather_reserve(&copy, source, source->rows, &h->allocator, err);
    if (status == DV_OK) {
        dvi_gather_append(&copy, source, source->rows);
        dvi_gather_view(&copy, &source->type, &column);
        dvi_column_assign(held, &column.view);
        dvi_column_retain(held);
        dvi_column_will_stay(held);
    }
    dvi_gather_free(&copy);
    return status;
}

static dv_status hold_batch(hold *h, const dv_batch *batch, dv_error *err)
{
    void *chunks = h->chunks, *made;
    const dv_status status =
        dvi_array_reserve(&h->allocator, &chunks, &h->cap, h->count + 1, sizeof *h->chunks, err);
    h->chunks = chunks;
    DVI_TRY(status);
    DVI_TRY(dvi_alloc_zeroed(&h->allocator, &made, (size_t)h->columns * sizeof **h->chunks, err));
    dvi_column *held = h->chunks[h->count++] = made;
    for (int32_t k = 0; k < h->columns; k++)
        DVI_TRY(hold_column(h, &held[k], dv_batch_column(batch, k), err));
    h->rows += batch->rows;
    return DV_OK;
}

/* Every batch but the last has chunk_rows. */
static dv_status read_rows(hold *h, dv_cursor *cursor, dv_error *err)
{
    const dv_batch *batch;
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        DVI_TRY(hold_batch(h, batch, err));
    return status < 0 ? status : DV_OK;
}

static dv_status make_schema(dv_schema **schema_out, hold *h, const int32_t *columns, dv_error *err)
{
    const dv_schema *source = dv_view_schema(h->source);
    DVI_TRY(dv_schema_create(schema_out, &h->allocator, err));
    for (int32_t k = 0; k < h->columns; k++)
        DVI_TRY(dvi_inherit_column(*schema_out, source, columns[k],
                                   dv_schema_column(source, columns[k])->name, err));
    return DV_OK;
}

static int64_t choose_chunk_rows(const dv_schema *schema, const int32_t *columns, int32_t n)
{
    for (int32_t k = 0; k < n; k++)
        if (dv_schema_column(schema, columns[k])->type.rank > 0)
            return CHUNK_ROWS_OF_VECTORS;
    return CHUNK_ROWS;
}

/* Choose the columns, read the rows, make the view. */
static dv_status create(dv_view **view_out, hold *h, dv_cursor_options *options, dv_error *err)
{
    int32_t *columns;
    dv_cursor *cursor = NULL;
    dv_schema *schema = NULL;
    const dv_schema *source = dv_view_schema(h->source);
    dv_status status =
        dvi_cursor_read_columns(source, options, &h->allocator, &columns, &h->columns, err);
    if (status == DV_OK)
        status = make_schema(&schema, h, columns, err);
    if (status == DV_OK) {
        h->columns_digest = dv_digest_16(columns, (size_t)h->columns * sizeof *columns, 0);
        h->chunk_rows = choose_chunk_rows(source, columns, h->columns);
        options->batch_rows = h->chunk_rows;
        status = dv_cursor_open(&cursor, h->source, options, err);
    }
    if (status == DV_OK)
        status = read_rows(h, cursor, err);
    dv_cursor_close(&cursor);
    if (status == DV_OK)
        status = dv_view_create(view_out, &hold_class, h, &schema, &h->allocator, err);
    dv_schema_free(&schema);
    dvi_free(&h->allocator, columns, (size_t)h->columns * sizeof *columns);
    return status;
}

dv_status dv_view_hold(dv_view **view_out, dv_view *source, const dv_cursor_options *given,
                       const dv_allocator *allocator, dv_error *err)
{
    void *made;
    dv_cursor_options options;
    dvi_token_place place;
    const dv_allocator own = dvi_allocator_of(allocator);
    *view_out = NULL;
    DVI_TRY(dvi_cursor_read_options(given, &options, err));
    DVI_TRY(dvi_token_apply(&place, &options, source, err));
    options.ids = options.zero_copy_only = false;
    DVI_TRY(dvi_alloc_zeroed(&own, &made, sizeof(hold), err));
    hold *h = made;
    h->allocator = own;
    h->source = source;
    place = dvi_token_place_of(&options);
    h->first = place.first;
    h->end = place.end;
    dv_view_retain(source);
    const dv_status status = create(view_out, h, &options, err);
    if (status < 0)
        close_hold(h);
    return status;
}
