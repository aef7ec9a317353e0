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

typedef struct walk {
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
} walk;

/* --- Opening ---------------------------------------------------------------------------------- */

static int32_t draw(walk *w)
{
    const int32_t times = dvi_random_poisson(&w->random, 1);
    w->drawn++;
    return w->b->complement ? times == 0 : times;
}

/* The row of the source that has the first row asked for; draws tell without reading. */
static int64_t find_first(walk *w)
{
    const int64_t rows = dvi_max_i64(dv_view_rows(w->b->base.source), 0);
    int64_t row = 0;
    for (; row < rows; row++) {
        const dvi_random before = w->random;
        const int32_t times = draw(w);
        if (w->seen + times > w->request->first_row) {
            w->random = before;
            w->drawn--;
            break;
        }
        w->seen += times;
    }
    return row;
}

static dv_status open_source(walk *w, dv_error *err)
{
    const dv_cursor_request *request = w->request;
    void *gather;
    const size_t n = (size_t)request->columns_count;
    DVI_TRY(dvi_arena_alloc(&w->arena, &gather, n * sizeof *w->gather, err));
    w->gather = gather;
    return dvi_open_source(&w->cursor, w->b->base.source, request, request->columns,
                           request->columns_count, request->batch_rows, find_first(w), INT64_MAX,
                           err);
}

static void close_walk(void *cursor)
{
    walk *w = cursor;
    dv_cursor_close(&w->cursor);
    for (int32_t k = 0; w->gather && k < w->request->columns_count; k++)
        dvi_gather_free(&w->gather[k]);
    dvi_memory_release(&w->repeats);
    dvi_arena_free(&w->arena);
    dvi_free(w->request->allocator, w, sizeof *w);
}

static dv_status open_walk(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    void *made;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "zero_copy_only",
                        "rows as they are stored|rows that come again");
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(walk), err));
    walk *w = made;
    w->b = self;
    w->request = request;
    w->random = w->b->random;
    dvi_arena_init(&w->arena, request->allocator);
    const dv_status status = open_source(w, err);
    if (status < 0)
        close_walk(w);
    else
        *cursor_out = w;
    return status;
}

/* --- Moving ----------------------------------------------------------------------------------- */

static void begin_draws(walk *w)
{
    w->random = w->b->random;
    w->seen = w->drawn = 0;
}

/* Draw for the rows before the part that went to other members of a set; from the first row on,
 * should this one have been further. */
static void pass_rows(walk *w)
{
    if (w->drawn > w->part->first_row)
        begin_draws(w);
    while (w->drawn < w->part->first_row)
        w->seen += draw(w);
}

/* How often does each row of the part come? */
static dv_status count_part(walk *w, dv_error *err)
{
    const int64_t rows = w->part->rows;
    DVI_TRY(
        dvi_memory_reserve(&w->repeats, w->request->allocator, (size_t)rows * sizeof(repeat), err));
    repeat *repeats = (repeat *)(void *)w->repeats->data;
    pass_rows(w);
    w->copies = w->asked = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int32_t times = draw(w);
        const int64_t at = w->seen + w->copies;
        const int64_t first = dvi_max_i64(w->request->first_row - at, 0);
        const int64_t end = dvi_min_i64(w->request->end_row - at, times);
        repeats[i] = (repeat){times, 0, 0};
        if (first < end)
            repeats[i] = (repeat){times, (int32_t)first, (int32_t)end};
        w->asked += repeats[i].end - repeats[i].first;
        w->copies += times;
    }
    w->is_counted = true;
    return DV_OK;
}

/* Let the part be one of which rows are asked for. */
static dv_status find_part(walk *w, dv_error *err)
{
    for (;;) {
        if (!w->part) {
            if (w->seen >= w->request->end_row)
                return DV_END;
            const dv_status status = dv_cursor_next(w->cursor, &w->part, err);
            if (status != DV_OK)
                return status;
            w->is_counted = false;
        }
        if (!w->is_counted)
            DVI_TRY(count_part(w, err));
        if (w->asked > 0)
            return DV_OK;
        w->seen += w->copies;
        w->part = NULL;
    }
}

static dv_status fill(walk *w, dv_batch *batch, int32_t k, dv_error *err)
{
    const repeat *repeats = (const repeat *)(const void *)w->repeats->data;
    dvi_gather *gather = &w->gather[k];
    dvi_column rest, made;
    dvi_column_assign(&rest, dv_batch_column(w->part, k));
    dvi_gather_reset(gather);
    for (int64_t i = 0; i < w->part->rows; i++) {
        for (int32_t copy = repeats[i].first; copy < repeats[i].end; copy++) {
            DVI_TRY(dvi_gather_reserve(gather, &rest.view, 1, w->request->allocator, err));
            dvi_gather_append(gather, &rest.view, 1);
        }
        dvi_column_advance(&rest.view, 1);
    }
    dvi_gather_view(gather, &dv_batch_column(w->part, k)->type, &made);
    dvi_batch_set_slot(batch, k, &made.view);
    return DV_OK;
}

/* Of the row's id, and of how many copies are still to come. */
static dv_status fill_ids(walk *w, dv_batch *batch, dv_error *err)
{
    const repeat *repeats = (const repeat *)(const void *)w->repeats->data;
    dv_u128 *ids;
    DVI_TRY(dvi_batch_reserve_ids(batch, &ids, err));
    for (int64_t i = 0; i < w->part->rows; i++)
        for (int32_t copy = repeats[i].first; copy < repeats[i].end; copy++) {
            const dv_u128 left = {(uint64_t)(repeats[i].times - 1 - copy), 0};
            *ids++ = dv_rowid_combine(w->part->ids[i], left);
        }
    return DV_OK;
}

/* When there is no memory, the part is kept for the next time. */
static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    walk *w = cursor;
    const dv_status status = find_part(w, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(dv_batch_start(batch, dvi_max_i64(w->seen, w->request->first_row), w->asked, err));
    for (int32_t k = 0; k < batch->columns; k++)
        DVI_TRY(fill(w, batch, k, err));
    if (w->request->ids)
        DVI_TRY(fill_ids(w, batch, err));
    dvi_batch_set_chunk(batch, dv_batch_chunk(w->part));
    w->seen += w->copies;
    w->part = NULL;
    return DV_OK;
}

/* A member of a set goes on to later rows; what it has drawn holds. */
static dv_status seek(void *cursor, dv_error *err)
{
    walk *w = cursor;
    int64_t first = 0;
    w->part = NULL;
    if (!dvi_request_member(w->request)) {
        begin_draws(w);
        first = find_first(w);
    }
    return dvi_cursor_seek(w->cursor, first, INT64_MAX, err);
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
                                              .open_cursor = open_walk,
                                              .next = next,
                                              .close_cursor = close_walk,
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
