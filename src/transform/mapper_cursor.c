/* SPDX-License-Identifier: MIT */
/* mapper_cursor.c: the cursor of a mapper, which lends or fills columns for each batch of the
 * source. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/batch.h"
#include "scan/cursor.h"
#include "transform/mapper.h"
#include "transform/mapper_part.h"
#include <dataview/cursor_set.h>

typedef struct slot {
    const dvi_maker *maker;
    dvi_filling filling;
    dvi_part_use *use; /* NULL: the column is lent */
} slot;

typedef struct mapper_cursor {
    dvi_source_cursor base;
    dvi_arena arena;    /* shared by all slots */
    slot *slots;        /* one per active column */
    dvi_part_use *uses; /* one per filled column */
    int32_t uses_count;
    dvi_part part;
    int64_t below; /* dvi_batch_below of the batch that is made */
} mapper_cursor;

static const dvi_mapper *mapper_of(const mapper_cursor *c)
{
    return (const dvi_mapper *)c->base.view;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static dv_status refuse_copy(const dv_cursor_request *request, int32_t column, dv_error *err)
{
    const dv_column_info *info = dv_schema_column(request->schema, column);
    dvi_fail(err, DV_ERR_COPY, "", -1, "zero_copy_only",
             "values as they are stored|values that this view computes");
    dvi_error_within(err, "column \"%s\"", dvi_show(info->name).text);
    return DV_ERR_COPY;
}

static dv_text name_of(const mapper_cursor *c, int32_t k)
{
    const dv_cursor_request *request = c->base.request;
    return dv_schema_column(request->schema, request->columns[k])->name;
}

/* Count how often the active columns need each column of the source. */
static dv_status count_uses(mapper_cursor *c, int32_t **uses_out, dv_error *err)
{
    const dv_cursor_request *request = c->base.request;
    void *room;
    const size_t nbytes =
        (size_t)dv_schema_columns(dv_view_schema(c->base.view->source)) * sizeof(int32_t);
    DVI_TRY(dvi_arena_alloc(&c->arena, &room, nbytes, err));
    int32_t *uses = room;
    for (int32_t k = 0; k < request->columns_count; k++) {
        const dvi_mapped mapped = dvi_mapper_column(mapper_of(c), request->columns[k]);
        for (int32_t i = 0; i < mapped.n; i++)
            uses[mapped.sources[i]]++;
    }
    *uses_out = uses;
    return DV_OK;
}

/* Does this column alone need its sources, and each only once? */
static bool owns_sources(const dvi_mapped *mapped, const int32_t *uses)
{
    for (int32_t i = 0; i < mapped->n; i++)
        if (uses[mapped->sources[i]] > 1)
            return false;
    return true;
}

static dv_status plan_slot(mapper_cursor *c, slot *s, int32_t column, const int32_t *uses,
                           dvi_needed *needed, dv_error *err)
{
    dvi_mapped fused = dvi_mapper_column(mapper_of(c), column), *mapped = &fused;
    void *list;
    if (mapped->maker->fill && !mapped->maker->lends && c->base.request->zero_copy_only)
        return refuse_copy(c->base.request, column, err);
    if (mapped->maker->fuse && owns_sources(mapped, uses))
        DVI_TRY(mapped->maker->fuse(mapped, c->base.view->source, &c->arena, err));
    DVI_TRY(dvi_arena_alloc(&c->arena, &list, (size_t)mapped->n * sizeof(int32_t), err));
    int32_t *slots = list;
    for (int32_t i = 0; i < mapped->n; i++)
        slots[i] = dvi_needed_slot(needed, mapped->sources[i]);
    s->filling =
        (dvi_filling){.params = mapped->params,
                      .type = &dv_schema_column(c->base.request->schema, column)->type,
                      .slots = slots,
                      .n = mapped->n,
                      .epoch = c->base.request->epoch,
                      .sink = mapped->maker->uses_sinks ? dvi_request_sink(c->base.request) : NULL,
                      .row_nbytes = dvi_view_limits_of(c->base.view->source)->row_nbytes,
                      .below = &c->below,
                      .allocator = c->base.request->allocator};
    if (mapped->maker->memory > 0)
        DVI_TRY(dvi_arena_alloc(&c->arena, &s->filling.memory, mapped->maker->memory, err));
    s->maker = mapped->maker;
    return DV_OK;
}

/* Only rows that makers look at must be checked. Ids are read if the request or a maker wants them.
 */
static dv_status open_source(mapper_cursor *c, const dvi_needed *needed, dv_error *err)
{
    const dv_cursor_request *request = c->base.request;
    dvi_request asked = {.shown = *request,
                         .member = dvi_request_member(request),
                         .progress = dvi_request_progress(request),
                         .in_place = dvi_request_in_place(request),
                         .sink = dvi_request_sink(request)};
    asked.shown.size = sizeof asked;
    bool fills = false;
    int64_t batch_rows = request->batch_rows;
    for (int32_t k = 0; k < request->columns_count; k++) {
        const dvi_maker *maker = c->slots[k].maker;
        fills |= maker->fill != NULL;
        asked.shown.ids |= maker->reads_ids;
        if (request->batch_rows == 0 && maker->batch_rows > 0 &&
            (batch_rows == 0 || batch_rows > maker->batch_rows))
            batch_rows = maker->batch_rows;
    }
    return (fills ? dvi_open_source : dvi_pass_source)(
        &c->base.cursor, c->base.view->source, &asked.shown, needed->columns, needed->count,
        batch_rows, dvi_derived_source_row(c->base.view, request->first_row),
        dvi_derived_source_row(c->base.view, request->end_row), err);
}

/* Note what is made of what, so that large rows are made a few at a time. */
static dv_status plan_parts(mapper_cursor *c, const dvi_needed *needed, dv_error *err)
{
    void *uses, *types;
    const dv_schema *source = dv_view_schema(c->base.view->source);
    const int32_t n = c->base.request->columns_count;
    DVI_TRY(dvi_arena_alloc(&c->arena, &uses, (size_t)n * sizeof *c->uses, err));
    DVI_TRY(dvi_arena_alloc(&c->arena, &types, (size_t)needed->count * sizeof(dv_type *), err));
    c->uses = uses;
    for (int32_t k = 0; k < n; k++) {
        slot *s = &c->slots[k];
        const dvi_maker *maker = s->maker;
        if (!maker->fill || maker->lends)
            continue;
        s->use = &c->uses[c->uses_count++];
        *s->use = (dvi_part_use){
            .slots = s->filling.slots,
            .n = s->filling.n,
            .fills_slots = maker->fills_slots && maker->fills_slots(s->filling.params),
            .value_nbytes = maker->value_nbytes ? maker->value_nbytes(s->filling.params) : 0,
            .name = name_of(c, k)};
    }
    for (int32_t k = 0; k < needed->count; k++)
        ((const dv_type **)types)[k] = &dv_schema_column(source, needed->columns[k])->type;
    c->part = (dvi_part){.types = types, .columns = needed->count};
    dvi_part_limit(&c->part, dvi_view_limits_of(c->base.view->source)->row_nbytes,
                   dvi_view_depth(c->base.view->source));
    return DV_OK;
}

static dv_status open_slots(mapper_cursor *c, dv_error *err)
{
    const dv_cursor_request *request = c->base.request;
    void *slots;
    int32_t *uses;
    dvi_needed needed;
    DVI_TRY(count_uses(c, &uses, err));
    DVI_TRY(dvi_needed_alloc(&needed, &c->arena, c->base.view->source, err));
    const size_t n = (size_t)request->columns_count;
    DVI_TRY(dvi_arena_alloc(&c->arena, &slots, n * sizeof *c->slots, err));
    c->slots = slots;
    for (int32_t k = 0; k < request->columns_count; k++)
        DVI_TRY(plan_slot(c, &c->slots[k], request->columns[k], uses, &needed, err));
    DVI_TRY(plan_parts(c, &needed, err));
    return open_source(c, &needed, err);
}

dv_status dvi_mapper_open(void *self, const dv_cursor_request *request, void **cursor_out,
                          dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(mapper_cursor), err));
    mapper_cursor *c = made;
    c->base.view = self;
    c->base.request = request;
    dvi_arena_init(&c->arena, request->allocator);
    const dv_status status = open_slots(c, err);
    if (status < 0)
        dvi_mapper_close(c);
    else
        *cursor_out = c;
    return status;
}

