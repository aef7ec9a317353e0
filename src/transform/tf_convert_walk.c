/* SPDX-License-Identifier: MIT */
/* tf_convert_walk.c: batches of the source, in which active columns are converted. */
#include "base/alloc.h"
#include "base/check.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "transform/tf_convert_priv.h"
#include <dataview/cursor.h>

/* Of an active column: where it is in the source's batch, and how it is made. */
typedef struct slot {
    int32_t at;
    const dvi_conversion *conversion; /* NULL: as it is */
    dvi_convert_memory memory;
} slot;

typedef struct walk {
    const dvi_convert *convert;
    const dv_cursor_request *request;
    dvi_arena arena; /* of both arrays */
    slot *slots;     /* one per active column */
    dv_cursor *cursor;
    const dv_batch *part; /* the source's batch that is not handed on yet; NULL: there is none */
} walk;

/* --- Opening ---------------------------------------------------------------------------------- */

static dv_status refuse_copy(const dv_cursor_request *request, int32_t column, dv_error *err)
{
    const dv_column_info *info = dv_schema_column(request->schema, column);
    dvi_fail(err, DV_ERR_COPY, "", -1, "zero_copy_only", "values as they are stored|a conversion");
    dvi_error_within(err, "column \"%s\"", dvi_show(info->name).text);
    return DV_ERR_COPY;
}

/* Which columns of the source are needed: each once, in the order in which they are met. */
static dv_status plan_columns(walk *w, int32_t **columns_out, int32_t *count_out, dv_error *err)
{
    const dv_cursor_request *request = w->request;
    const size_t active = (size_t)request->columns_count;
    const size_t all = (size_t)dv_schema_columns(dv_view_schema(w->convert->source));
    void *slots, *columns, *places;
    DVI_TRY(dvi_arena_alloc(&w->arena, &slots, active * sizeof *w->slots, err));
    DVI_TRY(dvi_arena_alloc(&w->arena, &columns, active * sizeof **columns_out, err));
    DVI_TRY(dvi_arena_alloc(&w->arena, &places, all * sizeof(int32_t), err));
    int32_t *place = places, count = 0; /* 1 + place in the source's batch; 0: not there yet */
    w->slots = slots;
    *columns_out = columns;
    for (size_t k = 0; k < active; k++) {
        const dvi_convert_column *column = &w->convert->column[request->columns[k]];
        if (place[column->source] == 0) {
            (*columns_out)[count++] = column->source;
            place[column->source] = count;
        }
        w->slots[k] = (slot){.at = place[column->source] - 1, .conversion = column->conversion};
        if (column->conversion && !column->conversion->is_identity && request->zero_copy_only)
            return refuse_copy(request, request->columns[k], err);
    }
    *count_out = count;
    return DV_OK;
}

static dv_status open_source(walk *w, dv_error *err)
{
    const dv_cursor_request *request = w->request;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    int32_t *columns;
    DVI_TRY(plan_columns(w, &columns, &options.columns_count, err));
    options.columns = columns;
    options.first_row = request->first_row;
    options.end_row = request->end_row == INT64_MAX ? -1 : request->end_row;
    options.batch_rows = request->batch_rows;
    options.threads = request->threads;
    options.ids = request->ids;
    options.zero_copy_only = request->zero_copy_only;
    return dv_cursor_open(&w->cursor, w->convert->source, &options, err);
}

dv_status dvi_convert_open(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(walk), err));
    walk *w = made;
    w->convert = self;
    w->request = request;
    dvi_arena_init(&w->arena, request->allocator);
    const dv_status status = open_source(w, err);
    if (status < 0)
        dvi_convert_close(w);
    else
        *cursor_out = w;
    return status;
}

void dvi_convert_close(void *cursor)
{
    walk *w = cursor;
    dv_cursor_close(&w->cursor);
    for (int32_t k = 0; w->slots && k < w->request->columns_count; k++)
        dvi_convert_memory_free(&w->slots[k].memory);
    dvi_arena_free(&w->arena);
    dvi_free(w->request->allocator, w, sizeof *w);
}

/* Batches point into what the source's cursor delivers, and into memory. */
dv_status dvi_convert_check(void *cursor, dv_error *err)
{
    return dvi_cursor_check(((const walk *)cursor)->cursor, err);
}

/* --- Moving ----------------------------------------------------------------------------------- */

/* Vectors as they are, but for their items. */
static dv_status convert_items(const walk *w, slot *s, dv_column_view *dst, dv_column_view *items,
                               dv_error *err)
{
    dv_vector_layout *vector = &dst->as.vector;
    const int64_t n = dvi_vector_extent(vector, dst->rows).items;
    DVI_TRY(dvi_conversion_run(s->conversion, &s->memory.values, items, vector->items,
                               vector->item_base, n, w->request->allocator, err));
    vector->items = items;
    vector->item_base = 0;
    if (s->conversion->to.kind != DV_KIND_TX)
        return DV_OK;
    return dvi_convert_fill_holes(s->conversion, &s->memory, dst, items, w->request->allocator,
                                  err);
}

static dv_status fill(const walk *w, dv_batch *batch, int32_t k, dv_error *err)
{
    slot *s = &w->slots[k];
    const dv_column_view *src = dv_batch_column(w->part, s->at);
    dv_column_view dst = *src, items;
    if (!s->conversion || s->conversion->is_identity) {
        dvi_batch_set_slot(batch, k, src);
        return DV_OK;
    }
    if (src->layout == DV_LAYOUT_VECTOR)
        DVI_TRY(convert_items(w, s, &dst, &items, err));
    else
        DVI_TRY(dvi_conversion_run(s->conversion, &s->memory.values, &dst, src, 0, src->rows,
                                   w->request->allocator, err));
    dvi_batch_set_slot(batch, k, &dst);
    return DV_OK;
}

/* Hand a batch of the source on; when there is no memory for its values, it is kept for the next
 * time. */
dv_status dvi_convert_next(void *cursor, dv_batch *batch, dv_error *err)
{
    walk *w = cursor;
    if (!w->part) {
        const dv_status status = dv_cursor_next(w->cursor, &w->part, err);
        if (status != DV_OK)
            return status;
    }
    DVI_TRY(dv_batch_start(batch, w->part->first_row, w->part->rows, err));
    for (int32_t k = 0; k < batch->columns; k++)
        DVI_TRY(fill(w, batch, k, err));
    if (w->request->ids) {
        const dv_column_view ids = dvi_batch_ids_column(w->part, w->part->rows);
        dvi_batch_lend_ids(batch, &ids.as.fixed.values);
    }
    w->part = NULL;
    return DV_OK;
}
