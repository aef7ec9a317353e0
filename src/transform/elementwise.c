/* SPDX-License-Identifier: MIT */
/* elementwise.c: makes columns value by value. */
#include "transform/elementwise.h"
#include "base/check.h"
#include "base/size.h"
#include "view/identity.h"
#include "view/metadata.h"
#include "transform/built_rows.h"
#include "transform/tf_fused.h"
#include "transform/vector_holes.h"
#include "transform/vector_rows.h"
#include <string.h>

typedef struct planned {
    dvi_elementwise function;
    int32_t column; /* of the source */
    bool is_dense;  /* slots without an item do not keep the default value */
} planned;

typedef struct memory {
    dvi_memory *values; /* that are made */
    dvi_memory *slots;  /* values of all slots of the source, if it is sparse and is_dense */
    dvi_memory *counts;
    dvi_built_rows built;
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_memory_release(&m->values);
    dvi_memory_release(&m->slots);
    dvi_memory_release(&m->counts);
    dvi_built_rows_free(&m->built);
}

/* --- Values ----------------------------------------------------------------------------------- */

typedef struct values {
    const char *data;
    size_t width;
} values;

void dvi_elementwise_map(const dvi_elementwise *e, void *dst, const void *src, const char *indices,
                         size_t n, size_t rows)
{
    if (e->is_uniform)
        e->kind->map(e->state, dst, src, NULL, 1, n * rows);
    else
        e->kind->map(e->state, dst, src, indices, n, rows);
}

/* Map values from number `first` on, `width` bytes each; without any there may be no address. */
static void map(const planned *p, void *dst, const values *from, int64_t first, const char *indices,
                size_t n, size_t rows)
{
    if (n > 0 && rows > 0)
        dvi_elementwise_map(&p->function, dst, from->data + (size_t)first * from->width, indices, n,
                            rows);
}

static values values_of(const dv_column_view *column)
{
    return (values){column->as.fixed.values.data, dvi_width_of(&column->type)};
}

/* Map the items as they are; those of dense rows that follow each other at once. */
static void map_items(const planned *p, uint8_t *dst, size_t width, const dv_column_view *column)
{
    dvi_vector_row row = dvi_vector_rows(column);
    const values src = values_of(row.items);
    size_t n = 0, rows = 0; /* dense rows that wait */
    int64_t first = row.item;
    while (dvi_vector_rows_next(&row)) {
        if (!row.slots && (rows == 0 || n == (size_t)row.length)) {
            first = rows == 0 ? row.item : first;
            n = (size_t)row.length;
            rows++;
            continue;
        }
        map(p, dst, &src, first, NULL, n, rows);
        dst += n * rows * width;
        rows = row.slots ? 0 : 1;
        n = (size_t)row.n;
        first = row.item;
        if (row.slots) {
            map(p, dst, &src, row.item, row.slots, n, 1);
            dst += n * width;
        }
    }
    map(p, dst, &src, first, NULL, n, rows);
}

/* If each row has an item in each slot, those of sparse rows lie as those of dense ones. */
static void map_whole(const planned *p, uint8_t *dst, const dv_column_view *column)
{
    const dv_vector_layout *vector = &column->as.vector;
    const values src = values_of(vector->items);
    map(p, dst, &src, vector->item_base, NULL, (size_t)column->type.size, (size_t)column->rows);
}

static bool is_whole(const dv_column_view *column, int64_t items)
{
    return column->type.size > 0 && items == column->rows * column->type.size;
}

/* Write the values of all slots; 0 where there is no item. */
static void spread(uint8_t *dst, const dv_column_view *column, size_t width)
{
    dvi_vector_row row = dvi_vector_rows(column);
    const char *src = row.items->as.fixed.values.data;
    while (dvi_vector_rows_next(&row)) {
        const char *item = row.n > 0 ? src + (size_t)row.item * width : NULL;
        const size_t nbytes = (size_t)row.length * width;
        DVI_KNOWN(item || row.n == 0);
        if (row.slots)
            memset(dst, 0, nbytes);
        else if (item)
            memcpy(dst, item, nbytes);
        for (int32_t i = 0; row.slots && i < row.n; i++)
            memcpy(dst + (size_t)dvi_vector_row_slot(&row, i) * width, item + (size_t)i * width,
                   width);
        dst += nbytes;
    }
}