void dvi_mapper_close(void *cursor)
{
    mapper_cursor *c = cursor;
    dv_cursor_close(&c->base.cursor);
    for (int32_t k = 0; c->slots && k < c->base.request->columns_count; k++)
        if (c->slots[k].filling.memory && c->slots[k].maker->release)
            c->slots[k].maker->release(c->slots[k].filling.memory);
    dvi_part_free(&c->part);
    dvi_arena_free(&c->arena);
    dvi_free(c->base.request->allocator, c, sizeof *c);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static dv_status fill(mapper_cursor *c, const dv_batch *from, dv_batch *batch, int32_t k,
                      dv_error *err)
{
    slot *s = &c->slots[k];
    dvi_column made = {.view = {.rows = from->rows}};
    if (!s->maker->fill) {
        dvi_batch_set_slot(batch, k, dv_batch_column(from, s->filling.slots[0]));
        return DV_OK;
    }
    s->filling.batch = from;
    dv_status status = s->maker->fill(&s->filling, &made, err);
    if (status == DV_ERR_LOSS || status == DV_ERR_LIMIT)
        dvi_error_within(err, "column \"%s\"", dvi_show(name_of(c, k)).text);
    if (status == DV_OK && s->use)
        status = dvi_part_made(&c->part, s->use, &made.view, &c->below, err);
    if (status < 0 && mapper_of(c)->is_reordered) /* the message may count rows */
        dvi_error_within(err, "in the new order");
    DVI_TRY(status);
    dvi_batch_set_slot(batch, k, &made.view);
    return DV_OK;
}

/* Read rows of the source, those that come after the ones that were returned. */
static dv_status read_part(mapper_cursor *c, const dv_batch **from_out, dv_error *err)
{
    if (!c->base.batch)
        c->part.end = 0;
    const dv_status status = dvi_source_cursor_read(&c->base, err);
    if (status != DV_OK)
        return status;
    *from_out = c->base.batch;
    return dvi_part_take(&c->part, from_out, c->uses, c->uses_count, &c->below,
                         c->base.request->allocator, err);
}

static dv_status fill_batch(mapper_cursor *c, const dv_batch *from, dv_batch *batch, dv_error *err)
{
    DVI_TRY(dv_batch_start(batch, from->first_row - c->base.view->first_row, from->rows, err));
    for (int32_t k = 0; k < batch->columns; k++)
        DVI_TRY(fill(c, from, batch, k, err));
    if (c->base.request->ids) {
        const dv_column_view ids = dvi_batch_ids_column(from, from->rows);
        dvi_batch_lend_ids(batch, &ids.as.fixed.values);
    }
    dvi_batch_follow(batch, from);
    return DV_OK;
}

dv_status dvi_mapper_next(void *cursor, dv_batch *batch, dv_error *err)
{
    mapper_cursor *c = cursor;
    const dv_batch *from;
    const dv_status status = read_part(c, &from, err);
    if (status != DV_OK)
        return status;
    DVI_TRY(fill_batch(c, from, batch, err));
    dvi_batch_set_below(batch, c->below);
    if (c->part.end == c->base.batch->rows)
        c->base.batch = NULL;
    return DV_OK;
}
