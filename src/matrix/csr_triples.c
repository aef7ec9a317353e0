/* SPDX-License-Identifier: MIT */
/* csr_triples.c: exports a column of vectors as the three arrays of a CSR matrix. */
#include "base/ahead.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/load.h"
#include "base/options.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "view/column.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "matrix/csr_target.h"
#include <string.h>

/* A matrix and what owns it. */
typedef struct made {
    dv_csr shown; /* first, because dv_csr_free gets a pointer to it */
    dvi_csr_target target;
} made;

/* The checked request. */
typedef struct plan {
    dv_view *view;
    dv_csr_options options;
    dv_type item;
    dv_cursor_options rows;
} plan;

/* --- Options ---------------------------------------------------------------------------------- */

static dv_status read_options(plan *p, const dv_csr_options *given, dv_error *err)
{
    p->options = (dv_csr_options)DV_CSR_OPTIONS_INIT;
    dv_csr_options *o = &p->options;
    DVI_TRY(dvi_options_read(o, sizeof *o, given, "DV_CSR_OPTIONS_INIT", err));
    DVI_REQUIRE(o->indptr == DV_KIND_I8 || o->indptr == DV_KIND_I4,
                dvi_fail_argument(err, "csr option indptr: use I8 or I4"));
    DVI_REQUIRE(o->data == DV_KIND_R8 || o->data == DV_KIND_R4,
                dvi_fail_argument(err, "csr option data: use R8 or R4"));
    p->rows = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
    p->rows.columns = &o->column;
    p->rows.columns_count = 1;
    p->rows.first_row = o->first_row;
    p->rows.end_row = o->end_row;
    p->rows.threads = o->threads;
    dv_cursor_options checked;
    return dvi_cursor_read_options(&p->rows, &checked, err);
}

/* The only column that is not hidden. */
static dv_status find_column(const dv_schema *schema, int32_t *column_out, dv_error *err)
{
    int32_t found = 0;
    for (int32_t i = 0; i < dv_schema_columns(schema); i++)
        if (!dv_schema_column(schema, i)->is_hidden) {
            *column_out = i;
            found++;
        }
    DVI_REQUIRE(found == 1,
                dvi_fail_argument(err, "csr option column: choose one of %d columns", found));
    return DV_OK;
}

static bool is_real(const dv_type *item)
{
    return (item->kind == DV_KIND_R4 || item->kind == DV_KIND_R8) && !item->is_key;
}

static dv_status read_plan(plan *p, dv_view *view, const dv_csr_options *given, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(view);
    char name[128];
    p->view = view;
    DVI_TRY(read_options(p, given, err));
    if (p->options.column == -1)
        DVI_TRY(find_column(schema, &p->options.column, err));
    const dv_column_info *info = dv_schema_column(schema, p->options.column);
    DVI_REQUIRE(info, dvi_fail_argument(err, "csr option column: %d, and the view has %d columns",
                                        p->options.column, dv_schema_columns(schema)));
    p->item = dv_type_item(&info->type);
    dv_type_print(&info->type, name, sizeof name);
    DVI_REQUIRE(
        info->type.rank > 0 && is_real(&p->item),
        dvi_fail_argument(err, "a column of type %s: a matrix needs vectors of R4 or R8", name));
    return DV_OK;
}

/* --- Entries of a batch ----------------------------------------------------------------------- */

static const uint8_t nothing[8]; /* the arrays of a batch without items */

/* The vectors of a batch. */
typedef struct source {
    const dv_vector_layout *vector;
    int64_t rows;
    size_t width; /* of an item */
    const uint8_t *items;
} source;

static source source_of(const dv_batch *batch)
{
    const dv_column_view *view = dv_batch_column(batch, 0);
    const dv_vector_layout *vector = &view->as.vector;
    const size_t width = dvi_width_of(&vector->items->type);
    const uint8_t *values = vector->items->as.fixed.values.data;
    return (source){vector, view->rows, width,
                    values ? values + (size_t)vector->item_base * width : nothing};
}

