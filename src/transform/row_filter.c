/* SPDX-License-Identifier: MIT */
/* row_filter.c: views of those rows of a source that pass tests. */
#include "transform/row_filter.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "view/gather.h"
#include "view/identity.h"
#include "view/split_cursor.h"
#include <dataview/cursor_set.h>
#include <string.h>

typedef struct walk {
    const dvi_row_filter *filter;
    const dv_cursor_request *request;
    dvi_arena arena;
    int32_t *at,
        *test_at;       /* of active columns and of tests: where they are in the source's batch */
    dvi_gather *gather; /* of each active column, and of ids */
    dv_cursor *cursor;
    const dv_batch *part; /* the source's batch that is not handed on yet; NULL: there is none */
    dvi_memory *keep;     /* of each of its rows: 1 or 0 */
    dvi_memory *index;    /* int32[kept]: which rows these are */
    bool is_tested;       /* then: */
    int64_t passed, kept; /* how many of its rows pass; and how many of these are asked for */
    int64_t seen;         /* rows before it that pass, asked for or not */
} walk;

static int32_t count_columns(const walk *w)
{
    return w->request->columns_count + w->request->ids;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static dv_status plan(walk *w, dvi_needed *of, dv_error *err)
{
    const dv_cursor_request *request = w->request;
    const dvi_row_filter *filter = w->filter;
    void *at, *test_at, *gather;
    DVI_TRY(dvi_needed_alloc(of, &w->arena, filter->base.source, err));
    const size_t active = (size_t)request->columns_count;
    DVI_TRY(dvi_arena_alloc(&w->arena, &at, active * sizeof *w->at, err));
    DVI_TRY(dvi_arena_alloc(&w->arena, &test_at, (size_t)filter->n * sizeof *w->at, err));
    DVI_TRY(dvi_arena_alloc(&w->arena, &gather, (active + 1) * sizeof *w->gather, err));
    w->at = at;
    w->test_at = test_at;
    w->gather = gather;
    for (int32_t k = 0; k < request->columns_count; k++)
        w->at[k] = dvi_needed_place(of, request->columns[k]);
    for (int32_t t = 0; t < filter->n; t++)
        w->test_at[t] = dvi_needed_place(of, filter->tests[t].column);
    return DV_OK;
}

static dv_status open_source(walk *w, dv_error *err)
{
    dvi_needed of;
    DVI_TRY(plan(w, &of, err));
    return dvi_open_source(&w->cursor, w->filter->base.source, w->request, of.columns, of.count,
                           w->request->batch_rows, 0, INT64_MAX, err);
}

static void close_walk(void *cursor)
{
    walk *w = cursor;
    dv_cursor_close(&w->cursor);
    for (int32_t k = 0; w->gather && k < count_columns(w); k++)
        dvi_gather_free(&w->gather[k]);
    dvi_memory_release(&w->keep);
    dvi_memory_release(&w->index);
    dvi_arena_free(&w->arena);
    dvi_free(w->request->allocator, w, sizeof *w);
}

static dv_status open_walk(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    void *made;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "zero_copy_only",
                        "rows as they are stored|some of them");
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(walk), err));
    walk *w = made;
    w->filter = self;
    w->request = request;
    dvi_arena_init(&w->arena, request->allocator);
    const dv_status status = open_source(w, err);
    if (status < 0)
        close_walk(w);
    else
        *cursor_out = w;
    return status;
}

/* Batches in which every row passes point into those of the source. */
static dv_status check_walk(void *cursor, dv_error *err)
{
    return dvi_cursor_check(((const walk *)cursor)->cursor, err);
}

/* --- Testing ---------------------------------------------------------------------------------- */

static int64_t count_kept(const uint8_t *keep, int64_t rows)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < rows; i++)
        kept += keep[i];
    return kept;
}

/* Of the rows that pass, keep those that are asked for. */
static void keep_asked(walk *w)
{
    const int64_t first = w->request->first_row - w->seen, end = w->request->end_row - w->seen;
    uint8_t *keep = w->keep->data;
    int64_t at = 0;
    w->kept = w->passed;
    if (first <= 0 && end >= w->passed)
        return;
    for (int64_t i = 0; i < w->part->rows; i++)
        if (keep[i]) {
            keep[i] = at >= first && at < end;
            at++;
        }
    w->kept = count_kept(keep, w->part->rows);
}

/* Which rows are kept, where not all are. */
static dv_status index_rows(walk *w, dv_error *err)
{
    const int64_t rows = w->part->rows;
    if (w->kept == rows || rows > INT32_MAX)
        return DV_OK;
    DVI_TRY(dvi_memory_reserve(&w->index, w->request->allocator, 4 * ((size_t)w->kept + 1), err));
    int32_t *index = (int32_t *)(void *)w->index->data;
    for (int64_t i = 0, n = 0; i < rows; i++) {
        index[n] = (int32_t)i; /* at the end one too many */
        n += w->keep->data[i];
    }
    return DV_OK;
}

