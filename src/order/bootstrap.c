/* SPDX-License-Identifier: MIT */
/* bootstrap.c: each row of a view repeated as often as a random draw says (semantics:7.17,
 * Bootstrap). */
#include "order/bootstrap.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/identity.h"
#include "scan/cursor.h"
#include "scan/derived.h"
#include "scan/scan.h"
#include <dataview/cursor_set.h>
#include <dataview/rowid.h>
#include <dataview/transform.h>

typedef struct bootstrap {
    dvi_derived base;
    dvi_random random; /* before the first draw */
    bool complement;
} bootstrap;

/* How often a row of the source comes, and which of these copies are asked for: first to end-1. */
typedef struct repeat {
    int32_t times, first, end;
} repeat;

typedef struct bootstrap_cursor {
    dvi_gathering_cursor base;
    dvi_random random;
    dvi_memory *repeats;   /* of each row of the source's batch, if it is counted */
    bool is_counted;       /* the source's batch */
    int64_t copies, asked; /* of the rows of that batch: all, and those asked for */
    int64_t seen;          /* rows of the view before those of that batch */
    int64_t drawn;         /* rows of the source that have been drawn for */
} bootstrap_cursor;

static const bootstrap *bootstrap_of(const bootstrap_cursor *c)
{
    return (const bootstrap *)c->base.source.view;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static void begin_draws(bootstrap_cursor *c)
{
    c->random = bootstrap_of(c)->random;
    c->seen = c->drawn = 0;
}

static int32_t draw(bootstrap_cursor *c)
{
    const int32_t times = dvi_random_poisson(&c->random, 1);
    c->drawn++;
    return bootstrap_of(c)->complement ? times == 0 : times;
}

/* The row of the source that has the first row asked for.  Draws alone give it: nothing is read. */
static int64_t find_first(bootstrap_cursor *c)
{
    const int64_t rows = dvi_max_i64(dv_view_rows(c->base.source.view->source), 0);
    int64_t row = 0;
    for (; row < rows; row++) {
        const dvi_random before = c->random;
        const int32_t times = draw(c);
        if (c->seen + times > c->base.source.request->first_row) {
            c->random = before;
            c->drawn--;
            break;
        }
        c->seen += times;
    }
    return row;
}

static dv_status open_source(void *cursor, dv_error *err)
{
    bootstrap_cursor *c = cursor;
    const dv_cursor_request *request = c->base.source.request;
    begin_draws(c);
    return dvi_open_source(&c->base.source.cursor, c->base.source.view->source, request,
                           request->columns, request->columns_count, request->batch_rows,
                           find_first(c), INT64_MAX, err);
}

static void close_cursor(void *cursor)
{
    bootstrap_cursor *c = cursor;
    dvi_memory_release(&c->repeats);
    dvi_gathering_close(c);
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    static const dvi_gathering kind = {sizeof(bootstrap_cursor), "rows that come again",
                                       open_source, close_cursor};
    return dvi_gathering_open(cursor_out, &kind, self, request, err);
}

/* --- Moving ----------------------------------------------------------------------------------- */

/* Draw for the rows before the batch, which other members of a set have read.  If the generator is
 * past the batch, start again from the first row. */
static void pass_rows(bootstrap_cursor *c)
{
    if (c->drawn > c->base.source.batch->first_row)
        begin_draws(c);
    while (c->drawn < c->base.source.batch->first_row)
        c->seen += draw(c);
}

/* Count how often each row of the batch comes. */
static dv_status count_batch(bootstrap_cursor *c, dv_error *err)
{
    const int64_t rows = c->base.source.batch->rows;
    DVI_TRY(dvi_memory_reserve(&c->repeats, c->base.source.request->allocator,
                               (size_t)rows * sizeof(repeat), err));
    repeat *repeats = (repeat *)(void *)c->repeats->data;
    pass_rows(c);
    c->copies = c->asked = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int32_t times = draw(c);
        const int64_t at = c->seen + c->copies;
        const int64_t first = dvi_max_i64(c->base.source.request->first_row - at, 0);
        const int64_t end = dvi_min_i64(c->base.source.request->end_row - at, times);
        repeats[i] = (repeat){times, 0, 0};
        if (first < end)
            repeats[i] = (repeat){times, (int32_t)first, (int32_t)end};
        c->asked += repeats[i].end - repeats[i].first;
        c->copies += times;
    }
    c->is_counted = true;
    return DV_OK;
}

static void leave_batch(bootstrap_cursor *c)
{
    c->seen += c->copies;
    c->base.source.batch = NULL;
    c->is_counted = false;
}