static bool is_zero(const uint8_t *item, size_t width)
{
    return width == 8 ? dvi_load_u64(item) == 0 : dvi_load_u32(item) == 0;
}

/* Append n items after the existing entries. */
static void append_items(dv_csr *csr, const uint8_t *items, size_t width, int64_t n)
{
    const size_t count = (size_t)n;
    const bool is_f8 = csr->data_kind == DV_KIND_R8;
    void *dst = (uint8_t *)csr->data + (size_t)csr->entries * (is_f8 ? 8 : 4);
    if (width == (is_f8 ? 8u : 4u))
        memcpy(dst, items, count * width);
    else if (is_f8)
        for (size_t i = 0; i < count; i++)
            ((double *)dst)[i] = (double)dvi_load_f4(items + 4 * i);
    else
        for (size_t i = 0; i < count; i++)
            ((float *)dst)[i] = (float)dvi_load_f8(items + 8 * i);
}

/* The number of entries of a dense row. */
static int64_t count_dense(const dvi_csr_target *target, const uint8_t *items, size_t width,
                           int32_t slots)
{
    if (target->all_slots)
        return slots;
    int64_t n = 0;
    for (int32_t k = 0; k < slots; k++)
        n += !is_zero(items + (size_t)k * width, width);
    return n;
}

/* Append the entries, n of them; fewer or more if a mapped file has changed since they were
 * counted: then those that there is room for. */
static void append_dense(dvi_csr_target *target, const uint8_t *items, size_t width, int32_t slots,
                         int64_t n)
{
    dv_csr *csr = &target->csr;
    const int64_t end = csr->entries + n;
    for (int32_t k = 0; k < slots && csr->entries < end; k++) {
        const uint8_t *item = items + (size_t)k * width;
        if (!target->all_slots && is_zero(item, width))
            continue;
        csr->indices[csr->entries] = k;
        append_items(csr, item, width, 1);
        csr->entries++;
    }
}

static void append_sparse(dv_csr *csr, const uint8_t *indices, const uint8_t *items, size_t width,
                          int32_t count)
{
    memcpy(csr->indices + csr->entries, indices, 4 * (size_t)count);
    append_items(csr, items, width, count);
    csr->entries += count;
}

/* Append a row. */
static dv_status append_row(dvi_csr_target *target, const source *s, int64_t row,
                            const uint8_t **index, const uint8_t **item, dv_error *err)
{
    dv_csr *csr = &target->csr;
    const int32_t count = dvi_vector_count(s->vector, row);
    const int32_t slots = dvi_vector_length(s->vector, row);
    const int64_t n = count < 0 ? count_dense(target, *item, s->width, slots) : count;
    DVI_TRY(dvi_csr_check_entries(target, csr->entries + n, err));
    DVI_TRY(dvi_csr_reserve_rows(target, csr->rows + 1, err));
    DVI_TRY(dvi_csr_reserve_entries(target, csr->entries + n, err));
    if (count < 0 && slots > 0) { /* arrays may be missing if nothing is stored */
        append_dense(target, *item, s->width, slots, n);
        *item += (size_t)slots * s->width;
    } else if (count > 0) {
        append_sparse(csr, *index, *item, s->width, count);
        *index += 4 * (size_t)count;
        *item += (size_t)count * s->width;
    }
    csr->columns = slots > csr->columns ? slots : csr->columns;
    dvi_csr_set_start(target, ++csr->rows, csr->entries);
    return DV_OK;
}

/* The slots of the longest row, or `slots` if those are more. */
static int32_t longest_row(const source *s, int32_t slots)
{
    const bool vary = s->vector->lengths.nbytes > 0;
    for (int64_t row = 0; row < (vary ? s->rows : dvi_min_i64(s->rows, 1)); row++) {
        const int32_t length = dvi_vector_length(s->vector, row);
        slots = length > slots ? length : slots;
    }
    return slots;
}

/* Append all rows, each of which is sparse and has its part of n entries; fewer if a mapped file
 * has changed since they were counted. */
