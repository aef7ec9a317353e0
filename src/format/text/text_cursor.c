/* SPDX-License-Identifier: MIT */
/* text_cursor.c: a walk over rows, from line to line. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "format/text/text_priv.h"
#include "format/text/text_rows.h"
#include <inttypes.h>

#define BATCH_ROWS INT64_C(4096)
#define BATCH_NBYTES (INT64_C(1) << 20)
#define ROWS_WITHOUT_COLUMNS INT64_C(65536) /* per batch when rows are only counted */

typedef struct cursor {
    dvi_text_file *file;
    const dv_cursor_request *request;
    dvi_text_rows *rows; /* NULL: no columns */
    dvi_text_reader reader;
    bool is_placed;
    int64_t row; /* the next */
    int64_t end;
} cursor;

dv_status dvi_text_start_rows(const dvi_text_file *file, dvi_text_reader *reader, dv_error *err)
{
    dv_text line;
    int64_t offset;
    DVI_TRY(
        dvi_text_reader_start(reader, file->map, &file->options, file->limits.cursor_nbytes, err));
    if (!file->options.has_header || file->options.header_file.nbytes >= 0)
        return DV_OK;
    const dv_status status = dvi_text_reader_next(reader, &line, &offset, err);
    return status < 0 ? status : DV_OK;
}

/* Go to the first row that is asked for. */
static dv_status place(cursor *c, dv_error *err)
{
    dv_text line;
    int64_t offset;
    dv_status status = DV_OK;
    if (!c->is_placed) {
        dvi_text_reader_free(&c->reader);
        c->row = 0;
        DVI_TRY(dvi_text_start_rows(c->file, &c->reader, err));
        c->is_placed = true;
    }
    while (c->row < c->request->first_row && c->row < c->end && status == DV_OK) {
        status = dvi_text_reader_next(&c->reader, &line, &offset, err);
        c->row += status == DV_OK;
    }
    return status;
}

/* Up to `most` rows.  DV_OK: of some; what comes behind them is seen by the next call. */
static dv_status read_rows(cursor *c, int64_t most, int64_t *n_out, dv_error *err)
{
    dv_text line;
    int64_t offset;
    dv_error own = DV_ERROR_INIT;
    dv_status status = DV_OK;
    int64_t n = 0;
    for (; n < most; n++) {
        const int64_t at = c->reader.lines.at;
        const bool has_begun = c->reader.has_begun;
        status = dvi_text_reader_next(&c->reader, &line, &offset, &own);
        if (status == DV_OK && c->rows)
            status = dvi_text_rows_add(c->rows, line, &own);
        if (status != DV_OK) {
            c->reader.lines.at = status == DV_END ? c->reader.lines.at : at;
            c->reader.has_begun = has_begun;
            break;
        }
        if (c->rows && dvi_text_rows_nbytes(c->rows) >= BATCH_NBYTES) {
            n++;
            break;
        }
    }
    *n_out = n;
    if (n > 0)
        return DV_OK;
    if (status < 0 && err)
        *err = own;
    return status;
}

static void fill(const cursor *c, int64_t n, dv_batch *batch)
{
    for (int32_t k = 0; k < c->request->columns_count; k++) {
        dv_column_view items;
        const dv_column_view view = dvi_text_rows_column(c->rows, k, n, &items);
        dvi_batch_set_slot(batch, k, &view);
    }
}

/* The next rows, when there may be some: the reader stands before them. */
static dv_status read_batch(cursor *c, dv_batch *batch, dv_error *err)
{
    const dv_cursor_request *request = c->request;
    const int64_t at = c->reader.lines.at;
    const bool has_begun = c->reader.has_begun;
    int64_t n, most = c->rows ? BATCH_ROWS : ROWS_WITHOUT_COLUMNS;
    if (c->rows) {
        DVI_REQUIRE(!request->zero_copy_only,
                    dvi_fail(err, DV_ERR_COPY, "semantics.md 6", at, "rows",
                             "bytes to be used as they are|text"));
        DVI_TRY(dvi_text_rows_clear(c->rows, err));
    }
    most = request->batch_rows > 0 ? dvi_min_i64(most, request->batch_rows) : most;
    dv_status status = read_rows(c, dvi_min_i64(most, c->end - c->row), &n, err);
    if (status != DV_OK)
        return status;
    status = dv_batch_start(batch, c->row, n, err);
    if (status < 0) { /* so that the call may be repeated */
        c->reader.lines.at = at;
        c->reader.has_begun = has_begun;
        return status;
    }
    if (c->rows)
        fill(c, n, batch);
    c->row += n;
    return DV_OK;
}

static dv_status next(cursor *c, dv_batch *batch, dv_error *err)
{
    dv_status status = place(c, err);
    if (status == DV_OK)
        status = c->row < c->end ? read_batch(c, batch, err) : DV_END;
    if (status == DV_END && (c->row < c->end || c->row == c->file->options.rows))
        atomic_store(&c->file->rows, c->row);
    return status;
}

dv_status dvi_text_next(void *ctx, dv_batch *batch, dv_error *err)
{
    cursor *c = ctx;
    const dv_status status = next(c, batch, err);
    if (status < 0) {
        if (c->is_placed)
            dvi_error_within(err, "row %" PRId64, c->row);
        dvi_error_set_file(err, dvi_map_name(c->file->map));
    }
    return status;
}

dv_status dvi_text_open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                               dv_error *err)
{
    dvi_text_file *file = self;
    void *made;
    *cursor_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&file->allocator, &made, sizeof(cursor), err));
    cursor *c = made;
    c->file = file;
    c->request = request;
    c->end = request->end_row;
    if (file->options.rows >= 0)
        c->end = dvi_min_i64(c->end, file->options.rows);
    if (request->columns_count > 0) {
        const dv_status status = dvi_text_rows_create(
            &c->rows, &file->layout, &file->options, request->columns, request->columns_count,
            file->limits.cursor_nbytes, &file->allocator, err);
        if (status < 0) {
            dvi_text_close_cursor(c);
            return status;
        }
    }
    *cursor_out = c;
    return DV_OK;
}

void dvi_text_close_cursor(void *ctx)
{
    cursor *c = ctx;
    const dv_allocator *allocator = &c->file->allocator;
    dvi_text_rows_free(&c->rows);
    dvi_text_reader_free(&c->reader);
    dvi_free(allocator, c, sizeof *c);
}
