/* SPDX-License-Identifier: MIT */
/* tf_key_value.c: plans a column of the values of keys, and its metadata (semantics:7.3). */
#include "transform/tf_key_value.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "view/identity.h"
#include "view/metadata.h"
#include "transform/key_names.h"
#include "transform/key_positions.h"
#include "transform/tf_key_value_priv.h"

/* --- The table of values ---------------------------------------------------------------------- */

/* Copy `stored` items of that width, from item `first` on, and two that are 0. */
static dv_status copy_items(dv_buffer *dst, dvi_arena *arena, const dv_buffer *src, int64_t first,
                            int32_t stored, size_t width, dv_error *err)
{
    const size_t nbytes = (size_t)stored * width, all = nbytes + 2 * width;
    void *room;
    DVI_TRY(dvi_arena_alloc(arena, &room, all, err));
    if (stored > 0)
        memcpy(room, (const char *)src->data + (size_t)first * width, nbytes);
    *dst = (dv_buffer){room, all, NULL, false, true};
    return DV_OK;
}

/* NA of reals, as it is written everywhere. */
static void set_na(dvi_key_value *v, void *values)
{
    uint8_t *dst = values;
    v->has_na = true;
    if (v->table.type.kind == DV_KIND_R4)
        dvi_store_u32(dst + 4 * (size_t)v->stored, DV_R4_NA_BITS);
    else if (v->table.type.kind == DV_KIND_R8)
        dvi_store_u64(dst + 8 * (size_t)v->stored, DV_R8_NA_BITS);
    else
        v->has_na = false;
}

static dv_status copy_fixed(dvi_key_value *v, dvi_arena *arena, const dv_vector_layout *from,
                            dv_error *err)
{
    dv_buffer *values = &v->table.as.fixed.values;
    DVI_TRY(copy_items(values, arena, &from->items->as.fixed.values, from->item_base, v->stored,
                       dvi_width_of(&v->table.type), err));
    set_na(v, (void *)(uintptr_t)values->data);
    return DV_OK;
}

static dv_status copy_zoned(dvi_key_value *v, dvi_arena *arena, const dv_vector_layout *from,
                            dv_error *err)
{
    const dv_zoned_layout *src = &from->items->as.zoned;
    dv_zoned_layout *dst = &v->table.as.zoned;
    DVI_TRY(copy_items(&dst->ticks, arena, &src->ticks, from->item_base, v->stored, 8, err));
    return copy_items(&dst->minutes, arena, &src->minutes, from->item_base, v->stored, 2, err);
}

/* The texts come first, at the start; two that are empty follow. */
static dv_status copy_texts(dvi_key_value *v, dvi_arena *arena, const dv_vector_layout *from,
                            dv_error *err)
{
    const dv_text_layout *src = &from->items->as.text;
    dv_text_layout *dst = &v->table.as.text;
    const int32_t first = dvi_text_end(src, from->item_base);
    const size_t nbytes = (size_t)(dvi_text_end(src, from->item_base + v->stored) - first);
    dv_text utf8 = {"", 0};
    if (nbytes > 0)
        utf8 = (dv_text){(const char *)src->utf8.data + first, (int64_t)nbytes};
    DVI_TRY(dvi_arena_text(arena, &utf8, utf8, err));
    DVI_TRY(copy_items(&dst->ends, arena, &src->ends, from->item_base, v->stored, 4, err));
    uint8_t *ends = (void *)(uintptr_t)dst->ends.data;
    int32_t start = 0;
    for (int32_t i = 0; i < v->stored; i++) {
        const int32_t end = (dvi_load_i32(ends + 4 * (size_t)i) & INT32_MAX) - first;
        v->longest = dvi_max_i64(v->longest, (int64_t)end - start);
        start = end;
        dvi_store_i32(ends + 4 * (size_t)i, dvi_load_i32(ends + 4 * (size_t)i) - first);
    }
    for (int32_t i = 0; i < 2; i++)
        dvi_store_i32(ends + 4 * ((size_t)v->stored + (size_t)i), (int32_t)nbytes);
    dst->utf8 = (dv_buffer){utf8.data, nbytes, NULL, false, true};
    return DV_OK;
}

