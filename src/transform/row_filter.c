/* SPDX-License-Identifier: MIT */
/* row_filter.c: the class and cursor of filtered views. */
#include "transform/row_filter.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "view/batch.h"
#include "view/growing_column.h"
#include "view/identity.h"
#include "scan/cursor.h"
#include "scan/scan.h"
#include "expr/expr_eval.h"
#include <dataview/cursor_set.h>
#include <string.h>

typedef struct filter_cursor {
    dvi_source_cursor base;
    dvi_arena arena;
    int32_t *slots;             /* of each active column, in the source's batch */
    int32_t *condition_slots;   /* by column of the condition */
    dvi_expr_run run;           /* evaluates the condition */
    dvi_growing_column *gather; /* of each active column, and of the ids */
    dvi_memory *keep;           /* 1 or 0 for each row of the source's batch */
    dvi_memory *index;          /* int32[kept]: the numbers of the kept rows */
    bool is_tested;             /* passed, kept, keep and index are of the source's batch */
    int64_t passed, kept;       /* rows that pass; rows of these that are requested */
    int64_t seen;               /* rows of earlier batches that pass */
} filter_cursor;

static const dvi_row_filter *filter_of(const filter_cursor *c)
{
    return (const dvi_row_filter *)c->base.view;
}

static int32_t count_columns(const filter_cursor *c)
{
    return c->base.request->columns_count + c->base.request->ids;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static dv_status plan(filter_cursor *c, dvi_needed *needed, dv_error *err)
{
    const dv_cursor_request *request = c->base.request;
    const dvi_row_filter *filter = filter_of(c);
    void *slots, *condition_slots, *gather;
    const dvi_bound_expr *condition = &filter->condition;
    DVI_TRY(dvi_needed_alloc(needed, &c->arena, filter->base.source, err));
    const size_t active = (size_t)request->columns_count;
    DVI_TRY(dvi_arena_alloc(&c->arena, &slots, active * sizeof *c->slots, err));
    DVI_TRY(
        dvi_arena_alloc(&c->arena, &condition_slots, (size_t)condition->n * sizeof *c->slots, err));
    DVI_TRY(dvi_arena_alloc(&c->arena, &gather, (active + 1) * sizeof *c->gather, err));
    c->slots = slots;
    c->condition_slots = condition_slots;
    c->gather = gather;
    for (int32_t k = 0; k < request->columns_count; k++)
        c->slots[k] = dvi_needed_slot(needed, request->columns[k]);
    for (int32_t k = 0; k < condition->n; k++)
        c->condition_slots[k] = dvi_needed_slot(needed, condition->columns[k]);
    return dvi_expr_open(&c->run, condition, dvi_view_limits_of(filter->base.source)->row_nbytes,
                         c->base.request->allocator, err);
}

static dv_status open_source(filter_cursor *c, dv_error *err)
{
    dvi_needed needed;
    DVI_TRY(plan(c, &needed, err));
    return dvi_open_source(&c->base.cursor, c->base.view->source, c->base.request, needed.columns,
                           needed.count, c->base.request->batch_rows, 0, INT64_MAX, err);
}

static void close_filter(void *cursor)
{
    filter_cursor *c = cursor;
    dv_cursor_close(&c->base.cursor);
    for (int32_t k = 0; c->gather && k < count_columns(c); k++)
        dvi_growing_free(&c->gather[k]);
    dvi_memory_release(&c->keep);
    dvi_memory_release(&c->index);
    dvi_expr_close(&c->run);
    dvi_arena_free(&c->arena);
    dvi_free(c->base.request->allocator, c, sizeof *c);
}

static dv_status open_filter(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    void *made;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "zero_copy_only",
                        "rows as they are stored|a filter, which copies the rows that pass");
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(filter_cursor), err));
    filter_cursor *c = made;
    c->base.view = self;
    c->base.request = request;
    dvi_arena_init(&c->arena, request->allocator);
    const dv_status status = open_source(c, err);
    if (status < 0)
        close_filter(c);
    else
        *cursor_out = c;
    return status;
}

