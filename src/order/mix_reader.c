/* SPDX-License-Identifier: MIT */
/* mix_reader.c: rows of several cursors, in the order of a mix.
 *
 * The buffers of each cursor's last batch are kept; the sink gets references to rows in them, so
 * each row is copied once.  Where a source ends is found when a row of it is due. */
#include "order/mix_reader.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "type/open_type.h"
#include "view/batch.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "scan/row_parts.h"
#include "gather/block.h"
#include <dataview/rowid.h>

#define REFS 256 /* handed over together */

/* A source that is being read. */
typedef struct lane {
    dv_cursor *cursor;    /* NULL: not open */
    int64_t first, rows;  /* where it was opened; rows that it has delivered since */
    int64_t skip;         /* rows before the next one that is wanted, perhaps of many passes */
    dvi_kept_batch *kept; /* its last batch; NULL: none */
    int64_t at;           /* the next row of it */
    dvi_memory *ids;      /* the ids of that batch, with the number of the source */
} lane;

typedef struct reader {
    dvi_mix_sources sources;
    const dvi_mix_plan *plan;
    dvi_mix_order *order;
    int64_t first; /* position in the order with which the epoch begins */
    const dv_cursor_request *request;
    int64_t position, skip; /* the next row; rows to pass before the first one that is wanted */
    bool is_over;           /* the first source is exhausted */
    lane *lanes;
    const dv_column_view **views; /* of one batch */
    dv_column_view ids;
    dvi_row_ref refs[REFS];
    int64_t at, n; /* refs that the sink has not taken */
} reader;

/* --- A source --------------------------------------------------------------------------------- */

static void close_lane(const reader *r, lane *l)
{
    dvi_kept_batch_free(l->kept, r->request->allocator);
    l->kept = NULL;
    dv_cursor_close(&l->cursor);
}

/* If counts are known, at the next row of this pass: there was no need to read those before. */
static dv_status open_lane(const reader *r, int32_t i, dv_error *err)
{
    lane *l = &r->lanes[i];
    dv_cursor_options options = dvi_cursor_options_of(r->request);
    const int64_t count = r->plan->counts[i], taken = dvi_mix_order_taken(r->order, i);
    options.threads = (int32_t)dvi_max_i64(r->request->threads / r->plan->n, 1);
    if (!dvi_request_member(r->request)) /* a member may be read by any thread */
        options.progress = dvi_request_progress(r->request);
    if (r->plan->is_counted && count > 0)
        options.first_row = taken % count;
    l->first = options.first_row;
    l->rows = 0;
    return dv_cursor_open(&l->cursor, r->sources.views[i], &options, err);
}

/* Tell the ids of the sources apart. */
static dv_status number_ids(reader *r, lane *l, int32_t i, const dv_batch *batch, dv_error *err)
{
    const size_t nbytes = (size_t)batch->rows * sizeof(dv_u128);
    r->ids = dvi_batch_ids_column(batch, batch->rows);
    if (r->plan->n == 1) /* not a concatenation */
        return DV_OK;
    DVI_TRY(dvi_memory_reserve(&l->ids, r->request->allocator, nbytes, err));
    dv_u128 *ids = (dv_u128 *)(void *)l->ids->data;
    for (int64_t k = 0; k < batch->rows; k++)
        ids[k] = dv_rowid_combine(batch->ids[k], (dv_u128){(uint64_t)i, 0});
    r->ids.as.fixed.values = dvi_memory_buffer(l->ids, 0, nbytes, sizeof(dv_u128));
    return DV_OK;
}

static dv_status keep_batch(reader *r, lane *l, int32_t i, const dv_batch *batch, dv_error *err)
{
    const dv_cursor_request *request = r->request;
    const int32_t columns = request->columns_count;
    for (int32_t k = 0; k < columns; k++)
        r->views[k] = dv_batch_column(batch, k);
    if (request->ids) {
        DVI_TRY(number_ids(r, l, i, batch, err));
        r->views[columns] = &r->ids;
    }
    return dvi_kept_batch_make(&l->kept, r->views, columns + request->ids, batch->rows, NULL,
                               request->allocator, err);
}

/* The source has no more rows, and one is due. */
static dv_status end_lane(reader *r, int32_t i, dv_error *err)
{
    lane *l = &r->lanes[i];
    const int64_t read = l->first + l->rows;
    close_lane(r, l);
    if (r->plan->is_counted && read != r->plan->counts[i])
        return dvi_row_parts_fail_count(r->sources.views[i], r->plan->counts[i], err);
    if (r->plan->stop == DV_MIX_REPEAT && read == 0)
        return dvi_fail_argument(err, "source %d of the mix has no rows to repeat", i);
    if (l->skip > 0)
        l->skip %= read;
    else if (r->plan->stop == DV_MIX_FIRST)
        r->is_over = true;
    else if (r->plan->stop == DV_MIX_LAST)
        dvi_mix_order_drop(r->order);
    return DV_OK;
}

/* Keep the next batch, unless all of it is before the rows that are wanted. */
static dv_status read_lane(reader *r, int32_t i, dv_error *err)
{
    lane *l = &r->lanes[i];
    const dv_batch *batch;
    dvi_kept_batch_free(l->kept, r->request->allocator);
    l->kept = NULL;
    if (!l->cursor)
        DVI_TRY(open_lane(r, i, err));
    const dv_status status = dv_cursor_next(l->cursor, &batch, err);
    if (status == DV_END)
        return end_lane(r, i, err);
    DVI_TRY(status);
    l->rows += batch->rows;
    l->at = dvi_min_i64(l->skip, batch->rows);
    l->skip -= l->at;
    return l->at < batch->rows ? keep_batch(r, l, i, batch, err) : DV_OK;
}

