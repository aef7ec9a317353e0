/* SPDX-License-Identifier: MIT */
/* btable_cursor.c: a cursor that reads the file window by window.
 *
 * The complete rows of a window become a batch: one kernel reads, checks and splits them. It stops
 * at a row that is unsound or longer than the window; btable_rows.c finds out which. */
#include "base/alloc.h"
#include "base/size.h"
#include "view/batch.h"
#include "format/btable/btable_priv.h"
#include <inttypes.h>

#define WINDOW_NBYTES (INT64_C(256) << 10)
#define ROWS_WITHOUT_COLUMNS INT64_C(65536) /* per batch when rows are only counted */

typedef struct cursor {
    dvi_btable_file *file;
    const dv_cursor_request *request;
    bool is_positioned;
    int64_t row, at; /* the next row, and its offset; valid if is_positioned */
    int64_t left;    /* for dvi_map_leave */
    dvi_span span;   /* the window */
    dvi_memory *read, *decoded, *scratch;
} cursor;

/* The rows of the window from c->at on. */
typedef struct rows {
    const uint8_t *src;
    size_t nbytes;
    int64_t most; /* rows of the batch, at most */
    int64_t n;    /* rows so far */
    size_t cap;   /* indices, and items, that fit */
    int32_t *counts, *indices;
    double *items;
    dvi_pairs_end end;
} rows;

/* The memory for a window of this size: a copy of it, its split pairs, counts, and scratch for
 * repairs. */
static int64_t memory_for(int64_t nbytes)
{
    return 4 * nbytes;
}

/* Reserve one memory for the items, indices and counts of the window. */
static dv_status make_room(cursor *c, rows *r, dv_error *err)
{
    const size_t slots = (size_t)c->file->header.slots, most = (size_t)r->most;
    r->cap = r->nbytes / DVI_BTABLE_PAIR_NBYTES;
    if (most <= r->cap / slots)
        r->cap = most * slots;
    DVI_TRY(dvi_memory_reserve(&c->decoded, &c->file->allocator, 12 * r->cap + 4 * most, err));
    r->items = (double *)(void *)c->decoded->data;
    r->indices = (int32_t *)(void *)(c->decoded->data + 8 * r->cap);
    r->counts = r->indices + r->cap;
    return DV_OK;
}

/* Let the kernel split all rows that it can. */
static void split(const cursor *c, rows *r)
{
    const int32_t slots = c->file->header.slots;
    const dvi_pairs pairs = {
        .src = r->src + r->end.nbytes,
        .nbytes = r->nbytes - r->end.nbytes,
        .rows = (size_t)(r->most - r->n),
        .items = r->cap - r->end.items,
        .length = slots,
        .dense = slots,
    };
    dvi_pairs_end end;
    r->n += (int64_t)dvi_kernels()->pairs_split_8(r->counts + r->n, r->indices + r->end.indices,
                                                  r->items + r->end.items, &pairs, &end);
    r->end.nbytes += end.nbytes;
    r->end.indices += end.indices;
    r->end.items += end.items;
}

/* Handle the row at which the kernel stopped. DV_OK: it is repaired, go on; DV_END: the batch ends
 * before it, and *whole_nbytes_out is the window that it needs (0: there is no row);
 * DV_ERR_CORRUPT, DV_ERR_MEMORY. */
static dv_status check_or_repair_row(cursor *c, rows *r, int64_t *whole_nbytes_out, dv_error *err)
{
    const int64_t at = c->at + (int64_t)r->end.nbytes;
    const uint8_t *p = r->src + r->end.nbytes;
    const size_t left = r->nbytes - r->end.nbytes;
    int32_t n = 0, count;
    *whole_nbytes_out = 0;
    if (left < 4 && at + (int64_t)left < dvi_map_nbytes(c->file->map)) {
        *whole_nbytes_out = 4; /* to read its count */
        return DV_END;
    }
    const dv_status status =
        dvi_btable_check_count(c->file, at, p, c->file->limits.lenient, &n, err);
    if (status != DV_OK)
        return status;
    *whole_nbytes_out = 4 + (int64_t)DVI_BTABLE_PAIR_NBYTES * n;
    if (*whole_nbytes_out > (int64_t)left)
        return DV_END;
    if (!c->file->limits.lenient)
        return dvi_btable_check_pairs(c->file, at, p + 4, n, err);
    DVI_TRY(dvi_btable_repair_row(c->file, p + 4, n, r->indices + r->end.indices,
                                  r->items + r->end.items, &count, &c->scratch, err));
    r->counts[r->n++] = count;
    r->end.nbytes += (size_t)*whole_nbytes_out;
    r->end.indices += count < 0 ? 0 : (size_t)count;
    r->end.items += (size_t)(count < 0 ? c->file->header.slots : count);
    return DV_OK;
}

