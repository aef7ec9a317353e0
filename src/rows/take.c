/* SPDX-License-Identifier: MIT */
/* take.c: rows of a view in any order (transform.h). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/derived.h"
#include "view/identity.h"
#include "rows/row_batches.h"
#include <dataview/transform.h>
#include <string.h>

typedef struct take {
    dvi_derived base;
    int64_t *rows; /* of the source */
    int64_t n;
    int64_t end_row; /* behind the greatest of them */
} take;

typedef struct reader {
    const take *p;
    const dv_cursor_request *request;
    dvi_row_batches *batches;
    int64_t told; /* the first of p->rows that the fetch was not told of */
    int64_t at;   /* the first that is not delivered */
} reader;

/* --- Rows ------------------------------------------------------------------------------------- */

static int64_t next_numbers(void *ctx, int64_t *rows_out, int64_t n)
{
    reader *r = ctx;
    n = dvi_min_i64(n, r->request->end_row - r->told);
    if (n > 0)
        memcpy(rows_out, r->p->rows + r->told, (size_t)n * sizeof *rows_out);
    r->told += n;
    return n;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    reader *r = cursor;
    const dv_status status = dvi_row_batches_next(r->batches, r->at, batch, err);
    if (status == DV_OK)
        r->at += batch->rows;
    return status;
}

static dv_status seek(void *cursor, dv_error *err)
{
    reader *r = cursor;
    r->at = r->told = r->request->first_row;
    return dvi_row_batches_restart(r->batches, err);
}

static void close_cursor(void *cursor)
{
    reader *r = cursor;
    dvi_row_batches_free(&r->batches);
    dvi_free(r->request->allocator, r, sizeof *r);
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    void *made;
    const take *p = self;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "rows taken",
                        "rows as they are stored|rows in an order of their own");
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(reader), err));
    reader *r = made;
    *r = (reader){.p = p, .request = request, .told = request->first_row, .at = request->first_row};
    const dvi_gather_plan plan = {.what = "rows taken", .end_row = p->end_row};
    const dv_status status = dvi_row_batches_create(&r->batches, p->base.source, request, &plan,
                                                    &(dvi_row_numbers){next_numbers, r}, err);
    if (status < 0)
        close_cursor(r);
    else
        *cursor_out = r;
    return status;
}

/* --- What is known of the view ---------------------------------------------------------------- */

static int64_t count_rows(void *self)
{
    return ((const take *)self)->n;
}

/* Rows beside each other are not stored beside each other: each costs what it costs there. */
static int64_t block_rows(void *self)
{
    return dvi_derived_block_rows(self) > 0;
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const take *p = self;
    dv_identity_add(identity, p->rows, (size_t)p->n * sizeof *p->rows);
    return dv_identity_add_view(identity, p->base.source, err);
}

static const dv_view_class pick_class = {.size = sizeof pick_class,
                                         .kind = "take",
                                         .rows = count_rows,
                                         .open_cursor = open_cursor,
                                         .next = next,
                                         .close_cursor = close_cursor,
                                         .check = dvi_nothing_to_check,
                                         .inspect = dvi_no_facts,
                                         .seek = seek,
                                         .block_rows = block_rows,
                                         .identify = identify};

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status check_rows(const dv_view *source, const int64_t *rows, int64_t n, dv_error *err)
{
    const int64_t known = dv_view_rows(source);
    if (n < 0 || (n > 0 && !rows))
        return dvi_fail_argument(err, "%lld rows to take", (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (rows[i] < 0 || (known >= 0 && rows[i] >= known))
            return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "row to take", "0 to %lld|%lld",
                            (long long)(known >= 0 ? known : INT64_MAX) - 1, (long long)rows[i]);
    return DV_OK;
}

dv_status dv_view_take(dv_view **view_out, dv_view *source, const int64_t *rows, int64_t n,
                       const dv_allocator *allocator, dv_error *err)
{
    void *made, *copy;
    *view_out = NULL;
    DVI_TRY(check_rows(source, rows, n, err));
    DVI_TRY(dvi_derived_create(&made, sizeof(take), source, allocator, err));
    take *p = made;
    const dv_status status = dvi_arena_alloc(&p->base.arena, &copy, (size_t)n * sizeof *rows, err);
    if (status < 0) {
        dvi_derived_close(p);
        return status;
    }
    if (n > 0)
        memcpy(copy, rows, (size_t)n * sizeof *rows);
    p->rows = copy;
    p->n = n;
    for (int64_t i = 0; i < n; i++)
        p->end_row = dvi_max_i64(p->end_row, rows[i] + 1);
    return dvi_derived_view(view_out, &pick_class, p, NULL, err);
}
