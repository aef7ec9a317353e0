/* SPDX-License-Identifier: MIT */
/* tf_zip.c: the columns of several views, row by row. */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/size.h"
#include "type/schema.h"
#include "view/batch.h"
#include "scan/cursor.h"
#include "scan/derived.h"
#include "scan/scan.h"
#include "scan/several.h"
#include <dataview/transform.h>

#define COUNTED_ROWS 65536 /* of a batch when no view has to be read */

/* The view of a column, and its number there. */
typedef struct zip_column {
    int32_t view, column;
} zip_column;

typedef struct zip {
    dvi_several base;
    zip_column *column; /* of each column of the zip */
} zip;

static int64_t count_rows(void *self)
{
    const zip *z = self;
    int64_t least = INT64_MAX;
    bool is_known = true;
    for (int32_t i = 0; i < z->base.n; i++) {
        const int64_t rows = dv_view_rows(z->base.views[i]);
        is_known = is_known && rows >= 0;
        least = rows >= 0 ? dvi_min_i64(least, rows) : least;
    }
    return is_known || least == 0 ? least : DV_ROWS_UNKNOWN;
}

/* --- Cursor ----------------------------------------------------------------------------------- */

/* One of the views, as the cursor reads it. */
typedef struct input {
    int32_t view, count;      /* columns */
    bool is_read;             /* for its columns, or to find its end */
    int32_t *columns, *slots; /* of the view; of the zip's batch */
    dv_cursor *cursor;
    int64_t left;  /* rows of its batch that are not returned yet */
    int64_t below; /* as dvi_batch_below says of that batch */
} input;

typedef struct zip_cursor {
    const zip *zip;
    const dv_cursor_request *request;
    dvi_arena arena; /* of all arrays */
    input *inputs;   /* one per view; a view without a cursor is not read */
    dvi_column
        *rest; /* of each active column: the rows that are left; its view's cursor keeps them */
    int64_t at, end;
} zip_cursor;

/* Find which columns of which view are active. */
static dv_status plan_inputs(zip_cursor *c, dv_error *err)
{
    const dv_cursor_request *request = c->request;
    const size_t n = (size_t)c->zip->base.n, active = (size_t)request->columns_count;
    void *inputs, *rest;
    DVI_TRY(dvi_arena_alloc(&c->arena, &inputs, n * sizeof *c->inputs, err));
    DVI_TRY(dvi_arena_alloc(&c->arena, &rest, active * sizeof *c->rest, err));
    c->inputs = inputs;
    c->rest = rest;
    for (size_t k = 0; k < active; k++)
        c->inputs[c->zip->column[request->columns[k]].view].count++;
    for (int32_t i = 0; i < c->zip->base.n; i++) {
        void *columns, *slots;
        input *in = &c->inputs[i];
        const size_t nbytes = (size_t)in->count * sizeof(int32_t);
        DVI_TRY(dvi_arena_alloc(&c->arena, &columns, nbytes, err));
        DVI_TRY(dvi_arena_alloc(&c->arena, &slots, nbytes, err));
        *in = (input){.view = i, .columns = columns, .slots = slots};
    }
    for (int32_t k = 0; k < request->columns_count; k++) {
        const zip_column from = c->zip->column[request->columns[k]];
        input *in = &c->inputs[from.view];
        in->columns[in->count] = from.column;
        in->slots[in->count++] = k;
    }
    return DV_OK;
}

/* Find the end of the zip now: a view may have learned its number of rows since the zip was made.
 */
static void find_end(zip_cursor *c)
{
    for (int32_t i = 0; i < c->zip->base.n; i++) {
        const int64_t rows = dv_view_rows(c->zip->base.views[i]);
        c->inputs[i].is_read = c->inputs[i].count > 0 || rows < 0;
        if (rows >= 0)
            c->end = dvi_min_i64(c->end, rows);
    }
}

static dv_status open_inputs(zip_cursor *c, dv_error *err)
{
    DVI_TRY(plan_inputs(c, err));
    find_end(c);
    for (int32_t i = 0; i < c->zip->base.n; i++) {
        input *in = &c->inputs[i];
        dv_view *view = c->zip->base.views[i];
        if (!in->is_read)
            continue;
        const dv_status status =
            dvi_open_source(&in->cursor, view, c->request, in->columns, in->count,
                            c->request->batch_rows, c->at, c->end, err);
        DVI_TRY(dvi_several_blame(c->zip, i, status, err));
    }
    return DV_OK;
}

static void close_cursor(void *cursor)
{
    zip_cursor *c = cursor;
    for (int32_t i = 0; c->inputs && i < c->zip->base.n; i++)
        dv_cursor_close(&c->inputs[i].cursor);
    dvi_arena_free(&c->arena);
    dvi_free(c->request->allocator, c, sizeof *c);
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(zip_cursor), err));
    zip_cursor *c = made;
    c->zip = self;
    c->request = request;
    c->at = request->first_row;
    c->end = request->end_row;
    dvi_arena_init(&c->arena, request->allocator);
    const dv_status status = open_inputs(c, err);
    if (status < 0)
        close_cursor(c);
    else
        *cursor_out = c;
    return status;
}

