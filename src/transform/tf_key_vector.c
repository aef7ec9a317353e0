/* SPDX-License-Identifier: MIT */
/* tf_key_vector.c: plans a column of vectors that are made of keys, and its metadata
 * (semantics:7.3). */
#include "transform/tf_key_vector.h"
#include "base/check.h"
#include "type/schema.h"
#include "view/identity.h"
#include "view/metadata.h"
#include "transform/key_names.h"
#include "transform/key_positions.h"
#include "transform/tf_key_vector_priv.h"
#include <dataview/value.h>

#define RANGES_MAX (1 << 23) /* metadata of 64 MiB */

/* Is there a group of slots for each slot of the source? Otherwise there is one group. */
static bool has_groups(const dvi_key_vector *v)
{
    return v->is_vector && !v->bag;
}

/* --- SlotNames -------------------------------------------------------------------------------- */

static dv_type names_type(const dvi_key_vector *v)
{
    dv_type type = v->type;
    type.kind = DV_KIND_TX;
    return type;
}

/* The texts of the keys are the names, whatever the dims of the KeyValues. */
static dv_status copy_texts(const dv_batch **batch_out, const dvi_key_vector *v,
                            const dv_batch *texts, dv_error *err)
{
    dv_column_view value = *dv_batch_column(texts, 0);
    value.type = names_type(v);
    return dvi_metadata_batch(batch_out, &value, &v->allocator, err);
}

static dv_status load_names(void *source, int64_t number, const dv_batch **batch_out, dv_error *err)
{
    const dvi_key_vector *v = source;
    const dv_batch *batch;
    *batch_out = NULL;
    DVI_TRY(dv_schema_metadata_value(v->schema, v->column, (int32_t)number, &batch, err));
    const dv_value texts = dv_value_first(dv_batch_column(batch, 0));
    const dv_type type = names_type(v);
    const dv_status status = has_groups(v)
                                 ? dvi_key_names_of_slots(batch_out, &type, v->schema, v->column,
                                                          &texts, &v->allocator, err)
                                 : copy_texts(batch_out, v, batch, err);
    dv_batch_release(&batch);
    return status;
}

static dv_status add_names(const dvi_key_vector *v, dv_schema *schema, int32_t column,
                           dv_error *err)
{
    const int32_t texts = dvi_key_texts(v->schema, v->column);
    const dv_type type = names_type(v);
    const dvi_metadata_source source = {load_names, (void *)(uintptr_t)v, texts, NULL};
    if (texts < 0 || v->type.size == 0)
        return DV_OK;
    return dvi_schema_add_metadata(schema, column, dv_text_of(DV_SLOT_NAMES), &type, &source, err);
}

/* --- CategoricalSlotRanges -------------------------------------------------------------------- */

static int32_t count_ranges(const dvi_key_vector *v)
{
    return v->type.size / (int32_t)v->count;
}

/* Each group of slots is a range. */
static dv_status load_ranges(void *source, int64_t number, const dv_batch **batch_out,
                             dv_error *err)
{
    static const int32_t dense = -1;
    const dvi_key_vector *v = source;
    const int32_t n = count_ranges(v), dims[] = {n, 2}, count = (int32_t)v->count;
    dvi_memory *memory;
    (void)number;
    *batch_out = NULL;
    DVI_TRY(dvi_memory_create(&memory, &v->allocator, 8 * (size_t)n, err));
    int32_t *bounds = (int32_t *)(void *)memory->data;
    for (int32_t i = 0; i < n; i++) {
        bounds[2 * i] = i * count;
        bounds[2 * i + 1] = i * count + count - 1;
    }
    dv_column_view items = {
        .type = dv_type_of(DV_KIND_I4), .layout = DV_LAYOUT_FIXED, .rows = 2 * (int64_t)n};
    items.as.fixed.values = dvi_memory_buffer(memory, 0, 8 * (size_t)n, 4);
    dv_column_view value = {
        .type = dv_type_tensor(items.type, dims, 2), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    value.as.vector.length = value.type.size;
    value.as.vector.counts = (dv_buffer){&dense, sizeof dense, NULL, false, true};
    value.as.vector.items = &items;
    const dv_status status = dvi_metadata_batch(batch_out, &value, &v->allocator, err);
    dvi_memory_release(&memory);
    return status;
}

/* None if the size varies, or if there are more than anyone can want. */
static dv_status add_ranges(const dvi_key_vector *v, dv_schema *schema, int32_t column,
                            dv_error *err)
{
    const int32_t dims[] = {count_ranges(v), 2};
    if (v->bag || dims[0] < 1 || dims[0] > RANGES_MAX)
        return DV_OK;
    const dv_type type = dv_type_tensor(dv_type_of(DV_KIND_I4), dims, 2);
    const dvi_metadata_source source = {load_ranges, (void *)(uintptr_t)v, 0, NULL};
    return dvi_schema_add_metadata(schema, column, dv_text_of(DV_CATEGORICAL_SLOT_RANGES), &type,
                                   &source, err);
}

/* --- Planning --------------------------------------------------------------------------------- */

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const dvi_key_vector *v = made->mapped.params;
    (void)source;
    DVI_TRY(add_names(v, schema, column, err));
    DVI_TRY(add_ranges(v, schema, column, err));
    if (v->bag && v->is_vector)
        return DV_OK;
    return dvi_mapper_add_normalized(schema, column, err);
}

static void identify(const void *params, dv_identity *identity)
{
    dvi_identity_add_i8(identity, ((const dvi_key_vector *)params)->bag);
}

static const dvi_maker vector_maker = {.name = "vector",
                                       .identify = identify,
                                       .describe = describe,
                                       .fill = dvi_key_vector_fill,
                                       .memory = sizeof(dvi_key_vector_memory),
                                       .release = dvi_key_vector_free};

/* Several groups are a dim of their own. */
static dv_status find_type(dvi_key_vector *v, const dv_type *from, dv_error *err)
{
    const dv_type item = dv_type_of(DV_KIND_R4);
    const int32_t count = (int32_t)v->count;
    if (!has_groups(v) || from->size == 1) {
        v->type = dv_type_vector(item, count);
        return DV_OK;
    }
    const int64_t size = (int64_t)from->size * count;
    if (size > INT32_MAX)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.3", -1, "slots of a vector",
                        "at most 2^31-1|%lld", (long long)size);
    v->dims[0] = from->size;
    v->dims[1] = count;
    v->type = dv_type_tensor(item, v->dims, 2);
    return DV_OK;
}

dv_status dvi_key_vector_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                              int32_t column, const void *options, dv_error *err)
{
    const dv_type *from = &dv_schema_column(source, column)->type;
    void *room;
    DVI_TRY(dvi_key_check(from, err));
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_key_vector), err));
    dvi_key_vector *v = room;
    v->schema = source;
    v->column = column;
    v->allocator = arena->allocator;
    v->count = (uint32_t)from->key_count;
    v->bag = ((const dvi_key_vector_options *)options)->bag;
    v->is_vector = from->rank > 0;
    DVI_TRY(find_type(v, from, err));
    column_out->type = v->type;
    column_out->mapped = (dvi_mapped){&vector_maker, v, &v->column, 1};
    return DV_OK;
}
