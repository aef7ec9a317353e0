/* SPDX-License-Identifier: MIT */
/* tf_dropnaslots.c: copies the values that are not missing. */
#include "transform/tf_dropnaslots.h"
#include "base/check.h"
#include "view/growing_column.h"
#include "transform/elementwise.h"
#include "transform/vector_rows.h"
#include <dataview/value.h>

typedef struct memory {
    dvi_growing_column items;
    dvi_memory *lengths, *counts, *indices;
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_growing_free(&m->items);
    dvi_memory_release(&m->lengths);
    dvi_memory_release(&m->counts);
    dvi_memory_release(&m->indices);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static dv_status append(memory *m, const dv_column_view *items, int64_t first, int64_t n,
                        const dv_allocator *allocator, dv_error *err)
{
    dv_column_view part = *items;
    if (n == 0)
        return DV_OK;
    dvi_column_advance(&part, first);
    DVI_TRY(dvi_growing_reserve(&m->items, &part, n, allocator, err));
    dvi_growing_append(&m->items, &part, n);
    return DV_OK;
}

/* Append the items of a row. Each that is left out takes its slot with it. *used: the indices
 * written so far. */
static dv_status append_row(const dvi_filling *f, const dvi_vector_row *row, int64_t *used,
                            int32_t *dropped_out, dv_error *err)
{
    memory *m = f->memory;
    int32_t waiting = 0, dropped = 0;
    for (int32_t i = 0; i < row->n; i++) {
        const dv_value item = {.column = row->items, .row = row->item + i};
        if (!dv_value_is_na(&item)) {
            waiting++;
            if (row->slots)
                dvi_store_i32(m->indices->data + 4 * (*used)++,
                              dvi_vector_row_slot(row, i) - dropped);
            continue;
        }
        DVI_TRY(append(m, row->items, row->item + i - waiting, waiting, f->allocator, err));
        waiting = 0;
        dropped++;
    }
    *dropped_out = dropped;
    return append(m, row->items, row->item + row->n - waiting, waiting, f->allocator, err);
}

static dv_status append_rows(const dvi_filling *f, const dv_column_view *src, int64_t *used,
                             dv_error *err)
{
    memory *m = f->memory;
    dvi_vector_row row = dvi_vector_rows(src);
    const bool holes_are_na = dv_type_default_is_na(f->type);
    while (dvi_vector_rows_next(&row)) {
        const int64_t before = *used;
        int32_t dropped;
        DVI_TRY(append_row(f, &row, used, &dropped, err));
        const bool is_dense = !row.slots || holes_are_na;
        const int32_t length = is_dense ? row.n - dropped : row.length - dropped;
        if (is_dense)
            *used = before;
        dvi_store_i32(m->lengths->data + 4 * row.row, length);
        dvi_store_i32(m->counts->data + 4 * row.row, is_dense ? -1 : (int32_t)(*used - before));
    }
    return DV_OK;
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    memory *m = f->memory;
    const size_t rows = (size_t)src->rows;
    const int64_t indices = dvi_vector_extent(&src->as.vector, src->rows).indices;
    int64_t used = 0;
    dvi_column made;
    dvi_growing_reset(&m->items);
    DVI_TRY(dvi_growing_reserve(&m->items, src->as.vector.items, 0, f->allocator, err));
    DVI_TRY(dvi_memory_reserve(&m->lengths, f->allocator, 4 * rows, err));
    DVI_TRY(dvi_memory_reserve(&m->counts, f->allocator, 4 * rows, err));
    DVI_TRY(dvi_memory_reserve(&m->indices, f->allocator, 4 * (size_t)indices, err));
    DVI_TRY(append_rows(f, src, &used, err));
    dvi_growing_view(&m->items, &src->as.vector.items->type, &made);
    dst->items = made.view;
    dvi_column_set_vectors(dst, f->type, src->rows, m->lengths, m->counts, m->indices, used);
    return DV_OK;
}

/* --- Planning --------------------------------------------------------------------------------- */

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const int32_t from = made->mapped.sources[0];
    DVI_TRY(dvi_elementwise_inherit(schema, column, source, from, DV_KEY_VALUES, err));
    return dvi_elementwise_inherit(schema, column, source, from, DV_IS_NORMALIZED, err);
}

static const dvi_maker dropnaslots_maker = {.name = "dropnaslots",
                                            .describe = describe,
                                            .fill = fill,
                                            .memory = sizeof(memory),
                                            .release = release_memory};

dv_status dvi_dropnaslots_plan(dvi_new_column *column_out, dvi_arena *arena,
                               const dv_schema *source, int32_t column, const void *options,
                               dv_error *err)
{
    const dv_type *type = &dv_schema_column(source, column)->type;
    void *room;
    (void)options;
    if (type->rank == 0 || type->kind == DV_KIND_BY || type->kind == DV_KIND_EXTENSION) {
        char found[96];
        dv_type_print(type, found, sizeof found);
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.13", -1, "values with slots",
                        "vectors, not of BY|%s", found);
    }
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof column, err));
    *(int32_t *)room = column;
    column_out->type = dv_type_vector(dv_type_item(type), 0);
    column_out->mapped = (dvi_mapped){&dropnaslots_maker, NULL, room, 1};
    return DV_OK;
}