static dv_status append_sparse_rows(dvi_csr_target *target, const source *s, const uint8_t *indices,
                                    int64_t n, dv_error *err)
{
    dv_csr *csr = &target->csr;
    const uint8_t *counts = s->vector->counts.data;
    const int64_t end = csr->entries + n;
    DVI_TRY(dvi_csr_check_entries(target, end, err));
    DVI_TRY(dvi_csr_reserve_rows(target, csr->rows + s->rows, err));
    DVI_TRY(dvi_csr_reserve_entries(target, end, err));
    if (n > 0) {
        memcpy(csr->indices + csr->entries, indices, 4 * (size_t)n);
        append_items(csr, s->items, s->width, n);
    }
    dvi_csr_target to = *target; /* whose fields stay in registers */
    int64_t at = csr->entries;
    for (int64_t row = 0; row < s->rows; row++) {
        const int32_t count = dvi_load_i32(counts + 4 * row);
        at = dvi_min_i64(at + (count > 0 ? count : 0), end);
        dvi_csr_set_start(&to, to.csr.rows + row + 1, at);
    }
    csr->entries = at;
    csr->rows += s->rows;
    csr->columns = longest_row(s, csr->columns);
    return DV_OK;
}

static dv_status append_batch(dvi_csr_target *target, const dv_batch *batch, dv_error *err)
{
    const source s = source_of(batch);
    const uint8_t *index = s.vector->indices.data, *item = s.items;
    const dvi_extent extent = dvi_vector_extent(s.vector, s.rows);
    index = index ? index + 4 * (size_t)s.vector->index_base : nothing;
    if (extent.indices == extent.items)
        return append_sparse_rows(target, &s, index, extent.items, err);
    for (int64_t row = 0; row < s.rows; row++)
        DVI_TRY(append_row(target, &s, row, &index, &item, err));
    return DV_OK;
}

/* Count the entries of a batch without writing them. */
static dv_status count_batch(dvi_csr_target *target, const dv_batch *batch, dv_error *err)
{
    const source s = source_of(batch);
    const uint8_t *item = s.items;
    (void)err;
    for (int64_t row = 0; row < s.rows; row++) {
        const int32_t count = dvi_vector_count(s.vector, row);
        const int32_t slots = dvi_vector_length(s.vector, row);
        target->csr.entries += count < 0 ? count_dense(target, item, s.width, slots) : count;
        item += (size_t)(count < 0 ? slots : count) * s.width;
    }
    target->csr.rows += s.rows;
    return DV_OK;
}

/* --- Rows without batches --------------------------------------------------------------------- */

/* Takes the rows of a step that makes them one by one. */
typedef struct sink {
    dvi_vector_sink base; /* first */
    dvi_csr_target *target;
    int64_t first; /* row of the batch that has begun */
} sink;

static int64_t count_row(const dvi_csr_target *target, const dvi_sink_row *row)
{
    if (!row->is_dense)
        return row->n;
    return target->all_slots ? row->length
                             : count_dense(target, (const uint8_t *)row->items, 4, row->n);
}

static dv_status measure_row(dvi_vector_sink *base, const dvi_sink_row *row, dv_error *err)
{
    dvi_csr_target *target = ((const sink *)base)->target;
    (void)err;
    target->csr.entries += count_row(target, row);
    target->csr.rows++;
    return DV_OK;
}

/* How many entries all rows have together, if others are as long as those until now and the next,
 * of n entries. The number of all rows may be wrong, that of a batch is not. */
static int64_t expect_entries(const sink *s, int64_t n)
{
    const dvi_csr_target *target = s->target;
    const int64_t wanted = target->csr.entries + n, rows = target->csr.rows + 1;
    const int64_t ahead =
        dvi_rows_ahead(rows, target->rows_wanted - rows, s->first + s->base.rows - rows);
    return wanted + (wanted / rows + 1) * ahead;
}

/* Reserve room for n more entries; in arrays of our own for those expected, so that they need not
 * grow again. If long rows come before many short ones, there may be no memory for those. */
