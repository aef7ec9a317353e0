/* SPDX-License-Identifier: MIT */
/* tf_map.c: columns of the values that a map has for values (semantics:7.19). */
#include "transform/tf_map.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"

/* The params of a column. */
typedef struct params {
    const dvi_value_map *map;
    int32_t column; /* of the source */
} params;

/* Of one column; reused for each batch. */
typedef struct memory {
    dvi_memory *numbers, *refs; /* of values or items */
    dvi_memory *lengths;
    dvi_growing_column values;
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_memory_release(&m->numbers);
    dvi_memory_release(&m->refs);
    dvi_memory_release(&m->lengths);
    dvi_growing_free(&m->values);
}

/* --- A batch ---------------------------------------------------------------------------------- */

/* Copy the values of n rows of a column. */
static dv_status copy_values(const dvi_filling *f, const dv_column_view *keys, int64_t first,
                             int64_t n, dvi_column *dst, dv_error *err)
{
    const params *p = f->params;
    const dv_type *type = dvi_value_map_type(p->map);
    memory *m = f->memory;
    size_t numbers_nbytes, refs_nbytes;
    if (!dvi_size_mul((size_t)n, sizeof(uint32_t), &numbers_nbytes) ||
        !dvi_size_mul((size_t)n, sizeof(dvi_row_ref), &refs_nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_memory_reserve(&m->numbers, f->allocator, numbers_nbytes, err));
    DVI_TRY(dvi_memory_reserve(&m->refs, f->allocator, refs_nbytes, err));
    dvi_row_ref *refs = (dvi_row_ref *)(void *)m->refs->data;
    dvi_value_map_find(p->map, keys, first, n, (uint32_t *)(void *)m->numbers->data, refs);
    dvi_growing_reset(&m->values);
    DVI_TRY(dvi_filling_check(f, dvi_row_refs_measure(type, 0, refs, n), err));
    DVI_TRY(dvi_row_refs_reserve(&m->values, type, 0, refs, n, f->allocator, err));
    DVI_TRY(dvi_row_refs_append(&m->values, type, 0, refs, n, err));
    dvi_growing_view(&m->values, type, dst);
    return DV_OK;
}

/* Vectors of one length, as vectors of variable size. */
static dv_status write_lengths(const dvi_filling *f, dv_vector_layout *vector, dv_error *err)
{
    memory *m = f->memory;
    const size_t nbytes = 4 * (size_t)f->batch->rows;
    if (vector->lengths.nbytes > 0)
        return DV_OK;
    DVI_TRY(dvi_memory_reserve(&m->lengths, f->allocator, nbytes, err));
    for (int64_t row = 0; row < f->batch->rows; row++)
        dvi_store_i32(m->lengths->data + 4 * row, vector->length);
    vector->lengths = dvi_memory_buffer(m->lengths, 0, nbytes, 4);
    return DV_OK;
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    dvi_column values;
    if (src->layout != DV_LAYOUT_VECTOR)
        return copy_values(f, src, 0, src->rows, dst, err);
    dst->view = *src;
    dst->view.type = *f->type;
    dv_vector_layout *vector = &dst->view.as.vector;
    DVI_TRY(write_lengths(f, vector, err));
    DVI_TRY(copy_values(f, vector->items, vector->item_base,
                        dvi_vector_extent(vector, src->rows).items, &values, err));
    dst->items = values.view;
    vector->items = &dst->items;
    vector->item_base = 0;
    vector->length = 0;
    return DV_OK;
}

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const params *p = made->mapped.params;
    (void)source;
    return dvi_value_map_describe(p->map, schema, column, err);
}

static void identify(const void *of, dv_identity *identity)
{
    const params *p = of;
    dvi_value_map_identify(p->map, identity);
}

static int64_t value_nbytes(const void *of)
{
    return dvi_value_map_largest(((const params *)of)->map);
}

static const dvi_maker map_maker = {.name = "map",
                                    .identify = identify,
                                    .describe = describe,
                                    .fill = fill,
                                    .memory = sizeof(memory),
                                    .release = release_memory,
                                    .value_nbytes = value_nbytes};

static dv_status check_types(const dv_type *type, const dvi_value_map *map, dv_error *err)
{
    char expected[96], found[96];
    const dv_type *keys = dvi_value_map_key_type(map), *values = dvi_value_map_type(map);
    const dv_type item = dv_type_item(type);
    dv_type_print(type, found, sizeof found);
    dv_type_print(keys, expected, sizeof expected);
    if (!dv_type_equal(&item, keys))
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.19", -1, "values to map", "%s|%s",
                        expected, found);
    if (type->rank > 0 && values->rank > 0)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.19", -1, "values to map to vectors",
                        "scalars|%s", found);
    return DV_OK;
}

dv_status dvi_map_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                       int32_t column, const void *options, dv_error *err)
{
    const dvi_value_map *map = options;
    const dv_type *type = &dv_schema_column(source, column)->type;
    void *room;
    DVI_TRY(check_types(type, map, err));
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(params), err));
    params *p = room;
    *p = (params){map, column};
    const dv_type *values = dvi_value_map_type(map);
    column_out->type = type->rank > 0 ? dv_type_vector(*values, 0) : *values;
    column_out->mapped = (dvi_mapped){&map_maker, p, &p->column, 1};
    return DV_OK;
}
