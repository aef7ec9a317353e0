/* SPDX-License-Identifier: MIT */
/* gather_cursor.c: a cursor that delivers rows of a source by number.
 *
 * Where all columns are of fixed width and in place, their values are copied from where they lie.
 * Otherwise columns grow row by row until the batch is full.  Ids are one more column, after the
 * others. */
#include "gather/gather_cursor.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "scan/cursor.h"
#include "gather/gathered_rows.h"
#include "gather/places.h"

/* A batch ends at this many rows or, unless a number was asked for, bytes of a column. */
#define BATCH_ROWS 1024
#define BATCH_NBYTES (1 << 20)
#define BATCH_NBYTES_MOST (64 << 20)
#define ROWS_FIRST 16 /* taken together while the size of a row is unknown */
#define PLACES_AT_ONCE 256

typedef struct numbered_cursor {
    const dv_cursor_request *request;
    dvi_row_numbers numbers;
    dvi_row_gatherer *gatherer; /* NULL: rows come from the reader */
    dvi_row_reader reader;
    int64_t position; /* the next row to deliver */

    dvi_gathered_rows gather;
    int64_t held;       /* rows in each of its columns */
    int64_t row_nbytes; /* bytes of a row in the widest column so far; 0: unknown */
    bool is_full;       /* no column takes more */

    dv_status ended; /* what the next call returns, after the rows before it were delivered */
    dv_error error;
} numbered_cursor;

/* --- The sink --------------------------------------------------------------------------------- */

static int64_t rows_wanted(const numbered_cursor *r)
{
    return r->request->batch_rows > 0 ? r->request->batch_rows : BATCH_ROWS;
}

/* The bytes of the widest column. */
static int64_t held_nbytes(const numbered_cursor *r)
{
    int64_t most = 0;
    for (int32_t k = 0; k < r->gather.columns; k++)
        most = dvi_max_i64(most, dvi_gathered_nbytes_of(&r->gather, k));
    return most;
}

/* So few rows that the batch does not become much larger than it should. */
static int64_t room(void *ctx, int64_t *wanted_out)
{
    numbered_cursor *r = ctx;
    const int64_t most = r->request->batch_rows > 0 ? BATCH_NBYTES_MOST : BATCH_NBYTES;
    const int64_t wanted = *wanted_out = rows_wanted(r) - r->held;
    if (r->is_full || wanted <= 0)
        return 0;
    const int64_t nbytes = r->held > 0 ? held_nbytes(r) : 0;
    if (nbytes >= most)
        return 0;
    if (r->held > 0)
        r->row_nbytes = dvi_max_i64(nbytes / r->held, 1);
    const int64_t fit = r->row_nbytes > 0 ? (most - nbytes) / r->row_nbytes : ROWS_FIRST;
    return dvi_max_i64(dvi_min_i64(fit, wanted), 1);
}

/* As many rows as one batch can hold of their text. */
static dv_status take_refs(void *ctx, const dvi_row_ref *refs, int64_t n, int64_t *taken_out,
                           dv_error *err)
{
    numbered_cursor *r = ctx;
    dv_status status = dvi_gathered_add(&r->gather, 0, r->gather.columns, refs, n, err);
    while (status == DV_ERR_LIMIT && n > 1) {
        n /= 2;
        status = dvi_gathered_add(&r->gather, 0, r->gather.columns, refs, n, err);
    }
    r->is_full = status == DV_ERR_LIMIT && r->held > 0;
    *taken_out = r->is_full ? 0 : n;
    if (r->is_full)
        return DV_OK;
    r->held += status == DV_OK ? n : 0;
    return status;
}

static dv_status take_batch(void *ctx, const dv_batch *batch, bool *is_taken_out, dv_error *err)
{
    numbered_cursor *r = ctx;
    const dv_status status = dvi_gathered_add_batch(&r->gather, batch, err);
    r->is_full = status == DV_ERR_LIMIT && r->held > 0;
    *is_taken_out = !r->is_full;
    if (r->is_full)
        return DV_OK;
    r->held += status == DV_OK ? batch->rows : 0;
    return status;
}