static dv_status reserve_more(const sink *s, int64_t n, dv_error *err)
{
    dvi_csr_target *target = s->target;
    const int64_t wanted = target->csr.entries + n;
    if (target->is_own && wanted > target->entries_room &&
        DVI_ATTEMPT("csr_triples.c reserve_more",
                    dvi_csr_reserve_entries(target, expect_entries(s, n), NULL) == DV_OK))
        return DV_OK;
    return dvi_csr_reserve_entries(target, wanted, err);
}

/* Append the items of a dense row. */
static void append_listed(dvi_csr_target *target, const dvi_sink_row *row)
{
    dv_csr *csr = &target->csr;
    for (int32_t k = 0, i = 0; k < row->length; k++) {
        const bool is_listed = i < row->n && row->slots[i] == (uint32_t)k;
        const float item = is_listed ? row->items[i++] : 0;
        if (!target->all_slots && is_zero((const uint8_t *)&item, 4))
            continue;
        csr->indices[csr->entries] = k;
        append_items(csr, (const uint8_t *)&item, 4, 1);
        csr->entries++;
    }
}

static dv_status add_row(dvi_vector_sink *base, const dvi_sink_row *row, dv_error *err)
{
    dvi_csr_target *target = ((const sink *)base)->target;
    dv_csr *csr = &target->csr;
    const int64_t n = count_row(target, row);
    DVI_TRY(dvi_csr_check_entries(target, csr->entries + n, err));
    DVI_TRY(dvi_csr_reserve_rows(target, csr->rows + 1, err));
    DVI_TRY(reserve_more((const sink *)base, n, err));
    if (row->is_dense)
        append_listed(target, row);
    else if (n > 0)
        append_sparse(csr, (const uint8_t *)row->slots, (const uint8_t *)row->items, 4, row->n);
    csr->columns = row->length > csr->columns ? row->length : csr->columns;
    dvi_csr_set_start(target, ++csr->rows, csr->entries);
    return DV_OK;
}

/* --- By batches, or by the format's own function --- */

/* The rows of a batch may be in the matrix. */
static dv_status take_batch(sink *s, const dv_batch *batch, bool is_measured, dv_error *err)
{
    if (!s->base.is_used)
        DVI_TRY((is_measured ? count_batch : append_batch)(s->target, batch, err));
    s->base.is_used = false;
    s->first = s->target->csr.rows;
    return DV_OK;
}

static dv_status each_batch(const plan *p, dvi_csr_target *target, bool is_measured, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    sink s = {.base = {.add = is_measured ? measure_row : add_row}, .target = target};
    DVI_TRY(dvi_cursor_open_onto(&cursor, p->view, &p->rows, NULL, &s.base, 0, err));
    dv_status status = dvi_csr_report(target, 0, err);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        status = take_batch(&s, batch, is_measured, err);
        if (status == DV_OK)
            status = dvi_csr_report(target, target->csr.rows, err);
    }
    dv_cursor_close(&cursor);
    return status < 0 ? status : DV_OK;
}

static dv_cursor_request request_of(const plan *p)
{
    dv_cursor_request request = {.size = sizeof request,
                                 .schema = dv_view_schema(p->view),
                                 .columns = &p->options.column,
                                 .columns_count = 1,
                                 .threads = dvi_cursor_read_threads(&p->rows),
                                 .epoch = p->rows.epoch,
                                 .allocator = dvi_view_allocator(p->view)};
    dvi_cursor_read_rows(p->view, &p->rows, &request.first_row, &request.end_row);
    return request;
}

/* Set the progress callback and the expected number of rows. */
static void watch(const plan *p, dvi_csr_target *target)
{
    int64_t first, end;
    const int64_t rows = dv_view_rows(p->view);
    dvi_cursor_read_rows(p->view, &p->rows, &first, &end);
    target->progress = p->options.progress;
    if (end == INT64_MAX)
        end = rows;
    target->rows_wanted = end < 0 ? -1 : dvi_max_i64(end - first, 0);
}