/* --- Testing ---------------------------------------------------------------------------------- */

/* Mark the rows for which the condition holds; return their number. */
static int64_t mark_rows(uint8_t *keep, const uint8_t *holds, int32_t n)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++)
        keep[i] = holds[i] == 1;
    for (int32_t i = 0; i < n; i++)
        kept += keep[i];
    return kept;
}

static int64_t count_kept(const uint8_t *keep, int64_t rows)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < rows; i++)
        kept += keep[i];
    return kept;
}

/* Of the rows that pass, keep the requested ones. */
static void apply_range(filter_cursor *c)
{
    const int64_t first = c->base.request->first_row - c->seen,
                  end = c->base.request->end_row - c->seen;
    uint8_t *keep = c->keep->data;
    int64_t at = 0;
    c->kept = c->passed;
    if (first <= 0 && end >= c->passed)
        return;
    for (int64_t i = 0; i < c->base.batch->rows; i++)
        if (keep[i]) {
            keep[i] = at >= first && at < end;
            at++;
        }
    c->kept = count_kept(keep, c->base.batch->rows);
}

/* List the kept rows, unless all are kept. */
static dv_status index_rows(filter_cursor *c, dv_error *err)
{
    const int64_t rows = c->base.batch->rows;
    if (c->kept == rows || rows > INT32_MAX)
        return DV_OK;
    DVI_TRY(
        dvi_memory_reserve(&c->index, c->base.request->allocator, 4 * ((size_t)c->kept + 1), err));
    int32_t *index = (int32_t *)(void *)c->index->data;
    const uint8_t *keep = c->keep->data;
    for (int64_t i = 0, n = 0; i < rows;) {
        while (i + 8 <= rows && dvi_load_u64(keep + i) == 0)
            i += 8;
        for (const int64_t end = dvi_min_i64(i + 8, rows); i < end; i++) {
            index[n] = (int32_t)i; /* writes one entry past the last kept row */
            n += keep[i];
        }
    }
    return DV_OK;
}

static dv_status test_batch(filter_cursor *c, dv_error *err)
{
    const int64_t rows = c->base.batch->rows;
    const dvi_expr_register *result;
    DVI_TRY(dvi_memory_reserve(&c->keep, c->base.request->allocator, (size_t)rows, err));
    uint8_t *keep = c->keep->data;
    c->passed = 0;
    dvi_expr_begin(&c->run, c->base.batch, c->condition_slots);
    for (int64_t at = 0; at < rows; at += c->run.n) {
        DVI_TRY(dvi_expr_next(&c->run, rows - at, NULL, &result, err));
        c->passed += mark_rows(keep + at, result->logical, c->run.n);
    }
    apply_range(c);
    DVI_TRY(index_rows(c, err));
    c->is_tested = true;
    return DV_OK;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static dv_column_view column_of(const filter_cursor *c, int32_t k)
{
    return k < c->base.request->columns_count
               ? *dv_batch_column(c->base.batch, c->slots[k])
               : dvi_batch_ids_column(c->base.batch, c->base.batch->rows);
}

/* Copy the n values of `width` bytes that `index` lists. */
static void copy_listed(uint8_t *dst, const void *values, const void *index, size_t n, size_t width)
{
    const dvi_kernel_table *kernels = dvi_kernels();
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
        kernels->gather_16((dv_u128 *)(void *)dst, values, index, n);
        break;
    default:
        for (size_t i = 0; i < n; i++)
            memcpy(dst + i * width,
                   (const char *)values + width * (size_t)dvi_load_i32((const char *)index + 4 * i),
                   width);
        break;
    }
}

/* Copy the kept rows of a column of fixed width. */
static bool copy_numbers(filter_cursor *c, dvi_growing_column *gather, const dv_column_view *src)
{
    if (src->layout != DV_LAYOUT_FIXED || src->rows > INT32_MAX)
        return false;
    copy_listed(gather->values->data, src->as.fixed.values.data, c->index->data, (size_t)c->kept,
                dvi_width_of(&src->type));
    gather->rows = gather->items = c->kept;
    return true;
}

