/* SPDX-License-Identifier: MIT */
/* read_cursor.c: asks `read` for one run of rows after another. */
#include "scan/read_cursor.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/view.h"
#include "scan/cursor.h"
#include <inttypes.h>

typedef struct read_cursor {
    dv_view *view;
    const dv_view_class *cls;
    const dv_cursor_request *request;
    dv_cursor_request asked;
    void *scratch;
    int64_t row;             /* the next row of the view */
    int64_t split, in_split; /* the next row in the split */
    bool has_failed;         /* the scratch is not used any more */
} read_cursor;

/* --- Reading ---------------------------------------------------------------------------------- */

static dv_status fail_rows(const read_cursor *c, const dv_batch *batch, dv_error *err)
{
    return dvi_fail_argument(err,
                             "view %s: read was asked for rows %" PRId64 " to %" PRId64
                             " and gave %" PRId64 " from row %" PRId64 " on",
                             c->cls->kind, c->asked.first_row, c->asked.end_row - 1, batch->rows,
                             batch->first_row);
}

static dv_status read_rows(read_cursor *c, int64_t first, int64_t end, dv_batch *batch,
                           dv_error *err)
{
    c->asked.first_row = first;
    c->asked.end_row = end;
    const dv_status status =
        c->cls->read(dvi_view_self(c->view), &c->asked, c->scratch, batch, err);
    c->has_failed = status < 0;
    if (status != DV_OK)
        return status;
    const bool is_right =
        batch->first_row == first && batch->rows > 0 && batch->rows <= end - first;
    return is_right ? DV_OK : fail_rows(c, batch, err);
}

static dv_status next_of_block(read_cursor *c, dv_batch *batch, dv_error *err)
{
    const int64_t block = dv_view_block_rows(c->view), end = c->request->end_row;
    if (c->row >= end)
        return DV_END;
    if (block < 1)
        return dvi_fail_argument(err, "view %s: block_rows is %" PRId64 "; `read` needs 1 or more",
                                 c->cls->kind, block);
    const int64_t left = block - c->row % block;
    const dv_status status =
        read_rows(c, c->row, c->row + dvi_min_i64(left, end - c->row), batch, err);
    if (status == DV_END)
        return dvi_fail_argument(err, "view %s: read ended before row %" PRId64 " of %" PRId64,
                                 c->cls->kind, c->row, dv_view_rows(c->view));
    c->row += status == DV_OK ? batch->rows : 0;
    return status;
}

static void limit_rows(dv_batch *batch, int64_t rows)
{
    if (batch->rows <= rows)
        return;
    batch->rows = rows;
    for (int32_t k = 0; k < batch->columns; k++)
        dvi_column_limit(dvi_batch_slot(batch, k), rows);
}

/* Leave out the first `skip` rows. */
static void skip_rows(dv_batch *batch, int64_t skip)
{
    if (skip == 0)
        return;
    batch->rows -= skip;
    for (int32_t k = 0; k < batch->columns; k++)
        dvi_column_advance(dvi_batch_slot(batch, k), skip);
    if (batch->ids)
        batch->ids += skip;
}

/* Rows that the split has beyond those that are wanted are left out. */
static dv_status next_of_split(read_cursor *c, int64_t number, int64_t rows_most, dv_batch *batch,
                               dv_error *err)
{
    if (c->in_split >= rows_most)
        return DV_END;
    c->asked.split = number;
    const dv_status status = read_rows(c, c->in_split, INT64_MAX, batch, err);
    if (status != DV_OK)
        return status;
    limit_rows(batch, rows_most - c->in_split);
    c->in_split += batch->rows;
    return DV_OK;
}