/* Set *r to the bytes at c->at: the rest of the window, or a new window of at least `least` bytes
 * if the rest is empty or too short (least > 0). DV_END: the file ends there. */
static dv_status read_window(cursor *c, rows *r, int64_t least, dv_error *err)
{
    dvi_map *map = c->file->map;
    const int64_t left = dvi_map_nbytes(map) - c->at,
                  end = c->span.offset + (int64_t)c->span.nbytes;
    if (left == 0)
        return DV_END;
    if (least > 0 || c->at < c->span.offset || c->at >= end) {
        const int64_t limit = c->file->limits.cursor_nbytes;
        const int64_t window = dvi_min_i64(WINDOW_NBYTES, limit / memory_for(1));
        const int64_t nbytes = dvi_min_i64(left, dvi_max_i64(dvi_max_i64(least, 4), window));
        DVI_REQUIRE(nbytes <= window || memory_for(nbytes) <= limit,
                    dvi_fail(err, DV_ERR_LIMIT, "cursor_nbytes", c->at, "row",
                             "at most %" PRId64 " bytes of memory (option cursor_nbytes)|%" PRId64,
                             limit, memory_for(nbytes)));
        DVI_TRY(dvi_map_span(map, c->at, (size_t)nbytes, &c->read, &c->span, err));
    } else if (c->span.is_borrowed) {
        DVI_TRY(dvi_map_check(map, err));
    }
    const size_t skip = (size_t)(c->at - c->span.offset);
    *r = (rows){.src = c->span.data + skip, .nbytes = c->span.nbytes - skip};
    r->most = dvi_min_i64(c->request->end_row - c->row, (int64_t)(r->nbytes / 4) + 1);
    if (c->request->batch_rows > 0)
        r->most = dvi_min_i64(r->most, c->request->batch_rows);
    return DV_OK;
}

/* Make the rows of a batch. DV_END: none, because the table ends (*least is 0), or because the next
 * row needs a window of *least bytes. */
static dv_status make_rows(cursor *c, rows *r, int64_t *least, dv_error *err)
{
    *r = (rows){0};
    dv_status status = read_window(c, r, *least, err);
    *least = 0;
    if (status != DV_OK)
        return status;
    DVI_TRY(make_room(c, r, err));
    dv_error own = DV_ERROR_INIT;
    do {
        split(c, r);
        if (r->n == r->most)
            return DV_OK;
        status = check_or_repair_row(c, r, least, &own);
    } while (status == DV_OK);
    if (r->n > 0 && status != DV_ERR_MEMORY)
        return DV_OK; /* deliver the sound rows; the next call finds the error again */
    if (status < 0 && err)
        *err = own;
    return status;
}

static dv_status next_rows(cursor *c, rows *r, dv_error *err)
{
    int64_t least = 0;
    dv_status status;
    do
        status = make_rows(c, r, &least, err);
    while (status == DV_END && least > 0);
    return status;
}

static void fill(const cursor *c, const rows *r, dv_batch *batch)
{
    const int32_t slots = c->file->header.slots;
    const size_t indices_at = 8 * r->cap, counts_at = indices_at + 4 * r->cap;
    dv_column_view items = {
        .type = dv_type_of(DV_KIND_R8), .layout = DV_LAYOUT_FIXED, .rows = (int64_t)r->end.items};
    items.as.fixed.values = dvi_memory_buffer(c->decoded, 0, 8 * r->end.items, 8);
    dv_column_view view = {.type = dv_type_vector(dv_type_of(DV_KIND_R8), slots),
                           .layout = DV_LAYOUT_VECTOR,
                           .rows = r->n};
    view.as.vector.length = slots;
    view.as.vector.counts = dvi_memory_buffer(c->decoded, counts_at, 4 * (size_t)r->n, 4);
    view.as.vector.indices = dvi_memory_buffer(c->decoded, indices_at, 4 * r->end.indices, 4);
    view.as.vector.items = &items;
    for (int32_t k = 0; k < c->request->columns_count; k++)
        dvi_batch_set_slot(batch, k, &view);
}