static dv_status test_part(walk *w, dv_error *err)
{
    const dvi_row_filter *filter = w->filter;
    const int64_t rows = w->part->rows;
    DVI_TRY(dvi_memory_reserve(&w->keep, w->request->allocator, (size_t)rows, err));
    uint8_t *keep = w->keep->data;
    memset(keep, 1, (size_t)rows);
    for (int32_t t = 0; t < filter->n; t++)
        filter->tests[t].run(filter->tests[t].how, dv_batch_column(w->part, w->test_at[t]), keep);
    for (int64_t i = 0; filter->complement && i < rows; i++)
        keep[i] ^= 1;
    w->passed = count_kept(keep, rows);
    keep_asked(w);
    DVI_TRY(index_rows(w, err));
    w->is_tested = true;
    return DV_OK;
}

/* --- Moving ----------------------------------------------------------------------------------- */

static dv_column_view column_of(const walk *w, int32_t k)
{
    return k < w->request->columns_count ? *dv_batch_column(w->part, w->at[k])
                                         : dvi_batch_ids_column(w->part, w->part->rows);
}

/* Copy n things of so many bytes: those of a list of them. */
static void copy_listed(uint8_t *dst, const void *values, const void *index, size_t n, size_t width)
{
    const dv_kernels *kernels = dvi_kernels();
    switch (width) {
    case 1:
        kernels->gather_1(dst, values, index, n);
        break;
    case 2:
        kernels->gather_2((uint16_t *)(void *)dst, values, index, n);
        break;
    case 4:
        kernels->gather_4((uint32_t *)(void *)dst, values, index, n);
        break;
    case 8:
        kernels->gather_8((uint64_t *)(void *)dst, values, index, n);
        break;
    case 16:
        kernels->gather_16((dv_u16 *)(void *)dst, values, index, n);
        break;
    default:
        for (size_t i = 0; i < n; i++)
            memcpy(dst + i * width,
                   (const char *)values + width * (size_t)dvi_load_i32((const char *)index + 4 * i),
                   width);
        break;
    }
}

/* Copy those of the rows that are kept, where these are numbers. */
static bool copy_numbers(walk *w, dvi_gather *gather, const dv_column_view *src)
{
    if (src->layout != DV_LAYOUT_FIXED || src->rows > INT32_MAX)
        return false;
    copy_listed(gather->values->data, src->as.fixed.values.data, w->index->data, (size_t)w->kept,
                dvi_width_of(&src->type));
    gather->rows = gather->items = w->kept;
    return true;
}

/* The same of vectors of one length that have all their slots, which are numbers. */
static bool copy_dense(walk *w, dvi_gather *gather, const dv_column_view *src)
{
    const dv_vector_layout *vector = &src->as.vector;
    const size_t n = (size_t)w->kept;
    if (src->layout != DV_LAYOUT_VECTOR || vector->lengths.nbytes > 0 || src->rows > INT32_MAX ||
        vector->length == 0 || vector->items->layout != DV_LAYOUT_FIXED)
        return false;
    const dvi_extent extent = dvi_vector_extent(vector, src->rows);
    if (extent.indices > 0 || extent.items != src->rows * vector->length)
        return false;
    const size_t width = dvi_width_of(&vector->items->type);
    const char *items = vector->items->as.fixed.values.data;
    copy_listed(gather->values->data, items + (size_t)vector->item_base * width, w->index->data, n,
                (size_t)vector->length * width);
    for (size_t i = 0; i < n; i++) {
        dvi_store_i32(gather->lengths->data + 4 * i, vector->length);
        dvi_store_i32(gather->counts->data + 4 * i, -1);
    }
    gather->rows = w->kept;
    gather->items = w->kept * vector->length;
    return true;
}

/* The same of texts, whose bytes all fit. */
static bool copy_texts(walk *w, dvi_gather *gather, const dv_column_view *src)
{
    const dv_text_layout *text = &src->as.text;
    const size_t n = (size_t)w->kept;
    int32_t end;
    if ((src->layout != DV_LAYOUT_TEXT && src->layout != DV_LAYOUT_BYTES) || src->rows > INT32_MAX)
        return false;
    dvi_kernels()->gather_ends((int32_t *)(void *)gather->ends->data, text->ends.data, text->first,
                               w->index->data, n, 0, &end);
    dvi_kernels()->gather_text(gather->utf8->data, (size_t)end, text->utf8.data, text->utf8.nbytes,
                               text->ends.data, text->first, w->index->data, n);
    gather->rows = gather->items = w->kept;
    gather->text = (size_t)end;
    return true;
}

/* The same of anything, run by run. */
static void copy_runs(dvi_gather *gather, const dv_column_view *src, const uint8_t *keep)
{
    const int64_t rows = src->rows;
    dvi_column rest;
    dvi_column_assign(&rest, src);
    for (int64_t i = 0, end; i < rows; i = end) {
        for (end = i; end < rows && keep[end] == keep[i]; end++)
            continue;
        if (keep[i])
            dvi_gather_append(gather, &rest.view, end - i);
        dvi_column_advance(&rest.view, end - i);
    }
}