/* Rows of all splits, which are counted on the way. */
static dv_status next_in_order(read_cursor *c, dv_batch *batch, dv_error *err)
{
    const int64_t splits = c->cls->splits(dvi_view_self(c->view));
    const int64_t first = c->request->first_row, end = c->request->end_row;
    while (c->split < splits && c->row < end) {
        dvi_batch_clear(batch);
        DVI_TRY(dvi_request_report(c->request, err));
        const int64_t most = dvi_min_i64(end - c->row, INT64_MAX - c->in_split);
        const dv_status status = next_of_split(c, c->split, c->in_split + most, batch, err);
        DVI_TRY(status);
        if (status == DV_END) {
            c->split++;
            c->in_split = 0;
            continue;
        }
        const int64_t row = c->row;
        c->row += batch->rows;
        if (c->row <= first)
            continue;
        skip_rows(batch, dvi_max_i64(first - row, 0));
        batch->first_row = dvi_max_i64(first, row);
        return DV_OK;
    }
    return DV_END;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    read_cursor *c = cursor;
    const dvi_split *split = dvi_request_split(c->request);
    if (!c->cls->splits)
        return next_of_block(c, batch, err);
    return split ? next_of_split(c, split->number, split->rows_most, batch, err)
                 : next_in_order(c, batch, err);
}

/* --- Opening ---------------------------------------------------------------------------------- */

static void close_scratch(read_cursor *c)
{
    if (c->scratch && c->cls->close_scratch)
        c->cls->close_scratch(c->scratch);
    c->scratch = NULL;
}

static dv_status open_scratch(read_cursor *c, dv_error *err)
{
    const dv_status status =
        c->cls->open_scratch
            ? c->cls->open_scratch(dvi_view_self(c->view), &c->asked, &c->scratch, err)
            : DV_OK;
    c->has_failed = status < 0;
    if (status < 0)
        c->scratch = NULL;
    return status;
}

/* A scratch that has seen an error is closed. */
static dv_status seek(void *cursor, dv_error *err)
{
    read_cursor *c = cursor;
    c->row = c->cls->splits ? 0 : c->request->first_row;
    c->split = c->in_split = 0;
    if (!c->has_failed)
        return DV_OK;
    close_scratch(c);
    return open_scratch(c, err);
}

static void close_cursor(void *cursor)
{
    read_cursor *c = cursor;
    close_scratch(c);
    dvi_free(c->request->allocator, c, sizeof *c);
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    read_cursor *c;
    DVI_TRY(DVI_NEW(request->allocator, &c, 1, err));
    c->view = self;
    c->cls = dvi_view_class(c->view);
    c->request = request;
    c->asked = *request;
    c->asked.threads = 1;
    dv_status status = seek(c, err);
    if (status == DV_OK)
        status = open_scratch(c, err);
    if (status < 0)
        close_cursor(c);
    else
        *cursor_out = c;
    return status;
}

static dv_status check_cursor(void *cursor, dv_error *err)
{
    return dvi_view_check(((const read_cursor *)cursor)->view, err);
}

static const dv_view_class read_class = {.size = sizeof read_class,
                                         .kind = "read",
                                         .open_cursor = open_cursor,
                                         .next = next,
                                         .close_cursor = close_cursor,
                                         .check_cursor = check_cursor,
                                         .seek = seek};

/* --- Splits ----------------------------------------------------------------------------------- */

/* Rows before the first requested one are read in order. */
static int64_t count_most(dv_view *view, const dv_cursor_request *request)
{
    return request->first_row > 0 ? 1 : dvi_view_class(view)->splits(dvi_view_self(view));
}

static dv_status open_splits(dv_view *view, const dv_cursor_request *request, void **splits_out,
                             dvi_splits_found *found_out, dv_error *err)
{
    const int64_t known = dv_view_rows(view), end = request->end_row;
    (void)err;
    *found_out =
        (dvi_splits_found){count_most(view, request), 0, known < 0 ? end : dvi_min_i64(known, end)};
    *splits_out = view;
    return DV_OK;
}

static void close_splits(void *splits)
{
    (void)splits;
}

static const dvi_splits_class read_splits = {
    .most = count_most, .open = open_splits, .close = close_splits};

/* --- Views ------------------------------------------------------------------------------------ */

const dv_view_class *dvi_view_reader(dv_view *view, void **self_out)
{
    const dv_view_class *cls = dvi_view_class(view);
    *self_out = cls->read ? view : dvi_view_self(view);
    return cls->read ? &read_class : cls;
}

const dvi_splits_class *dvi_view_splits(const dv_view *view)
{
    const dv_view_class *cls = dvi_view_class(view);
    if (cls->read)
        return cls->splits ? &read_splits : NULL;
    return dvi_view_traits_of(view)->splits;
}