/* Read batches of the source up to one of which rows are asked for. */
static dv_status find_batch(bootstrap_cursor *c, dv_error *err)
{
    for (;;) {
        if (!c->base.source.batch && c->seen >= c->base.source.request->end_row)
            return DV_END;
        const dv_status status = dvi_source_cursor_read(&c->base.source, err);
        if (status != DV_OK)
            return status;
        if (!c->is_counted)
            DVI_TRY(count_batch(c, err));
        if (c->asked > 0)
            return DV_OK;
        leave_batch(c);
    }
}

static dv_status fill(bootstrap_cursor *c, dv_batch *batch, int32_t k, dv_error *err)
{
    const repeat *repeats = (const repeat *)(const void *)c->repeats->data;
    dvi_growing_column *gather = &c->base.gather[k];
    dvi_column rest, made;
    dvi_column_assign(&rest, dv_batch_column(c->base.source.batch, k));
    dvi_growing_reset(gather);
    for (int64_t i = 0; i < c->base.source.batch->rows; i++) {
        for (int32_t copy = repeats[i].first; copy < repeats[i].end; copy++) {
            DVI_TRY(
                dvi_growing_reserve(gather, &rest.view, 1, c->base.source.request->allocator, err));
            dvi_growing_append(gather, &rest.view, 1);
        }
        dvi_column_advance(&rest.view, 1);
    }
    dvi_growing_view(gather, &dv_batch_column(c->base.source.batch, k)->type, &made);
    dvi_batch_set_slot(batch, k, &made.view);
    return DV_OK;
}

/* An id combines the id of the source's row with the number of copies that follow. */
static dv_status fill_ids(bootstrap_cursor *c, dv_batch *batch, dv_error *err)
{
    const repeat *repeats = (const repeat *)(const void *)c->repeats->data;
    dv_u128 *ids;
    DVI_TRY(dvi_batch_reserve_ids(batch, &ids, err));
    for (int64_t i = 0; i < c->base.source.batch->rows; i++)
        for (int32_t copy = repeats[i].first; copy < repeats[i].end; copy++) {
            const dv_u128 left = {(uint64_t)(repeats[i].times - 1 - copy), 0};
            *ids++ = dv_rowid_combine(c->base.source.batch->ids[i], left);
        }
    return DV_OK;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    bootstrap_cursor *c = cursor;
    const dv_status status = find_batch(c, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(dv_batch_start(batch, dvi_max_i64(c->seen, c->base.source.request->first_row), c->asked,
                           err));
    for (int32_t k = 0; k < batch->columns; k++)
        DVI_TRY(fill(c, batch, k, err));
    if (c->base.source.request->ids)
        DVI_TRY(fill_ids(c, batch, err));
    dvi_batch_follow(batch, c->base.source.batch);
    leave_batch(c);
    return DV_OK;
}

/* A member of a set only moves on to later rows, so it keeps what it has drawn. */
static dv_status seek(void *cursor, dv_error *err)
{
    bootstrap_cursor *c = cursor;
    int64_t first = 0;
    c->base.source.batch = NULL;
    c->is_counted = false;
    if (!dvi_request_member(c->base.source.request)) {
        begin_draws(c);
        first = find_first(c);
    }
    return dvi_cursor_seek(c->base.source.cursor, first, INT64_MAX, err);
}

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const bootstrap *b = self;
    dv_identity_add(identity, &b->random, sizeof b->random);
    dvi_identity_add_i8(identity, b->complement);
    return dv_identity_add_view(identity, b->base.source, err);
}

static dv_view *row_source(void *self, int *numbers_out)
{
    *numbers_out =
        DVI_ROWS_NEEDED | DVI_ROWS_LOST; /* else a set reads rows after the last one asked for */
    return ((const dvi_derived *)self)->source;
}

static const dv_view_class bootstrap_class = {.size = sizeof bootstrap_class,
                                              .kind = "bootstrap",
                                              .rows = dvi_rows_unknown,
                                              .block_rows = dvi_no_block_rows,
                                              .check = dvi_nothing_to_check,
                                              .open_cursor = open_cursor,
                                              .next = next,
                                              .close_cursor = close_cursor,
                                              .identify = identify,
                                              .seek = seek};
static const dvi_view_traits bootstrap_traits = {.row_source = row_source};

dv_status dvi_bootstrap_of(dv_view **view_out, dv_view *source, dvi_random random, bool complement,
                           const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *view_out = NULL;
    DVI_TRY(dvi_derived_create(&made, sizeof(bootstrap), source, allocator, err));
    bootstrap *b = made;
    b->random = random;
    b->complement = complement;
    b->base.traits = &bootstrap_traits;
    return dvi_derived_view(view_out, &bootstrap_class, b, NULL, err);
}

dv_status dv_view_bootstrap(dv_view **view_out, dv_view *source, uint32_t seed, bool complement,
                            const dv_allocator *allocator, dv_error *err)
{
    return dvi_bootstrap_of(view_out, source, dvi_random_of(seed), complement, allocator, err);
}