/* Copy the KeyValues, which may be sparse. */
static dv_status copy_values(dvi_key_value *v, dvi_arena *arena, const dv_column_view *values,
                             dv_error *err)
{
    const dv_vector_layout *from = &values->as.vector;
    const int32_t count = dvi_vector_count(from, 0);
    dv_buffer slots;
    v->stored = count < 0 ? dvi_vector_length(from, 0) : count;
    v->table = (dv_column_view){
        .type = from->items->type, .layout = from->items->layout, .rows = (int64_t)v->stored + 2};
    if (count >= 0) {
        DVI_TRY(copy_items(&slots, arena, &from->indices, from->index_base, count, 4, err));
        v->slots = slots.data;
    }
    switch (v->table.layout) {
    case DV_LAYOUT_FIXED:
        return copy_fixed(v, arena, from, err);
    case DV_LAYOUT_ZONED:
        return copy_zoned(v, arena, from, err);
    default:
        return copy_texts(v, arena, from, err);
    }
}

/* --- Planning --------------------------------------------------------------------------------- */

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const int32_t from = made->mapped.sources[0];
    const int32_t names = dvi_key_slot_names(source, from);
    return names < 0 ? DV_OK : dvi_inherit_metadata(schema, column, source, from, names, err);
}

static void add_buffer(dv_identity *identity, const dv_buffer *buffer)
{
    dv_identity_add(identity, buffer->data, buffer->nbytes);
}

/* The values, which the identity of the source need not contain. */
static void identify(const void *params, dv_identity *identity)
{
    const dvi_key_value *v = params;
    dvi_identity_add_i8(identity, v->stored);
    if (v->slots)
        dv_identity_add(identity, v->slots, 4 * (size_t)v->stored);
    switch (v->table.layout) {
    case DV_LAYOUT_FIXED:
        add_buffer(identity, &v->table.as.fixed.values);
        break;
    case DV_LAYOUT_ZONED:
        add_buffer(identity, &v->table.as.zoned.ticks);
        add_buffer(identity, &v->table.as.zoned.minutes);
        break;
    default:
        add_buffer(identity, &v->table.as.text.ends);
        add_buffer(identity, &v->table.as.text.utf8);
        break;
    }
}

static int64_t value_nbytes(const void *params)
{
    return ((const dvi_key_value *)params)->longest;
}

static const dvi_maker value_maker = {.name = "value",
                                      .identify = identify,
                                      .describe = describe,
                                      .fill = dvi_key_value_fill,
                                      .memory = sizeof(dvi_key_value_memory),
                                      .release = dvi_key_value_free,
                                      .fills_slots = dvi_fills_slots,
                                      .value_nbytes = value_nbytes};

/* The number of the KeyValues; metadata of another length counts as missing. */
static dv_status find_values(const dv_schema *source, int32_t column, int32_t *number_out,
                             dv_error *err)
{
    const dv_type *type = &dv_schema_column(source, column)->type;
    const dv_text kind = dv_text_of(DV_KEY_VALUES);
    if (dv_schema_find_metadata(source, column, kind, number_out) == DV_OK) {
        const dv_type *values = &dv_schema_metadata(source, column, *number_out)->type;
        if (dv_type_is_known_size_vector(values) && (uint64_t)values->size == type->key_count)
            return DV_OK;
    }
    return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.3", -1, "metadata KeyValues",
                    "a value for each of %llu keys|none", (unsigned long long)type->key_count);
}

dv_status dvi_key_value_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                             int32_t column, const void *options, dv_error *err)
{
    const dv_type *from = &dv_schema_column(source, column)->type;
    const dv_batch *values;
    void *room;
    int32_t number;
    (void)options;
    DVI_TRY(dvi_key_check(from, err));
    DVI_TRY(find_values(source, column, &number, err));
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_key_value), err));
    dvi_key_value *v = room;
    v->column = column;
    v->count = (uint32_t)from->key_count;
    v->is_vector = from->rank > 0;
    DVI_TRY(dv_schema_metadata_value(source, column, number, &values, err));
    const dv_status status = copy_values(v, arena, dv_batch_column(values, 0), err);
    dv_batch_release(&values);
    column_out->type = v->table.type;
    column_out->type.rank = from->rank;
    column_out->type.size = from->size;
    column_out->type.dims = from->dims;
    column_out->mapped = (dvi_mapped){&value_maker, v, &v->column, 1};
    return status;
}
