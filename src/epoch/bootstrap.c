/* SPDX-License-Identifier: MIT */
/* bootstrap.c: each row of a view as often as a draw says (semantics:7.17, Bootstrap). */
#include "epoch/bootstrap.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "view/derived.h"
#include "view/gather.h"
#include "view/identity.h"
#include "view/split_cursor.h"
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

typedef struct reader {
    const bootstrap *b;
    const dv_cursor_request *request;
    dvi_random random;
    dv_cursor *cursor;
    dvi_arena arena;
    dvi_gather *gather;   /* of each active column */
    const dv_batch *part; /* of the source, not handed on yet; NULL: there is none */
    dvi_memory *repeats;  /* of each of its rows, if it is counted */
    bool is_counted;
    int64_t copies, asked; /* of its rows */
    int64_t seen;          /* rows of the view before those of the part */
    int64_t drawn;         /* rows of the source that have been drawn for */
} reader;

/* --- Opening ---------------------------------------------------------------------------------- */

static int32_t draw(reader *r)
{
    const int32_t times = dvi_random_poisson(&r->random, 1);
    r->drawn++;
    return r->b->complement ? times == 0 : times;
}

/* The row of the source that has the first row asked for; draws tell without reading. */
static int64_t find_first(reader *r)
{
    const int64_t rows = dvi_max_i64(dv_view_rows(r->b->base.source), 0);
    int64_t row = 0;
    for (; row < rows; row++) {
        const dvi_random before = r->random;
        const int32_t times = draw(r);
        if (r->seen + times > r->request->first_row) {
            r->random = before;
            r->drawn--;
            break;
        }
        r->seen += times;
    }
    return row;
}

static dv_status open_source(reader *r, dv_error *err)
{
    const dv_cursor_request *request = r->request;
    void *gather;
    const size_t n = (size_t)request->columns_count;
    DVI_TRY(dvi_arena_alloc(&r->arena, &gather, n * sizeof *r->gather, err));
    r->gather = gather;
    return dvi_open_source(&r->cursor, r->b->base.source, request, request->columns,
                           request->columns_count, request->batch_rows, find_first(r), INT64_MAX,
                           err);
}

static void close_cursor(void *cursor)
{
    reader *r = cursor;
    dv_cursor_close(&r->cursor);
    for (int32_t k = 0; r->gather && k < r->request->columns_count; k++)
        dvi_gather_free(&r->gather[k]);
    dvi_memory_release(&r->repeats);
    dvi_arena_free(&r->arena);
    dvi_free(r->request->allocator, r, sizeof *r);
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    void *made;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "zero_copy_only",
                        "rows as they are stored|rows that come again");
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(reader), err));
    reader *r = made;
    r->b = self;
    r->request = request;
    r->random = r->b->random;
    dvi_arena_init(&r->arena, request->allocator);
    const dv_status status = open_source(r, err);
    if (status < 0)
        close_cursor(r);
    else
        *cursor_out = r;
    return status;
}

/* --- Moving ----------------------------------------------------------------------------------- */

static void begin_draws(reader *r)
{
    r->random = r->b->random;
    r->seen = r->drawn = 0;
}

/* Draw for the rows before the part that went to other members of a set; from the first row on,
 * should this one have been further. */
static void pass_rows(reader *r)
{
    if (r->drawn > r->part->first_row)
        begin_draws(r);
    while (r->drawn < r->part->first_row)
        r->seen += draw(r);
}

/* How often does each row of the part come? */
static dv_status count_part(reader *r, dv_error *err)
{
    const int64_t rows = r->part->rows;
    DVI_TRY(
        dvi_memory_reserve(&r->repeats, r->request->allocator, (size_t)rows * sizeof(repeat), err));
    repeat *repeats = (repeat *)(void *)r->repeats->data;
    pass_rows(r);
    r->copies = r->asked = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int32_t times = draw(r);
        const int64_t at = r->seen + r->copies;
        const int64_t first = dvi_max_i64(r->request->first_row - at, 0);
        const int64_t end = dvi_min_i64(r->request->end_row - at, times);
        repeats[i] = (repeat){times, 0, 0};
        if (first < end)
            repeats[i] = (repeat){times, (int32_t)first, (int32_t)end};
        r->asked += repeats[i].end - repeats[i].first;
        r->copies += times;
    }
    r->is_counted = true;
    return DV_OK;
}

/* Let the part be one of which rows are asked for. */
static dv_status find_part(reader *r, dv_error *err)
{
    for (;;) {
        if (!r->part) {
            if (r->seen >= r->request->end_row)
                return DV_END;
            const dv_status status = dv_cursor_next(r->cursor, &r->part, err);
            if (status != DV_OK)
                return status;
            r->is_counted = false;
        }
        if (!r->is_counted)
            DVI_TRY(count_part(r, err));
        if (r->asked > 0)
            return DV_OK;
        r->seen += r->copies;
        r->part = NULL;
    }
}

static dv_status fill(reader *r, dv_batch *batch, int32_t k, dv_error *err)
{
    const repeat *repeats = (const repeat *)(const void *)r->repeats->data;
    dvi_gather *gather = &r->gather[k];
    dvi_column rest, made;
    dvi_column_assign(&rest, dv_batch_column(r->part, k));
    dvi_gather_reset(gather);
    for (int64_t i = 0; i < r->part->rows; i++) {
        for (int32_t copy = repeats[i].first; copy < repeats[i].end; copy++) {
            DVI_TRY(dvi_gather_reserve(gather, &rest.view, 1, r->request->allocator, err));
            dvi_gather_append(gather, &rest.view, 1);
        }
        dvi_column_advance(&rest.view, 1);
    }
    dvi_gather_view(gather, &dv_batch_column(r->part, k)->type, &made);
    dvi_batch_set_slot(batch, k, &made.view);
    return DV_OK;
}

/* Of the row's id, and of how many copies are still to come. */
static dv_status fill_ids(reader *r, dv_batch *batch, dv_error *err)
{
    const repeat *repeats = (const repeat *)(const void *)r->repeats->data;
    dv_u128 *ids;
    DVI_TRY(dvi_batch_reserve_ids(batch, &ids, err));
    for (int64_t i = 0; i < r->part->rows; i++)
        for (int32_t copy = repeats[i].first; copy < repeats[i].end; copy++) {
            const dv_u128 left = {(uint64_t)(repeats[i].times - 1 - copy), 0};
            *ids++ = dv_rowid_combine(r->part->ids[i], left);
        }
    return DV_OK;
}

/* When there is no memory, the part is kept for the next time. */
static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    reader *r = cursor;
    const dv_status status = find_part(r, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(dv_batch_start(batch, dvi_max_i64(r->seen, r->request->first_row), r->asked, err));
    for (int32_t k = 0; k < batch->columns; k++)
        DVI_TRY(fill(r, batch, k, err));
    if (r->request->ids)
        DVI_TRY(fill_ids(r, batch, err));
    dvi_batch_set_chunk(batch, dv_batch_chunk(r->part));
    r->seen += r->copies;
    r->part = NULL;
    return DV_OK;
}

/* A member of a set goes on to later rows; what it has drawn holds. */
static dv_status seek(void *cursor, dv_error *err)
{
    reader *r = cursor;
    int64_t first = 0;
    r->part = NULL;
    if (!dvi_request_member(r->request)) {
        begin_draws(r);
        first = find_first(r);
    }
    return dvi_cursor_seek(r->cursor, first, INT64_MAX, err);
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
    *numbers_out = DVI_ROWS_NEEDED;
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
