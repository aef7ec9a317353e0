/* SPDX-License-Identifier: MIT */
/* tf_term_names.c: the metadata of a column of terms: KeyValues, made when they are read, and the
 * SlotNames of its source (semantics:7.2). */
#include "base/check.h"
#include "base/load.h"
#include "type/schema.h"
#include "view/growing_column.h"
#include "view/metadata.h"
#include "transform/conversion.h"
#include "transform/key_names.h"
#include "transform/tf_term_priv.h"

/* The KeyValues of the source, whose keys the terms are; -1: it has none. */
static int32_t find_key_values(const dvi_term *term)
{
    int32_t i;
    const dv_type item = dv_type_item(&dv_schema_column(term->source, term->column)->type);
    if (!item.is_key || item.key_count == 0 ||
        dv_schema_find_metadata(term->source, term->column, dv_text_of(DV_KEY_VALUES), &i) != DV_OK)
        return -1;
    const dv_type *type = &dv_schema_metadata(term->source, term->column, i)->type;
    return dv_type_is_vector(type) && (uint64_t)type->size == item.key_count ? i : -1;
}

/* --- Making the value ------------------------------------------------------------------------- */

/* The value of a key in a vector of KeyValues: row `key` - 1 of its slots. */
static dv_status append_slot(dvi_growing_column *picked, const dv_vector_layout *vector,
                             int32_t slot, const dv_column_view *none, const dv_allocator *with,
                             dv_error *err)
{
    const int32_t count = dvi_vector_count(vector, 0);
    const char *indices = vector->indices.data;
    const int64_t first = vector->index_base;
    int32_t low = 0, high = count < 0 ? slot : count;
    while (count >= 0 && low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (dvi_load_i32(indices + 4 * (first + middle)) < slot)
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_there =
        count < 0 || (low < count && dvi_load_i32(indices + 4 * (first + low)) == slot);
    dv_column_view one = is_there ? *vector->items : *none;
    if (is_there)
        dvi_column_advance(&one, vector->item_base + (count < 0 ? slot : low));
    DVI_TRY(dvi_growing_reserve(picked, &one, 1, with, err));
    dvi_growing_append(picked, &one, 1);
    return DV_OK;
}

/* Pick the values that belong to keys. */
static dv_status pick(dvi_growing_column *picked, const dvi_term *term, const dv_batch *values,
                      dv_error *err)
{
    dv_column_view keys, none;
    const dv_vector_layout *vector = &dv_batch_column(values, 0)->as.vector;
    const dv_type item = dv_type_item(&dv_batch_column(values, 0)->type);
    none = dvi_column_of_default(&item);
    dvi_terms_values(term->terms, &keys);
    const size_t width = (size_t)dv_kind_width(keys.type.kind);
    for (int64_t i = 0; i < keys.rows; i++) {
        uint64_t key = 0;
        memcpy(&key, (const char *)keys.as.fixed.values.data + width * (size_t)i, width);
        DVI_TRY(append_slot(picked, vector, (int32_t)(key - 1), &none, term->allocator, err));
    }
    return DV_OK;
}

/* One dense vector of these items. */
static dv_status make_vector(const dv_batch **batch_out, const dv_column_view *items,
                             const dvi_term *term, dv_error *err)
{
    static const int32_t dense = -1;
    const dv_buffer counts = {&dense, sizeof dense, NULL, false, true};
    dv_column_view vector = {.type = dv_type_vector(items->type, (int32_t)items->rows),
                             .layout = DV_LAYOUT_VECTOR,
                             .rows = 1};
    vector.as.vector =
        (dv_vector_layout){.length = (int32_t)items->rows, .counts = counts, .items = items};
    return dvi_metadata_batch(batch_out, &vector, term->allocator, err);
}

/* The numbers that keys stand for, as a column in *memory. */
static dv_status make_numbers(dv_column_view *numbers_out, dvi_memory **memory,
                              const dv_column_view *keys, const dv_allocator *allocator,
                              dv_error *err)
{
    const dv_type *type = &keys->type;
    const size_t n = (size_t)keys->rows, width = (size_t)dv_kind_width(type->kind);
    DVI_TRY(dvi_memory_reserve(memory, allocator, 8 * n, err));
    for (size_t i = 0; i < n; i++) {
        uint64_t key = 0;
        memcpy(&key, (const char *)keys->as.fixed.values.data + width * i, width);
        dvi_store_u64((*memory)->data + 8 * i, key - 1 + type->key_min);
    }
    *numbers_out = (dv_column_view){
        .type = dv_type_of(DV_KIND_U8), .layout = DV_LAYOUT_FIXED, .rows = keys->rows};
    numbers_out->as.fixed.values = dvi_memory_buffer(*memory, 0, 8 * n, 8);
    return DV_OK;
}

/* A vector of the texts of these items. */
static dv_status make_texts(const dv_batch **batch_out, const dv_column_view *items,
                            const dvi_term *term, dv_error *err)
{
    dvi_conversion conversion;
    dvi_converted texts = {0};
    dv_column_view made = *items;
    const dv_kind kind = items->type.kind;
    const dv_type text = dv_type_of(DV_KIND_TX);
    if (dvi_conversion_find(&conversion, &items->type, &text) != DV_OK)
        return dvi_fail_argument(err, "these terms have no text");
    if (kind == DV_KIND_R4 || kind == DV_KIND_BL)
        conversion.print = dvi_scalar_printer(kind); /* as files have them, not convert */
    dv_status status =
        dvi_conversion_run(&conversion, &texts, &made, items, 0, items->rows, term->allocator, err);
    if (status == DV_OK)
        status = make_vector(batch_out, &made, term, err);
    dvi_converted_free(&texts);
    return status;
}

/* A vector of the items, or of their texts if these are asked for. */
static dv_status make_names(const dv_batch **batch_out, const dv_column_view *items,
                            const dvi_term *term, dv_error *err)
{
    dvi_memory *memory = NULL;
    dv_column_view numbers;
    if (!term->are_names_text || items->type.kind == DV_KIND_TX)
        return make_vector(batch_out, items, term, err);
    if (!items->type.is_key)
        return make_texts(batch_out, items, term, err);
    dv_status status = make_numbers(&numbers, &memory, items, term->allocator, err);
    if (status == DV_OK)
        status = make_texts(batch_out, &numbers, term, err);
    dvi_memory_release(&memory);
    return status;
}

static dv_status load(void *source, int64_t number, const dv_batch **batch_out, dv_error *err)
{
    const dvi_term *term = source;
    const int32_t named = find_key_values(term);
    dv_column_view items;
    (void)number;
    if (named < 0) {
        dvi_terms_values(term->terms, &items);
        return make_names(batch_out, &items, term, err);
    }
    const dv_batch *values;
    dvi_growing_column picked = {0};
    dvi_column column;
    DVI_TRY(dv_schema_metadata_value(term->source, term->column, named, &values, err));
    const dv_type item = dv_type_item(&dv_batch_column(values, 0)->type);
    dv_status status = pick(&picked, term, values, err);
    if (status == DV_OK) {
        dvi_growing_view(&picked, &item, &column);
        status = make_names(batch_out, &column.view, term, err);
    }
    dvi_growing_free(&picked);
    dv_batch_release(&values);
    return status;
}

/* --- Describing ------------------------------------------------------------------------------- */

static dv_type type_of_names(const dvi_term *term)
{
    dv_column_view values;
    const int32_t named = find_key_values(term);
    dvi_terms_values(term->terms, &values);
    dv_type item = values.type;
    if (named >= 0)
        item = dv_type_item(&dv_schema_metadata(term->source, term->column, named)->type);
    if (term->are_names_text)
        item = dv_type_of(DV_KIND_TX);
    return dv_type_vector(item, (int32_t)values.rows);
}

dv_status dvi_term_describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                            int32_t column, dv_error *err)
{
    const dvi_term *term = made->mapped.params;
    const int32_t names = dvi_key_slot_names(source, term->column);
    const dvi_metadata_source how = {load, (void *)(uintptr_t)term, 0, NULL};
    if (dvi_terms_count(term->terms) > 0) {
        const dv_type type = type_of_names(term);
        DVI_TRY(
            dvi_schema_add_metadata(schema, column, dv_text_of(DV_KEY_VALUES), &type, &how, err));
    }
    if (names < 0)
        return DV_OK;
    return dvi_inherit_metadata(schema, column, source, term->column, names, err);
}
