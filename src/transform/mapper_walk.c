/* SPDX-License-Identifier: MIT */
/* mapper_walk.c: batches of the source, in which columns are lent or filled. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "transform/mapper.h"
#include <dataview/cursor_set.h>

typedef struct slot {
    const dvi_maker *maker;
    dvi_filling filling;
} slot;

typedef struct walk {
    const dvi_mapper *mapper;
    const dv_cursor_request *request;
    dvi_arena arena; /* of all slots */
    slot *slots;     /* one per active column */
    dv_cursor *cursor;
    const dv_batch *part; /* the source's batch that is not handed on yet; NULL: there is none */
} walk;

/* --- Opening ---------------------------------------------------------------------------------- */

static dv_status refuse_copy(const dv_cursor_request *request, int32_t column, dv_error *err)
{
    const dv_column_info *info = dv_schema_column(request->schema, column);
    dvi_fail(err, DV_ERR_COPY, "", -1, "zero_copy_only",
             "values as they are stored|values that are made");
    dvi_error_within(err, "column \"%s\"", dvi_show(info->name).text);
    return DV_ERR_COPY;
}

static dv_status plan_slot(walk *w, slot *s, int32_t column, dvi_needed *of, dv_error *err)
{
    const dvi_mapped *mapped = &w->mapper->column[column];
    void *at;
    if (mapped->maker->fill && w->request->zero_copy_only)
        return refuse_copy(w->request, column, err);
    DVI_TRY(dvi_arena_alloc(&w->arena, &at, (size_t)mapped->n * sizeof(int32_t), err));
    int32_t *places = at;
    for (int32_t i = 0; i < mapped->n; i++)
        places[i] = dvi_needed_place(of, mapped->sources[i]);
    s->filling = (dvi_filling){.how = mapped->how,
                               .type = &dv_schema_column(w->request->schema, column)->type,
                               .at = places,
                               .n = mapped->n,
                               .allocator = w->request->allocator};
    if (mapped->maker->memory > 0)
        DVI_TRY(dvi_arena_alloc(&w->arena, &s->filling.memory, mapped->maker->memory, err));
    s->maker = mapped->maker;
    return DV_OK;
}

/* Which row of the source is that of the view, or the one behind the last? */
static int64_t source_row(const dvi_mapper *m, int64_t row)
{
    int64_t sum;
    return __builtin_add_overflow(dvi_min_i64(row, m->take), m->skip, &sum) ? INT64_MAX : sum;
}

static dv_status open_walk(walk *w, dv_error *err)
{
    const dv_cursor_request *request = w->request;
    void *slots;
    dvi_needed of;
    DVI_TRY(dvi_needed_alloc(&of, &w->arena, w->mapper->base.source, err));
    const size_t n = (size_t)request->columns_count;
    DVI_TRY(dvi_arena_alloc(&w->arena, &slots, n * sizeof *w->slots, err));
    w->slots = slots;
    for (int32_t k = 0; k < request->columns_count; k++)
        DVI_TRY(plan_slot(w, &w->slots[k], request->columns[k], &of, err));
    return dvi_open_source(&w->cursor, w->mapper->base.source, request, of.columns, of.count,
                           request->batch_rows, source_row(w->mapper, request->first_row),
                           source_row(w->mapper, request->end_row), err);
}

dv_status dvi_mapper_open(void *self, const dv_cursor_request *request, void **cursor_out,
                          dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(walk), err));
    walk *w = made;
    w->mapper = self;
    w->request = request;
    dvi_arena_init(&w->arena, request->allocator);
    const dv_status status = open_walk(w, err);
    if (status < 0)
        dvi_mapper_close(w);
    else
        *cursor_out = w;
    return status;
}

void dvi_mapper_close(void *cursor)
{
    walk *w = cursor;
    dv_cursor_close(&w->cursor);
    for (int32_t k = 0; w->slots && k < w->request->columns_count; k++)
        if (w->slots[k].filling.memory && w->slots[k].maker->release)
            w->slots[k].maker->release(w->slots[k].filling.memory);
    dvi_arena_free(&w->arena);
    dvi_free(w->request->allocator, w, sizeof *w);
}

/* --- Moving ----------------------------------------------------------------------------------- */

/* Batches point into what the source's cursor delivers, and into memory. */
dv_status dvi_mapper_check(void *cursor, dv_error *err)
{
    return dvi_cursor_check(((const walk *)cursor)->cursor, err);
}

dv_status dvi_mapper_seek(void *cursor, dv_error *err)
{
    walk *w = cursor;
    w->part = NULL;
    return dvi_cursor_seek(w->cursor, source_row(w->mapper, w->request->first_row),
                           source_row(w->mapper, w->request->end_row), err);
}

static dv_status fill(const walk *w, dv_batch *batch, int32_t k, dv_error *err)
{
    slot *s = &w->slots[k];
    dvi_column made = {.view = {.rows = w->part->rows}};
    if (!s->maker->fill) {
        dvi_batch_set_slot(batch, k, dv_batch_column(w->part, s->filling.at[0]));
        return DV_OK;
    }
    s->filling.batch = w->part;
    DVI_TRY(s->maker->fill(&s->filling, &made, err));
    dvi_batch_set_slot(batch, k, &made.view);
    return DV_OK;
}

/* Hand a batch of the source on; when there is no memory for its values, it is kept for the next
 * time. */
dv_status dvi_mapper_next(void *cursor, dv_batch *batch, dv_error *err)
{
    walk *w = cursor;
    if (!w->part) {
        const dv_status status = dv_cursor_next(w->cursor, &w->part, err);
        if (status != DV_OK)
            return status;
    }
    DVI_TRY(dv_batch_start(batch, w->part->first_row - w->mapper->skip, w->part->rows, err));
    for (int32_t k = 0; k < batch->columns; k++)
        DVI_TRY(fill(w, batch, k, err));
    if (w->request->ids) {
        const dv_column_view ids = dvi_batch_ids_column(w->part, w->part->rows);
        dvi_batch_lend_ids(batch, &ids.as.fixed.values);
    }
    dvi_batch_set_id(batch, dv_batch_id(w->part));
    w->part = NULL;
    return DV_OK;
}