/* Copy the kept rows of dense vectors of one length, with items of fixed width. */
static bool copy_dense(filter_cursor *c, dvi_growing_column *gather, const dv_column_view *src)
{
    const dv_vector_layout *vector = &src->as.vector;
    const size_t n = (size_t)c->kept;
    if (src->layout != DV_LAYOUT_VECTOR || vector->lengths.nbytes > 0 || src->rows > INT32_MAX ||
        vector->length == 0 || vector->items->layout != DV_LAYOUT_FIXED)
        return false;
    const dvi_extent extent = dvi_vector_extent(vector, src->rows);
    if (extent.indices > 0 || extent.items != src->rows * vector->length)
        return false;
    const size_t width = dvi_width_of(&vector->items->type);
    const char *items = vector->items->as.fixed.values.data;
    copy_listed(gather->values->data, items + (size_t)vector->item_base * width, c->index->data, n,
                (size_t)vector->length * width);
    for (size_t i = 0; i < n; i++) {
        dvi_store_i32(gather->lengths->data + 4 * i, vector->length);
        dvi_store_i32(gather->counts->data + 4 * i, -1);
    }
    gather->rows = c->kept;
    gather->items = c->kept * vector->length;
    return true;
}

/* Copy the kept rows of texts or bytes; the gather has room for all bytes of the batch. */
static bool copy_texts(filter_cursor *c, dvi_growing_column *gather, const dv_column_view *src)
{
    const dv_text_layout *text = &src->as.text;
    const size_t n = (size_t)c->kept;
    int32_t end;
    if ((src->layout != DV_LAYOUT_TEXT && src->layout != DV_LAYOUT_BYTES) || src->rows > INT32_MAX)
        return false;
    dvi_kernels()->gather_ends((int32_t *)(void *)gather->ends->data, text->ends.data, text->first,
                               c->index->data, n, 0, &end);
    dvi_kernels()->gather_text(gather->utf8->data, (size_t)end, text->utf8.data, text->utf8.nbytes,
                               text->ends.data, text->first, c->index->data, n);
    gather->rows = gather->items = c->kept;
    gather->text = (size_t)end;
    return true;
}

/* Copy the kept rows of any column, run by run. */
static void copy_runs(dvi_growing_column *gather, const dv_column_view *src, const uint8_t *keep)
{
    const int64_t rows = src->rows;
    dvi_column rest;
    dvi_column_assign(&rest, src);
    for (int64_t i = 0, end; i < rows; i = end) {
        for (end = i; end < rows && keep[end] == keep[i]; end++)
            continue;
        if (keep[i])
            dvi_growing_append(gather, &rest.view, end - i);
        dvi_column_advance(&rest.view, end - i);
    }
}

static void set_column(dv_batch *batch, int32_t k, const dv_column_view *view)
{
    if (k < batch->columns)
        dvi_batch_set_slot(batch, k, view);
    else
        dvi_batch_lend_ids(batch, &view->as.fixed.values);
}

static dv_status fill(filter_cursor *c, dv_batch *batch, int32_t k, dv_error *err)
{
    const dv_column_view src = column_of(c, k);
    dvi_column made;
    if (batch->rows == c->base.batch->rows) {
        set_column(batch, k, &src);
        return DV_OK;
    }
    dvi_growing_reset(&c->gather[k]);
    DVI_TRY(dvi_growing_reserve(&c->gather[k], &src, src.rows, c->base.request->allocator, err));
    if (!copy_numbers(c, &c->gather[k], &src) && !copy_texts(c, &c->gather[k], &src) &&
        !copy_dense(c, &c->gather[k], &src))
        copy_runs(&c->gather[k], &src, c->keep->data);
    dvi_growing_view(&c->gather[k], &src.type, &made);
    set_column(batch, k, &made.view);
    return DV_OK;
}

static void leave_batch(filter_cursor *c)
{
    c->seen += c->passed;
    c->base.batch = NULL;
    c->is_tested = false;
}