static dv_status check_cursor(void *cursor, dv_error *err)
{
    const zip_cursor *c = cursor;
    for (int32_t i = 0; i < c->zip->base.n; i++)
        if (c->inputs[i].cursor)
            DVI_TRY(dvi_several_blame(c->zip, i, dvi_cursor_check(c->inputs[i].cursor, err), err));
    return DV_OK;
}

/* Read the next batch of the view if no rows of the last one are left. DV_END: the view has ended.
 */
static dv_status refill(zip_cursor *c, input *in, dv_error *err)
{
    const dv_batch *batch;
    if (!in->cursor || in->left > 0)
        return DV_OK;
    const dv_status status = dv_cursor_next(in->cursor, &batch, err);
    if (status != DV_OK)
        return dvi_several_blame(c->zip, in->view, status, err);
    in->left = batch->rows;
    in->below = dvi_batch_below(batch);
    for (int32_t j = 0; j < in->count; j++)
        dvi_column_assign(&c->rest[in->slots[j]], dv_batch_column(batch, j));
    return DV_OK;
}

static void hand_out(zip_cursor *c, dv_batch *batch, int64_t rows)
{
    for (int32_t k = 0; k < batch->columns; k++) {
        dvi_column run;
        dvi_column_assign(&run, &c->rest[k].view);
        dvi_column_limit(&run.view, rows);
        dvi_batch_set_slot(batch, k, &run.view);
        dvi_column_advance(&c->rest[k].view, rows);
    }
    int64_t below = 0; /* a row of the zip has one of each view */
    for (int32_t i = 0; i < c->zip->base.n; i++) {
        if (!c->inputs[i].cursor)
            continue;
        c->inputs[i].left -= rows;
        below = dvi_min_i64(below, INT64_MAX - c->inputs[i].below) + c->inputs[i].below;
    }
    dvi_batch_set_below(batch, below);
    c->at += rows;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    zip_cursor *c = cursor;
    int64_t rows = c->end - c->at;
    bool is_read = false;
    if (rows <= 0)
        return DV_END;
    for (int32_t i = 0; i < c->zip->base.n; i++) {
        const dv_status status = refill(c, &c->inputs[i], err);
        if (status != DV_OK)
            return status;
        if (c->inputs[i].cursor)
            rows = dvi_min_i64(rows, c->inputs[i].left);
        is_read = is_read || c->inputs[i].cursor;
    }
    if (!is_read)
        rows = dvi_min_i64(rows, COUNTED_ROWS);
    DVI_TRY(dv_batch_start(batch, c->at, rows, err));
    hand_out(c, batch, rows);
    return DV_OK;
}

/* --- Making ----------------------------------------------------------------------------------- */

static const dv_view_class zip_class = {.size = sizeof zip_class,
                                        .kind = "zip",
                                        .rows = count_rows,
                                        .open_cursor = open_cursor,
                                        .next = next,
                                        .close_cursor = close_cursor,
                                        .check_cursor = check_cursor};

static int32_t column_of(const void *self, int32_t i, int32_t column)
{
    const zip_column *from = &((const zip *)self)->column[column];
    return from->view == i ? from->column : -1;
}

static dv_status add_columns(zip *z, dv_schema *schema, dv_error *err)
{
    void *list;
    int64_t all = 0;
    for (int32_t i = 0; i < z->base.n; i++)
        all += dv_schema_columns(dv_view_schema(z->base.views[i]));
    if (all > INT32_MAX)
        return dvi_fail_argument(err, "%lld columns; a view has at most 2^31-1", (long long)all);
    DVI_TRY(dvi_arena_alloc(&z->base.arena, &list, (size_t)all * sizeof *z->column, err));
    z->column = list;
    zip_column *to = list;
    for (int32_t i = 0; i < z->base.n; i++) {
        const dv_schema *source = dv_view_schema(z->base.views[i]);
        DVI_TRY(dvi_schema_add_columns(schema, source, err));
        for (int32_t k = 0; k < dv_schema_columns(source); k++)
            *to++ = (zip_column){i, k};
    }
    return DV_OK;
}

static dv_status describe(zip *z, dv_schema **schema_out, dv_error *err)
{
    DVI_TRY(dv_schema_create(schema_out, &z->base.arena.allocator, err));
    return add_columns(z, *schema_out, err);
}

dv_status dv_view_zip(dv_view **view_out, dv_view *const *views, int32_t n,
                      const dv_allocator *allocator, dv_error *err)
{
    void *made;
    dv_schema *schema = NULL;
    *view_out = NULL;
    if (n < 1)
        return dvi_fail_argument(err, "a view cannot be made of %d views; pass at least one", n);
    DVI_TRY(dvi_several_create(&made, sizeof(zip), views, NULL, n, allocator, err));
    zip *z = made;
    z->base.column_of = column_of;
    const dv_status status = describe(z, &schema, err);
    return dvi_several_view(view_out, &zip_class, z, schema, status, err);
}
