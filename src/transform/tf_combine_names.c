/* SPDX-License-Identifier: MIT */
/* tf_combine_names.c: the metadata of a column that combines several (semantics:2.2,
 * semantics:7.15).
 *
 * Values are made on demand from the metadata of the sources. Metadata of a source that does not
 * have the type that its kind requires counts as missing. */
#include "base/check.h"
#include "base/load.h"
#include "base/owner.h"
#include "type/schema.h"
#include "view/metadata.h"
#include "transform/tf_combine_priv.h"
#include <dataview/value.h>
#include <string.h>

#define RANGES_MAX (1 << 23) /* metadata of 64 MiB */

static const dv_type *type_of(const dvi_combine *c, int32_t k)
{
    return &dv_schema_column(c->schema, c->columns[k])->type;
}

/* The number of the metadata of this kind of source k, if its type is right; else -1. */
static int32_t find(const dvi_combine *c, int32_t k, const char *kind,
                    bool (*fits)(const dv_type *type, const dv_type *of))
{
    int32_t i;
    if (dv_schema_find_metadata(c->schema, c->columns[k], dv_text_of(kind), &i) != DV_OK)
        return -1;
    return fits(&dv_schema_metadata(c->schema, c->columns[k], i)->type, type_of(c, k)) ? i : -1;
}

static bool are_names(const dv_type *type, const dv_type *of)
{
    return dv_type_is_known_size_vector(of) && type->kind == DV_KIND_TX &&
           dv_type_is_vector(type) && type->size == of->size;
}

static bool are_ranges(const dv_type *type, const dv_type *of)
{
    return dv_type_is_known_size_vector(of) && type->kind == DV_KIND_I4 && type->rank == 2 &&
           dv_type_dim(type, 0) > 0 && dv_type_dim(type, 1) == 2;
}

static bool is_flag(const dv_type *type, const dv_type *of)
{
    (void)of;
    return type->kind == DV_KIND_BL && !dv_type_is_vector(type);
}

/* --- Building a value ------------------------------------------------------------------------- */

/* Items of a vector, with their slots: texts, one after another, or numbers. */
typedef struct builder {
    const dvi_combine *c;
    dvi_memory *slots, *ends, *utf8;
    size_t count, used; /* items; bytes of text */
} builder;

/* Allocates even for no items, so that buffers have an address. */
static dv_status start_builder(builder *b, const dvi_combine *c, dv_error *err)
{
    *b = (builder){.c = c};
    DVI_TRY(dvi_memory_reserve(&b->slots, c->allocator, 0, err));
    DVI_TRY(dvi_memory_reserve(&b->ends, c->allocator, 0, err));
    return dvi_memory_reserve(&b->utf8, c->allocator, 0, err);
}

static void free_builder(builder *b)
{
    dvi_memory_release(&b->slots);
    dvi_memory_release(&b->ends);
    dvi_memory_release(&b->utf8);
}

static dv_status append_number(dvi_memory **memory, size_t at, int32_t number,
                               const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(dvi_memory_extend(memory, 4 * at, 4 * (at + 1), allocator, err));
    dvi_store_i32((*memory)->data + 4 * at, number);
    return DV_OK;
}

static dv_status append_bytes(builder *b, dv_text text, dv_error *err)
{
    if (text.nbytes <= 0)
        return DV_OK;
    const size_t nbytes = b->used + (size_t)text.nbytes;
    if (nbytes > INT32_MAX)
        return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "names of slots",
                        "at most 2^31-1 bytes|more");
    DVI_TRY(dvi_memory_extend(&b->utf8, b->used, nbytes, b->c->allocator, err));
    memcpy(b->utf8->data + b->used, text.data, (size_t)text.nbytes);
    b->used = nbytes;
    return DV_OK;
}

/* The name of a slot: "prefix.name", or the prefix alone. */
static dv_status append_name(builder *b, int64_t slot, dv_text prefix, dv_text name, dv_error *err)
{
    DVI_TRY(append_bytes(b, prefix, err));
    if (name.nbytes > 0)
        DVI_TRY(append_bytes(b, dv_text_of("."), err));
    DVI_TRY(append_bytes(b, name, err));
    DVI_TRY(append_number(&b->slots, b->count, (int32_t)slot, b->c->allocator, err));
    DVI_TRY(append_number(&b->ends, b->count, (int32_t)b->used, b->c->allocator, err));
    b->count++;
    return DV_OK;
}