/* Read batches of the source up to one with rows to keep. */
static dv_status find_batch(filter_cursor *c, dv_error *err)
{
    for (;;) {
        if (c->seen >= c->base.request->end_row)
            return DV_END;
        const dv_status status = dvi_source_cursor_read(&c->base, err);
        if (status != DV_OK)
            return status;
        if (!c->is_tested)
            DVI_TRY(test_batch(c, err));
        if (c->kept > 0)
            return DV_OK;
        leave_batch(c);
    }
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    filter_cursor *c = cursor;
    const dv_status status = find_batch(c, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(dv_batch_start(batch, dvi_max_i64(c->seen, c->base.request->first_row), c->kept, err));
    for (int32_t k = 0; k < count_columns(c); k++)
        DVI_TRY(fill(c, batch, k, err));
    dvi_batch_follow(batch, c->base.batch);
    leave_batch(c);
    return DV_OK;
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const dvi_row_filter *f = self;
    dvi_identity_add_i8(identity, f->stored.nbytes);
    dv_identity_add(identity, f->stored.data, (size_t)f->stored.nbytes);
    return dv_identity_add_view(identity, f->base.source, err);
}

/* Row numbers are known only after all rows before have been read: start again. */
static dv_status seek(void *cursor, dv_error *err)
{
    filter_cursor *c = cursor;
    c->base.batch = NULL;
    c->is_tested = false;
    c->seen = 0;
    return dvi_cursor_seek(c->base.cursor, 0, INT64_MAX, err);
}

/* --- Making ----------------------------------------------------------------------------------- */

static dv_view *row_source(void *self, int *numbers_out)
{
    *numbers_out = DVI_ROWS_LOST;
    return ((const dvi_row_filter *)self)->base.source;
}

static dv_text condition_of(void *self)
{
    const dvi_row_filter *f = self;
    return f->stored;
}

static dvi_work work(void *self, const dv_cursor_request *request)
{
    (void)self;
    (void)request;
    return DVI_WORK_SET;
}

static const dv_view_class filter_class = {.size = sizeof filter_class,
                                           .kind = "filter",
                                           .rows = dvi_rows_unknown,
                                           .block_rows = dvi_no_block_rows,
                                           .open_cursor = open_filter,
                                           .next = next,
                                           .close_cursor = close_filter,
                                           .check_cursor = dvi_source_cursor_check,
                                           .identify = identify,
                                           .seek = seek};
static const dvi_view_traits filter_traits = {
    .row_source = row_source, .work = work, .condition = condition_of};

dv_status dvi_row_filter_create(dvi_row_filter **filter_out, dv_view *source,
                                const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *filter_out = NULL;
    DVI_TRY(dvi_derived_create(&made, sizeof(dvi_row_filter), source, allocator, err));
    *filter_out = made;
    return DV_OK;
}

dv_status dvi_row_filter_add(dvi_row_filter *filter, dvi_expr *whole, dvi_expr_op op,
                             dvi_expr **part_out, dv_error *err)
{
    DVI_TRY(dvi_expr_make(part_out, &filter->base.arena, op, err));
    if (whole)
        return dvi_expr_add(whole, &filter->base.arena, *part_out, err);
    filter->condition.root = *part_out;
    return DV_OK;
}

/* Bind a tree that was not read from a text. */
static dv_status bind(dvi_row_filter *f, dv_error *err)
{
    dvi_arena *arena = &f->base.arena;
    dvi_expr *root = f->condition.root;
    if (f->stored.data)
        return DV_OK;
    DVI_TRY(dvi_expr_bind_tree(&f->condition, arena, root, dv_view_schema(f->base.source), err));
    return dvi_expr_store(&f->stored, arena, root, err);
}

dv_status dvi_row_filter_view(dv_view **view_out, dvi_row_filter *filter, dv_status status,
                              dv_error *err)
{
    filter->base.traits = &filter_traits;
    if (status == DV_OK)
        status = bind(filter, err);
    if (status == DV_OK)
        return dvi_derived_view(view_out, &filter_class, filter, NULL, err);
    dvi_derived_close(filter);
    return status;
}