/* --- A batch ---------------------------------------------------------------------------------- */

static dv_status fill_scalars(const dvi_filling *f, dvi_column *dst, size_t width, dv_error *err)
{
    memory *m = f->memory;
    const size_t rows = (size_t)dst->view.rows;
    DVI_TRY(dvi_memory_reserve(&m->values, f->allocator, rows * width, err));
    const values src = values_of(&dst->view);
    map(f->params, m->values->data, &src, 0, NULL, 1, rows);
    dst->view.type = *f->type;
    dst->view.as.fixed.values = dvi_memory_buffer(m->values, 0, rows * width, width);
    return DV_OK;
}

/* Make all slots of vectors. */
static dv_status fill_slots(const dvi_filling *f, dvi_column *dst, const dv_column_view *src,
                            size_t width, size_t src_width, dv_error *err)
{
    memory *m = f->memory;
    dv_vector_layout *vector = &dst->view.as.vector;
    const size_t rows = (size_t)src->rows;
    const int64_t slots = dvi_vector_slots(vector, src->rows);
    const planned *p = f->params;
    DVI_TRY(dvi_holes_check(slots, err));
    DVI_TRY(dvi_memory_reserve(&m->slots, f->allocator, (size_t)slots * src_width, err));
    DVI_TRY(dvi_memory_reserve(&m->values, f->allocator, (size_t)slots * width, err));
    DVI_TRY(dvi_memory_reserve(&m->counts, f->allocator, 4 * rows, err));
    spread(m->slots->data, src, src_width);
    const values all = {(const char *)m->slots->data, src_width};
    if (p->function.is_uniform)
        map(p, m->values->data, &all, 0, NULL, 1, (size_t)slots);
    else
        map(p, m->values->data, &all, 0, NULL, (size_t)f->type->size, rows);
    memset(m->counts->data, 0xFF, 4 * rows); /* -1 */
    vector->counts = dvi_memory_buffer(m->counts, 0, 4 * rows, 4);
    vector->indices = (dv_buffer){0};
    vector->index_base = 0;
    dst->items.rows = slots;
    return DV_OK;
}

static dv_status fill_vectors(const dvi_filling *f, dvi_column *dst, const dv_column_view *src,
                              size_t width, dv_error *err)
{
    memory *m = f->memory;
    const planned *p = f->params;
    const dvi_extent extent = dvi_vector_extent(&src->as.vector, src->rows);
    const size_t src_width = dvi_width_of(&src->as.vector.items->type);
    dst->items = (dv_column_view){
        .type = dv_type_item(f->type), .layout = DV_LAYOUT_FIXED, .rows = extent.items};
    dst->view.type = *f->type;
    dst->view.as.vector.items = &dst->items;
    dst->view.as.vector.item_base = 0;
    if (p->is_dense && extent.items < dvi_vector_slots(&src->as.vector, src->rows)) {
        DVI_TRY(fill_slots(f, dst, src, width, src_width, err));
    } else {
        DVI_TRY(dvi_memory_reserve(&m->values, f->allocator, (size_t)extent.items * width, err));
        if (is_whole(src, extent.items))
            map_whole(p, m->values->data, src);
        else
            map_items(p, m->values->data, width, src);
    }
    dst->items.as.fixed.values =
        dvi_memory_buffer(m->values, 0, (size_t)dst->items.rows * width, width);
    return p->function.is_built ? dvi_built_rows_fill(&m->built, dst, f->allocator, err) : DV_OK;
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    const dv_type item = dv_type_item(f->type);
    const size_t width = dvi_width_of(&item);
    dst->view = *src;
    return src->layout == DV_LAYOUT_VECTOR ? fill_vectors(f, dst, src, width, err)
                                           : fill_scalars(f, dst, width, err);
}

/* --- Planning --------------------------------------------------------------------------------- */