static void put(dv_batch *batch, int32_t k, const dv_column_view *view)
{
    if (k < batch->columns)
        dvi_batch_set_slot(batch, k, view);
    else
        dvi_batch_lend_ids(batch, &view->as.fixed.values);
}

static dv_status fill(walk *w, dv_batch *batch, int32_t k, dv_error *err)
{
    const dv_column_view src = column_of(w, k);
    dvi_column made;
    if (batch->rows == w->part->rows) {
        put(batch, k, &src);
        return DV_OK;
    }
    dvi_gather_reset(&w->gather[k]);
    DVI_TRY(dvi_gather_reserve(&w->gather[k], &src, src.rows, w->request->allocator, err));
    if (!copy_numbers(w, &w->gather[k], &src) && !copy_texts(w, &w->gather[k], &src) &&
        !copy_dense(w, &w->gather[k], &src))
        copy_runs(&w->gather[k], &src, w->keep->data);
    dvi_gather_view(&w->gather[k], &src.type, &made);
    put(batch, k, &made.view);
    return DV_OK;
}

/* Let the part be one of which rows are kept. */
static dv_status find_part(walk *w, dv_error *err)
{
    for (;;) {
        if (w->seen >= w->request->end_row)
            return DV_END;
        if (!w->part) {
            const dv_status status = dv_cursor_next(w->cursor, &w->part, err);
            if (status != DV_OK)
                return status;
            w->is_tested = false;
        }
        if (!w->is_tested)
            DVI_TRY(test_part(w, err));
        if (w->kept > 0)
            return DV_OK;
        w->seen += w->passed;
        w->part = NULL;
    }
}

/* When there is no memory, the part is kept for the next time. */
static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    walk *w = cursor;
    const dv_status status = find_part(w, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(dv_batch_start(batch, dvi_max_i64(w->seen, w->request->first_row), w->kept, err));
    for (int32_t k = 0; k < count_columns(w); k++)
        DVI_TRY(fill(w, batch, k, err));
    dvi_batch_set_id(batch, dv_batch_id(w->part));
    w->seen += w->passed;
    w->part = NULL;
    return DV_OK;
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const dvi_row_filter *f = self;
    dvi_identity_add_i8(identity, f->complement);
    for (int32_t i = 0; i < f->n; i++) {
        dvi_identity_add_i8(identity, f->tests[i].column);
        f->tests[i].identify(&f->tests[i], identity);
    }
    return dv_identity_add_view(identity, f->base.source, err);
}

/* Which rows pass is known only by walking. */
static dv_status seek(void *cursor, dv_error *err)
{
    walk *w = cursor;
    w->part = NULL;
    w->seen = 0;
    return dvi_cursor_seek(w->cursor, 0, INT64_MAX, err);
}

/* --- Making ----------------------------------------------------------------------------------- */

static dv_view *row_source(void *self, int *numbers_out)
{
    *numbers_out = DVI_ROWS_LOST;
    return ((const dvi_row_filter *)self)->base.source;
}

static int work(void *self, const dv_cursor_request *request)
{
    (void)self;
    (void)request;
    return DVI_WORK_SET;
}

static const dv_view_class filter_class = {.size = sizeof filter_class,
                                           .kind = "filter",
                                           .can_shuffle = dvi_derived_can_shuffle,
                                           .close = dvi_derived_close,
                                           .open_cursor = open_walk,
                                           .next = next,
                                           .close_cursor = close_walk,
                                           .inspect = dvi_derived_inspect,
                                           .verify = dvi_derived_verify,
                                           .check = dvi_derived_check,
                                           .check_cursor = check_walk,
                                           .identify = identify,
                                           .seek = seek,
                                           .row_source = row_source,
                                           .work = work};

dv_status dvi_row_filter_create(dvi_row_filter **filter_out, dv_view *source, int32_t tests,
                                const dv_allocator *allocator, dv_error *err)
{
    void *made, *list;
    *filter_out = NULL;
    if (tests < 0)
        return dvi_fail_argument(err, "%d tests of rows", tests);
    DVI_TRY(dvi_derived_create(&made, sizeof(dvi_row_filter), source, allocator, err));
    dvi_row_filter *f = made;
    const dv_status status =
        dvi_arena_alloc(&f->base.arena, &list, (size_t)tests * sizeof *f->tests, err);
    if (status < 0) {
        dvi_derived_close(f);
        return status;
    }
    f->tests = list;
    f->n = tests;
    *filter_out = f;
    return DV_OK;
}

dv_status dvi_row_filter_view(dv_view **view_out, dvi_row_filter *filter, dv_status status,
                              dv_error *err)
{
    if (status == DV_OK)
        return dvi_derived_view(view_out, &filter_class, filter, NULL, err);
    dvi_derived_close(filter);
    return status;
}