static dv_status blame(int32_t i, dv_status status, dv_error *err)
{
    if (status < 0 && err && !*err->file)
        dvi_error_within(err, "source %d of the mix", i);
    return status;
}

/* --- Rows ------------------------------------------------------------------------------------- */

static bool has_row(const lane *l)
{
    return l->kept && l->at < l->kept->rows;
}

static void take_row(reader *r, lane *l)
{
    if (r->skip > 0)
        r->skip--;
    else
        r->refs[r->n++] = (dvi_row_ref){l->kept->column, l->at};
    l->at++;
    r->position++;
    dvi_mix_order_step(r->order);
}

static int64_t end_row(const reader *r)
{
    const int64_t end = r->request->end_row;
    return r->plan->rows > 0 ? dvi_min_i64(r->plan->rows, end) : end;
}

/* Refer to rows that come next.  Before a batch is replaced, its rows are copied. */
static dv_status find_rows(reader *r, int64_t most, dv_error *err)
{
    while (r->n < most && !r->is_over && r->position < end_row(r)) {
        const int32_t i = dvi_mix_order_source(r->order);
        if (i < 0)
            break;
        if (has_row(&r->lanes[i]))
            take_row(r, &r->lanes[i]);
        else if (r->n > 0)
            break;
        else
            DVI_TRY(blame(i, read_lane(r, i, err), err));
    }
    return DV_OK;
}

/* Batches that were read long ago are about to be touched: are their files still there? */
static dv_status fill(void *ctx, const dvi_row_sink *sink, dv_error *err)
{
    reader *r = ctx;
    DVI_TRY(dvi_view_check(r->sources.joined, err));
    for (;;) {
        int64_t wanted, taken;
        const int64_t room = dvi_min_i64(sink->room(sink->ctx, &wanted), REFS);
        if (room <= 0)
            return DV_OK;
        if (r->at == r->n) {
            r->at = r->n = 0;
            DVI_TRY(find_rows(r, room, err));
            if (r->n == 0)
                return DV_OK;
        }
        const int64_t n = dvi_min_i64(r->n - r->at, room);
        DVI_TRY(sink->take_refs(sink->ctx, r->refs + r->at, n, &taken, err));
        r->at += taken;
    }
}

/* --- Life ------------------------------------------------------------------------------------- */

/* A source that is exhausted has no effect on what comes later, or where it ends is known: then
 * there is no need to read the rows before. */
static void restart(void *ctx, int64_t position)
{
    reader *r = ctx;
    const bool is_sure = r->plan->is_counted || r->plan->stop == DV_MIX_REPEAT;
    r->at = r->n = 0;
    r->is_over = false;
    r->position = is_sure ? position : 0;
    r->skip = position - r->position;
    dvi_mix_order_seek(r->order, r->first + r->position);
    for (int32_t i = 0; i < r->plan->n; i++) {
        close_lane(r, &r->lanes[i]);
        r->lanes[i].skip = r->plan->is_counted ? 0 : dvi_mix_order_taken(r->order, i);
    }
}

static void close_reader(void *ctx)
{
    reader *r = ctx;
    const dv_allocator *allocator = r->request->allocator;
    for (int32_t i = 0; r->lanes && i < r->plan->n; i++) {
        close_lane(r, &r->lanes[i]);
        dvi_memory_release(&r->lanes[i].ids);
    }
    dvi_mix_order_free(&r->order);
    dvi_free(allocator, r->lanes, (size_t)r->plan->n * sizeof *r->lanes);
    dvi_free(allocator, r->views, ((size_t)r->request->columns_count + 1) * sizeof *r->views);
    dvi_free(allocator, r, sizeof *r);
}

/* As for rows that are gathered. */
static dv_status refuse_open_types(const dv_cursor_request *request, dv_error *err)
{
    for (int32_t k = 0; k < request->columns_count; k++)
        DVI_TRY(dvi_open_type_refuse(&dv_schema_column(request->schema, request->columns[k])->type,
                                     "rows in another order", err));
    return DV_OK;
}

static dv_status set_up(reader *r, dv_error *err)
{
    const dv_allocator *allocator = r->request->allocator;
    DVI_TRY(refuse_open_types(r->request, err));
    DVI_TRY(DVI_NEW(allocator, &r->lanes, (size_t)r->plan->n, err));
    DVI_TRY(DVI_NEW(allocator, &r->views, (size_t)r->request->columns_count + 1, err));
    restart(r, r->request->first_row);
    return DV_OK;
}

dv_status dvi_mix_reader_create(dvi_row_reader *reader_out, const dvi_mix_sources *sources,
                                const dvi_mix_plan *plan, dvi_mix_order *order, int64_t first,
                                const dv_cursor_request *request, dv_error *err)
{
    reader *r;
    dv_status status = DVI_NEW(request->allocator, &r, 1, err);
    if (status < 0) {
        dvi_mix_order_free(&order);
        return status;
    }
    r->sources = *sources;
    r->plan = plan;
    r->order = order;
    r->first = first;
    r->request = request;
    *reader_out = (dvi_row_reader){fill, restart, close_reader, r};
    status = set_up(r, err);
    if (status < 0)
        close_reader(r);
    return status;
}