static dv_status copy_places(numbered_cursor *r, const dvi_places *places, const dvi_place *at,
                             int64_t n, dv_error *err)
{
    for (int32_t k = 0; k < r->gather.columns; k++) {
        const size_t width = dvi_places_width(places, k);
        uint8_t *values;
        DVI_TRY(dvi_growing_values(&r->gather.column[k], n, width, r->request->allocator, &values,
                                   err));
        const dv_status status = dvi_places_copy(places, k, 1, at, n, values, width, NULL, err);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

static dv_status take_places(void *ctx, const dvi_places *places, const int64_t *rows, int64_t n,
                             dv_error *err)
{
    numbered_cursor *r = ctx;
    dvi_place at[PLACES_AT_ONCE];
    dv_status status = DV_OK;
    for (int64_t i = 0; status == DV_OK && i < n; i += PLACES_AT_ONCE) {
        const int64_t some = dvi_min_i64(n - i, PLACES_AT_ONCE);
        status = dvi_places_find(places, rows + i, some, at, err);
        if (status == DV_OK)
            status = copy_places(r, places, at, some, err);
    }
    r->held += status == DV_OK ? n : 0;
    for (int32_t k = 0; status != DV_OK && k < r->gather.columns; k++)
        dvi_growing_cut(&r->gather.column[k], r->held);
    return status;
}

/* --- The cursor ------------------------------------------------------------------------------- */

static dv_status deliver(numbered_cursor *r, dv_batch *batch, dv_error *err)
{
    DVI_TRY(dv_batch_start(batch, r->position, r->held, err));
    dvi_gathered_lend(&r->gather, 0, r->gather.columns, batch);
    dvi_gathered_reset(&r->gather);
    r->position += r->held;
    r->held = 0;
    r->is_full = false;
    return DV_OK;
}

static dv_status fill(numbered_cursor *r, dv_error *err)
{
    const dvi_row_sink sink = {room, take_places, take_refs, take_batch, r};
    return r->gatherer ? dvi_row_gatherer_fill(r->gatherer, &sink, err)
                       : r->reader.fill(r->reader.ctx, &sink, err);
}

/* An error is reported after the rows before it were delivered. */
dv_status dvi_gather_cursor_next(void *cursor, dv_batch *batch, dv_error *err)
{
    numbered_cursor *r = cursor;
    dv_error own = DV_ERROR_INIT;
    dv_status status = r->ended;
    if (status == DV_OK)
        status = fill(r, &own);
    else
        own = r->error;
    if (status < 0 && (status == DV_ERR_MEMORY || r->held == 0)) {
        if (err)
            *err = own;
        return status;
    }
    if (status < 0) {
        r->ended = status;
        r->error = own;
    }
    return r->held > 0 ? deliver(r, batch, err) : DV_END;
}

dv_status dvi_gather_cursor_seek(void *cursor, dv_error *err)
{
    numbered_cursor *r = cursor;
    (void)err;
    r->position = r->request->first_row;
    r->ended = DV_OK;
    r->held = 0;
    r->is_full = false;
    dvi_gathered_reset(&r->gather);
    if (r->gatherer)
        dvi_row_gatherer_restart(r->gatherer, r->position);
    else
        r->reader.restart(r->reader.ctx, r->position);
    return DV_OK;
}

int64_t dvi_gather_cursor_peak(const void *cursor)
{
    const numbered_cursor *r = cursor;
    return r->gatherer ? dvi_row_gatherer_peak(r->gatherer) : 0;
}

void dvi_gather_cursor_close(void *cursor)
{
    numbered_cursor *r = cursor;
    const dv_allocator *allocator = r->request->allocator;
    dvi_row_gatherer_free(&r->gatherer);
    if (r->numbers.close)
        r->numbers.close(r->numbers.ctx);
    if (r->reader.close)
        r->reader.close(r->reader.ctx);
    dvi_gathered_free(&r->gather);
    dvi_free(allocator, r, sizeof *r);
}

dv_status dvi_gather_cursor_open(void **cursor_out, dv_view *source,
                                 const dv_cursor_request *request, const dvi_gather_plan *plan,
                                 const dvi_row_numbers *numbers, dv_error *err)
{
    numbered_cursor *r;
    dv_status status = DVI_NEW(request->allocator, &r, 1, err);
    if (status < 0) {
        if (numbers->close)
            numbers->close(numbers->ctx);
        return status;
    }
    r->request = request;
    r->numbers = *numbers;
    r->position = request->first_row;
    dvi_gather_plan how = *plan;
    how.knows_places = true;
    status = dvi_gathered_make(&r->gather, request, err);
    if (status == DV_OK)
        status = dvi_row_gatherer_create(&r->gatherer, source, request, &how, numbers, err);
    if (status < 0)
        dvi_gather_cursor_close(r);
    else
        *cursor_out = r;
    return status;
}

dv_status dvi_gather_cursor_read(void **cursor_out, const dv_cursor_request *request,
                                 const dvi_row_reader *reader, dv_error *err)
{
    numbered_cursor *r;
    dv_status status = DVI_NEW(request->allocator, &r, 1, err);
    if (status < 0) {
        reader->close(reader->ctx);
        return status;
    }
    r->request = request;
    r->reader = *reader;
    r->position = request->first_row;
    status = dvi_gathered_make(&r->gather, request, err);
    if (status < 0)
        dvi_gather_cursor_close(r);
    else
        *cursor_out = r;
    return status;
}