/* Deliver rows without columns: only their counts are read. */
static dv_status count_rows(cursor *c, dv_batch *batch, dv_error *err)
{
    const int64_t first = c->row;
    const int64_t end = dvi_min_i64(c->request->end_row, first + ROWS_WITHOUT_COLUMNS);
    dvi_btable_row_reader reader = {.file = c->file, .row = c->row, .at = c->at, .memory = c->read};
    dv_error own = DV_ERROR_INIT;
    dv_status status = DV_OK;
    while (reader.row < end && status == DV_OK)
        status = dvi_btable_row_reader_next(&reader, NULL, &own);
    c->read = reader.memory;
    if (reader.row == first) {
        if (status < 0 && err)
            *err = own;
        return status;
    }
    c->row = reader.row;
    dvi_map_leave(c->file->map, &c->left, c->at, DVI_LEAVE_NBYTES);
    c->at = reader.at;
    return dv_batch_start(batch, first, c->row - first, err);
}

static dv_status split_rows(cursor *c, dv_batch *batch, dv_error *err)
{
    rows r;
    const dv_status status = next_rows(c, &r, err);
    if (status != DV_OK)
        return status;
    DVI_REQUIRE(!c->request->zero_copy_only,
                dvi_fail(err, DV_ERR_COPY, "btable:5", c->at, "rows",
                         "bytes to be used as they are|big-endian pairs"));
    DVI_TRY(dv_batch_start(batch, c->row, r.n, err));
    fill(c, &r, batch);
    c->row += r.n;
    dvi_map_leave(c->file->map, &c->left, c->at, DVI_LEAVE_NBYTES);
    c->at += (int64_t)r.end.nbytes;
    return DV_OK;
}

static dv_status next(cursor *c, dv_batch *batch, dv_error *err)
{
    if (!c->is_positioned)
        DVI_TRY(dvi_btable_find_row(c->file, c->request->first_row, &c->row, &c->at, err));
    c->is_positioned = true;
    if (c->row < c->request->first_row || c->row >= c->request->end_row)
        return DV_END;
    const dv_status status =
        c->request->columns_count > 0 ? split_rows(c, batch, err) : count_rows(c, batch, err);
    if (status == DV_END)
        dvi_btable_publish_rows(c->file, c->row);
    return status;
}

dv_status dvi_btable_next(void *ctx, dv_batch *batch, dv_error *err)
{
    cursor *c = ctx;
    const dv_status status = next(c, batch, err);
    if (status < 0) {
        if (c->is_positioned)
            dvi_error_within(err, "row %" PRId64, c->row);
        dvi_error_set_file(err, dvi_map_name(c->file->map));
    }
    return status;
}

dv_status dvi_btable_open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                                 dv_error *err)
{
    dvi_btable_file *file = self;
    void *made;
    *cursor_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&file->allocator, &made, sizeof(cursor), err));
    cursor *c = made;
    c->file = file;
    c->request = request;
    *cursor_out = c;
    return DV_OK;
}

static void leave_all(cursor *c)
{
    dvi_map_leave(c->file->map, &c->left, c->at, 1);
    c->left = 0;
}

dv_status dvi_btable_seek(void *ctx, dv_error *err)
{
    (void)err;
    leave_all(ctx);
    ((cursor *)ctx)->is_positioned = false;
    return DV_OK;
}

void dvi_btable_close_cursor(void *ctx)
{
    cursor *c = ctx;
    const dv_allocator *allocator = &c->file->allocator;
    leave_all(c);
    dvi_memory_release(&c->read);
    dvi_memory_release(&c->decoded);
    dvi_memory_release(&c->scratch);
    dvi_free(allocator, c, sizeof *c);
}