/* Make the ends of all slots from those of the slots with names, at least half of all. */
static dv_status spread_ends(builder *b, int32_t slots, dv_error *err)
{
    dvi_memory *all = NULL;
    DVI_TRY(dvi_memory_reserve(&all, b->c->allocator, 4 * (size_t)slots, err));
    size_t next = 0;
    int32_t end = 0;
    for (int32_t slot = 0; slot < slots; slot++) {
        if (next < b->count && dvi_load_i32(b->slots->data + 4 * next) == slot)
            end = dvi_load_i32(b->ends->data + 4 * next++);
        dvi_store_i32(all->data + 4 * (size_t)slot, end);
    }
    dvi_memory_release(&b->ends);
    b->ends = all;
    return DV_OK;
}

/* --- SlotNames -------------------------------------------------------------------------------- */

/* Append the names of source k, whose first slot is slot `base`. */
static dv_status append_names_of(builder *b, int32_t k, int64_t base, dv_error *err)
{
    const dvi_combine *c = b->c;
    const dv_batch *batch;
    const int32_t i = find(c, k, DV_SLOT_NAMES, are_names);
    if (type_of(c, k)->rank == 0)
        return append_name(b, base, c->names[k], dv_text_of(NULL), err);
    if (i < 0)
        return DV_OK;
    DVI_TRY(dv_schema_metadata_value(c->schema, c->columns[k], i, &batch, err));
    const dv_value names = dv_value_first(dv_batch_column(batch, 0));
    dv_status status = DV_OK;
    for (int32_t j = 0; j < dv_value_items(&names) && status == DV_OK; j++) {
        const dv_value item = dv_value_item(&names, j);
        const dv_text name = dv_value_tx(&item);
        if (name.nbytes > 0)
            status = append_name(b, base + dv_value_slot(&names, j), c->names[k], name, err);
    }
    dv_batch_release(&batch);
    return status;
}