/* DV_NOT_FOUND: the format has no function for this. */
static dv_status fill_directly(const plan *p, dvi_csr_target *target, dv_error *err)
{
    const dvi_view_traits *traits = dvi_view_traits_of(p->view);
    if (!traits->fill_csr)
        return DV_NOT_FOUND;
    const dv_cursor_request request = request_of(p);
    dv_error own = DV_ERROR_INIT;
    const dv_status status = traits->fill_csr(dvi_view_self(p->view), &request, target, &own);
    if (status < 0 && err)
        *err = own;
    return status;
}

static dv_status fill(const plan *p, dvi_csr_target *target, dv_error *err)
{
    const dv_type *type = &dv_schema_column(dv_view_schema(p->view), p->options.column)->type;
    target->csr.indptr_kind = p->options.indptr;
    target->csr.data_kind = p->options.data;
    target->csr.columns = type->size;
    target->all_slots = p->options.all_slots;
    watch(p, target);
    const dv_status status = fill_directly(p, target, err);
    if (status != DV_NOT_FOUND)
        return status;
    target->csr.rows = target->csr.entries = 0;
    DVI_TRY(dvi_csr_reserve_rows(target, 0, err));
    dvi_csr_set_start(target, 0, 0);
    return each_batch(p, target, false, err);
}

/* --- Public functions --- */

dv_status dv_csr_create(dv_csr **csr_out, dv_view *view, const dv_csr_options *options,
                        dv_error *err)
{
    plan p;
    void *memory;
    *csr_out = NULL;
    DVI_TRY(read_plan(&p, view, options, err));
    DVI_TRY(dvi_alloc_zeroed(dvi_view_allocator(view), &memory, sizeof(made), err));
    made *m = memory;
    m->target.is_own = true;
    m->target.allocator = *dvi_view_allocator(view);
    const dv_status status = fill(&p, &m->target, err);
    m->shown = m->target.csr;
    dv_csr *shown = &m->shown;
    if (status < 0)
        dv_csr_free(&shown);
    *csr_out = shown;
    return status;
}

void dv_csr_free(dv_csr **csr)
{
    made *m = (made *)*csr;
    *csr = NULL;
    if (!m)
        return;
    const dv_allocator allocator = m->target.allocator;
    dvi_csr_free_arrays(&m->target);
    dvi_free(&allocator, m, sizeof *m);
}

dv_status dv_csr_fill(dv_csr *csr_out, const dv_csr_room *room, dv_view *view,
                      const dv_csr_options *options, dv_error *err)
{
    plan p;
    *csr_out = (dv_csr){0};
    DVI_TRY(read_plan(&p, view, options, err));
    DVI_REQUIRE(room->indptr && room->rows_room >= 0 && room->entries_room >= 0 &&
                    (room->entries_room == 0 || (room->indices && room->data)),
                dvi_fail_argument(err, "csr room: an array is NULL, or a size is negative"));
    dvi_csr_target target = {
        .csr = {.indptr = room->indptr, .indices = room->indices, .data = room->data},
        .rows_room = room->rows_room,
        .entries_room = room->entries_room};
    DVI_TRY(fill(&p, &target, err));
    *csr_out = target.csr;
    return DV_OK;
}

dv_status dv_csr_measure(int64_t *rows_out, int64_t *entries_out, dv_view *view,
                         const dv_csr_options *options, dv_error *err)
{
    plan p;
    int64_t rows = 0, entries = 0;
    dvi_csr_target target = {.csr = {0}};
    DVI_TRY(read_plan(&p, view, options, err));
    target.all_slots = p.options.all_slots;
    watch(&p, &target);
    const dvi_view_traits *traits = dvi_view_traits_of(view);
    const dv_cursor_request request = request_of(&p);
    dv_error own = DV_ERROR_INIT;
    dv_status status = DV_NOT_FOUND;
    if (traits->measure_csr)
        status = traits->measure_csr(dvi_view_self(view), &request, &target, &rows, &entries, &own);
    if (status < 0 && err)
        *err = own;
    if (status == DV_NOT_FOUND) {
        status = each_batch(&p, &target, true, err);
        rows = target.csr.rows;
        entries = target.csr.entries;
    }
    DVI_TRY(status);
    if (rows_out)
        *rows_out = rows;
    if (entries_out)
        *entries_out = entries;
    return DV_OK;
}