dv_status dvi_elementwise_inherit(dv_schema *schema, int32_t column, const dv_schema *source,
                                  int32_t source_column, const char *kind, dv_error *err)
{
    int32_t i;
    if (dv_schema_find_metadata(source, source_column, dv_text_of(kind), &i) != DV_OK)
        return DV_OK;
    return dvi_inherit_metadata(schema, column, source, source_column, i, err);
}

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const planned *p = made->mapped.params;
    if (made->type.rank > 0)
        DVI_TRY(dvi_elementwise_inherit(schema, column, source, p->column, DV_SLOT_NAMES, err));
    return p->function.is_normalized
               ? dvi_mapper_add_normalized(schema, column, err)
               : dvi_elementwise_inherit(schema, column, source, p->column, DV_IS_NORMALIZED, err);
}

static void identify(const void *params, dv_identity *identity)
{
    const dvi_elementwise *e = &((const planned *)params)->function;
    dv_identity_add(identity, e->kind->name, strlen(e->kind->name));
    e->kind->identify(e->state, identity);
}

static bool fills_slots(const void *params)
{
    const planned *p = params;
    return p->is_dense;
}

static const dvi_maker elementwise_maker = {.name = "elementwise",
                                            .identify = identify,
                                            .describe = describe,
                                            .fill = fill,
                                            .memory = sizeof(memory),
                                            .release = release_memory,
                                            .fuse = dvi_fuse_values,
                                            .fills_slots = fills_slots};

const dvi_elementwise *dvi_elementwise_of(const dvi_mapped *mapped, bool *fills_out)
{
    const planned *p = mapped->params;
    if (mapped->maker != &elementwise_maker)
        return NULL;
    *fills_out = p->is_dense;
    return &p->function;
}

dv_status dvi_elementwise_set(dvi_mapped *mapped, dvi_arena *arena, const dvi_elementwise *function,
                              bool fills, dv_error *err)
{
    void *room;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(planned), err));
    planned *p = room;
    *p = (planned){.function = *function, .column = mapped->sources[0], .is_dense = fills};
    mapped->maker = &elementwise_maker;
    mapped->params = p;
    return DV_OK;
}

/* Does the default value of any slot become another one? -0 is the default, too. */
static dv_status check_default(planned *p, const dv_type *from, dvi_arena *arena, dv_error *err)
{
    static const uint8_t minus_zero = 0x80;
    const dv_type to = dv_type_of(p->function.item), item = dv_type_item(from);
    const size_t n = p->function.is_uniform ? 1 : (size_t)dv_type_value_count(from);
    const size_t width = dvi_width_of(&to);
    const bool is_real = to.kind == DV_KIND_R4 || to.kind == DV_KIND_R8;
    void *zeros, *mapped;
    DVI_TRY(dvi_arena_alloc(arena, &zeros, n * dvi_width_of(&item), err));
    DVI_TRY(dvi_arena_alloc(arena, &mapped, n * width, err));
    const values src = {zeros, dvi_width_of(&item)};
    map(p, mapped, &src, 0, NULL, n, 1);
    const uint8_t *bytes = mapped;
    for (size_t i = 0; i < n * width && !p->is_dense; i++)
        p->is_dense =
            bytes[i] != 0 && !(is_real && i % width == width - 1 && bytes[i] == minus_zero);
    return DV_OK;
}

dv_status dvi_elementwise_plan(dvi_new_column *column_out, dvi_arena *arena,
                               const dv_schema *source, int32_t column,
                               const dvi_elementwise *function, dv_error *err)
{
    const dv_type *from = &dv_schema_column(source, column)->type;
    void *room;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(planned), err));
    planned *p = room;
    p->function = *function;
    p->column = column;
    if (from->rank > 0)
        DVI_TRY(check_default(p, from, arena, err));
    column_out->type = dv_type_of(function->item);
    if (from->rank > 0) {
        const dv_type item = column_out->type;
        column_out->type = *from;
        column_out->type.kind = item.kind;
        column_out->type.is_key = false;
        column_out->type.key_is_contiguous = false;
        column_out->type.key_min = column_out->type.key_count = 0;
    }
    column_out->mapped = (dvi_mapped){&elementwise_maker, p, &p->column, 1};
    return DV_OK;
}