static dv_status make_names(builder *b, const dv_batch **batch_out, dv_error *err)
{
    int32_t slots = 0;
    for (int32_t k = 0; k < b->c->n; k++) {
        DVI_TRY(append_names_of(b, k, slots, err));
        slots += dv_type_value_count(type_of(b->c, k));
    }
    const bool is_sparse = b->count < (size_t)slots / 2; /* semantics:3.2, builder */
    const int32_t count = is_sparse ? (int32_t)b->count : -1;
    if (!is_sparse)
        DVI_TRY(spread_ends(b, slots, err));
    const int64_t items = is_sparse ? count : slots;
    dv_column_view texts = {
        .type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = items};
    texts.as.text.utf8 = dvi_memory_buffer(b->utf8, 0, b->used, 1);
    texts.as.text.ends = dvi_memory_buffer(b->ends, 0, 4 * (size_t)items, 4);
    dv_column_view value = {
        .type = dv_type_vector(texts.type, slots), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    value.as.vector.length = slots;
    value.as.vector.indices = dvi_memory_buffer(b->slots, 0, is_sparse ? 4 * b->count : 0, 4);
    value.as.vector.items = &texts;
    dvi_memory *counts = NULL;
    DVI_TRY(append_number(&counts, 0, count, b->c->allocator, err));
    value.as.vector.counts = dvi_memory_buffer(counts, 0, 4, 4);
    const dv_status status = dvi_metadata_batch(batch_out, &value, b->c->allocator, err);
    dvi_memory_release(&counts);
    return status;
}

/* --- CategoricalSlotRanges -------------------------------------------------------------------- */

/* Append the ranges of source k, moved by `base`. A slot without an item is 0. */
static dv_status append_ranges_of(builder *b, int32_t k, int64_t base, dv_error *err)
{
    const dvi_combine *c = b->c;
    const dv_batch *batch;
    const int32_t i = find(c, k, DV_CATEGORICAL_SLOT_RANGES, are_ranges);
    if (i < 0)
        return DV_OK;
    DVI_TRY(dv_schema_metadata_value(c->schema, c->columns[k], i, &batch, err));
    const dv_value ranges = dv_value_first(dv_batch_column(batch, 0));
    dv_status status = DV_OK;
    for (int32_t slot = 0, next = 0; slot < ranges.length && status == DV_OK; slot++) {
        int32_t bound = 0;
        if (next < dv_value_items(&ranges) && dv_value_slot(&ranges, next) == slot) {
            const dv_value item = dv_value_item(&ranges, next++);
            bound = dv_value_i4(&item);
        }
        status = append_number(&b->ends, b->count++, (int32_t)((uint32_t)bound + (uint32_t)base),
                               c->allocator, err);
    }
    dv_batch_release(&batch);
    return status;
}

static dv_status make_ranges(builder *b, const dv_batch **batch_out, dv_error *err)
{
    static const int32_t dense = -1;
    int64_t base = 0;
    for (int32_t k = 0; k < b->c->n; k++) {
        DVI_TRY(append_ranges_of(b, k, base, err));
        base += dv_type_value_count(type_of(b->c, k));
    }
    const int32_t dims[] = {b->c->ranges, 2};
    const int64_t n = 2 * (int64_t)b->c->ranges;
    dv_column_view bounds = {.type = dv_type_of(DV_KIND_I4), .layout = DV_LAYOUT_FIXED, .rows = n};
    bounds.as.fixed.values = dvi_memory_buffer(b->ends, 0, 4 * (size_t)n, 4);
    dv_column_view value = {
        .type = dv_type_tensor(bounds.type, dims, 2), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    value.as.vector.length = value.type.size;
    value.as.vector.counts = (dv_buffer){&dense, 4, NULL, false, true};
    value.as.vector.items = &bounds;
    return dvi_metadata_batch(batch_out, &value, b->c->allocator, err);
}

/* --- Adding to the schema --------------------------------------------------------------------- */

enum { NAMES, RANGES };

static dv_status load(void *source, int64_t number, const dv_batch **batch_out, dv_error *err)
{
    builder b;
    *batch_out = NULL;
    dv_status status = start_builder(&b, source, err);
    if (status == DV_OK)
        status = number == NAMES ? make_names(&b, batch_out, err) : make_ranges(&b, batch_out, err);
    free_builder(&b);
    return status;
}

static dv_status add(const dvi_combine *c, dv_schema *schema, int32_t column, const char *kind,
                     dv_type type, int64_t number, dv_error *err)
{
    const dvi_metadata_source source = {load, (void *)(uintptr_t)c, number, NULL};
    return dvi_schema_add_metadata(schema, column, dv_text_of(kind), &type, &source, err);
}

/* Is source k normalized? The value is read now, because false counts as missing. */
static dv_status read_flag(const dvi_combine *c, int32_t k, bool *flag_out, dv_error *err)
{
    const dv_batch *batch;
    const int32_t i = find(c, k, DV_IS_NORMALIZED, is_flag);
    *flag_out = false;
    if (i < 0)
        return DV_OK;
    DVI_TRY(dv_schema_metadata_value(c->schema, c->columns[k], i, &batch, err));
    const dv_value value = dv_value_first(dv_batch_column(batch, 0));
    *flag_out = dv_value_i1(&value) == 1;
    dv_batch_release(&batch);
    return DV_OK;
}

/* The number of ranges of all sources; 0 if it exceeds RANGES_MAX. A type can declare any number at
 * no cost to the file, since slots without items take no bytes. */
static int32_t count_ranges(const dvi_combine *c)
{
    int64_t all = 0;
    for (int32_t k = 0; k < c->n; k++) {
        const int32_t i = find(c, k, DV_CATEGORICAL_SLOT_RANGES, are_ranges);
        if (i >= 0)
            all += dv_type_dim(&dv_schema_metadata(c->schema, c->columns[k], i)->type, 0);
    }
    return all <= RANGES_MAX ? (int32_t)all : 0;
}

dv_status dvi_combine_describe(const dvi_new_column *made, const dv_schema *source,
                               dv_schema *schema, int32_t column, dv_error *err)
{
    dvi_combine *c = (void *)(uintptr_t)made->mapped.params;
    const dv_type item = dv_type_item(&made->type);
    bool has_names = false, is_normalized = dv_type_is_number(&item);
    (void)source;
    for (int32_t k = 0; k < c->n && is_normalized; k++)
        DVI_TRY(read_flag(c, k, &is_normalized, err));
    if (is_normalized)
        DVI_TRY(dvi_mapper_add_normalized(schema, column, err));
    if (made->type.size == 0)
        return DV_OK;
    for (int32_t k = 0; k < c->n; k++)
        has_names =
            has_names || type_of(c, k)->rank == 0 || find(c, k, DV_SLOT_NAMES, are_names) >= 0;
    c->ranges = count_ranges(c);
    const int32_t dims[] = {c->ranges, 2};
    if (has_names)
        DVI_TRY(add(c, schema, column, DV_SLOT_NAMES,
                    dv_type_vector(dv_type_of(DV_KIND_TX), made->type.size), NAMES, err));
    if (c->ranges == 0)
        return DV_OK;
    return add(c, schema, column, DV_CATEGORICAL_SLOT_RANGES,
               dv_type_tensor(dv_type_of(DV_KIND_I4), dims, 2), RANGES, err);
}
