/* SPDX-License-Identifier: MIT */
/* tf_dropslots.c: plans a column of vectors without some slots, and its metadata
 * (semantics:7.17). */
#include "base/check.h"
#include "base/size.h"
#include "type/schema.h"
#include "view/identity.h"
#include "view/metadata.h"
#include "transform/key_names.h"
#include "transform/tf_dropslots_priv.h"
#include <dataview/value.h>
#include <stdlib.h>
#include <string.h>

#define RANGES_MAX (1 << 23) /* CategoricalSlotRanges of 64 MiB */

/* --- Ranges ----------------------------------------------------------------------------------- */

int32_t dvi_dropslots_before(const dvi_dropslots *d, int32_t slot)
{
    size_t low = 0, high = d->n; /* ranges that begin below the slot */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (d->ranges[middle].first < slot)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return slot;
    const dvi_dropped_range *range = &d->ranges[low - 1];
    const int32_t inside = range->last >= slot ? range->last - slot + 1 : 0;
    return slot - (range->dropped - inside);
}

static int compare_ranges(const void *a, const void *b)
{
    const dvi_dropped_range *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Sort the ranges, and join those that overlap or touch. Returns how many are left. */
static size_t join_ranges(dvi_dropped_range *ranges, size_t n)
{
    size_t used = 0;
    qsort(ranges, n, sizeof *ranges, compare_ranges);
    for (size_t i = 0; i < n; i++) {
        dvi_dropped_range *last = used > 0 ? &ranges[used - 1] : NULL;
        if (last && ranges[i].first <= (int64_t)last->last + 1) {
            last->last = ranges[i].last > last->last ? ranges[i].last : last->last;
            continue;
        }
        ranges[used++] = ranges[i];
    }
    int32_t dropped = 0;
    for (size_t i = 0; i < used; i++)
        ranges[i].dropped = dropped += ranges[i].last - ranges[i].first + 1;
    return used;
}

/* Slot 2^31-1 does not exist, so that sums of slots fit. */
static dv_status set_ranges(dvi_dropslots *d, dvi_arena *arena,
                            const dvi_dropslots_options *options, dv_error *err)
{
    void *room;
    DVI_TRY(dvi_arena_alloc(arena, &room, options->n * sizeof(dvi_dropped_range), err));
    dvi_dropped_range *ranges = room;
    size_t n = 0;
    for (size_t i = 0; i < options->n; i++) {
        const dvi_slot_range *range = &options->ranges[i];
        const int32_t last = range->last < INT32_MAX ? range->last : INT32_MAX - 1;
        if (range->first <= last)
            ranges[n++] = (dvi_dropped_range){range->first, last, 0};
    }
    d->ranges = ranges;
    d->n = n > 0 ? join_ranges(ranges, n) : 0;
    return DV_OK;
}

/* --- Metadata --------------------------------------------------------------------------------- */

/* The names are a vector of the same slots. */
static dv_status load_names(void *source, int64_t number, const dv_batch **batch_out, dv_error *err)
{
    const dvi_dropslots *d = source;
    const dv_batch *names;
    const dv_type type = dv_type_vector(dv_type_of(DV_KIND_TX), d->kept);
    dvi_dropslots_memory memory = {.lengths = NULL};
    dvi_column kept;
    *batch_out = NULL;
    DVI_TRY(dv_schema_metadata_value(d->schema, d->column, (int32_t)number, &names, err));
    dv_status status = dvi_dropslots_vectors(d, &memory, &kept, &type, dv_batch_column(names, 0),
                                             &d->allocator, err);
    if (status == DV_OK)
        status = dvi_metadata_batch(batch_out, &kept.view, &d->allocator, err);
    dvi_dropslots_free(&memory);
    dv_batch_release(&names);
    return status;
}

static dv_status add_names(const dvi_dropslots *d, dv_schema *schema, int32_t column, dv_error *err)
{
    const int32_t i = dvi_key_slot_names(d->schema, d->column);
    const dv_type type = dv_type_vector(dv_type_of(DV_KIND_TX), d->kept);
    const dvi_metadata_source names = {load_names, (void *)(uintptr_t)d, i, NULL};
    if (i < 0 || d->kept == 0)
        return DV_OK;
    return dvi_schema_add_metadata(schema, column, dv_text_of(DV_SLOT_NAMES), &type, &names, err);
}

/* Write the ranges of categories, two slots each, that have slots left. Returns how many. */
static int32_t move_ranges(int32_t *dst, const dvi_dropslots *d, const dv_value *ranges)
{
    int32_t n = 0, next = 0;
    for (int32_t i = 0; i < ranges->length; i++) {
        int32_t bound = 0;
        if (next < dv_value_items(ranges) && dv_value_slot(ranges, next) == i) {
            const dv_value item = dv_value_item(ranges, next++);
            bound = dv_value_i4(&item);
        }
        dst[2 * n + i % 2] = bound;
        if (i % 2 == 0 || dst[2 * n] < 0 || bound < dst[2 * n] || bound >= d->slots)
            continue;
        dst[2 * n] = dvi_dropslots_before(d, dst[2 * n]);
        dst[2 * n + 1] = dvi_dropslots_before(d, bound + 1) - 1;
        n += dst[2 * n + 1] >= dst[2 * n];
    }
    return n;
}

static dv_status set_categories(dv_schema *schema, int32_t column, dvi_memory *bounds, int32_t n,
                                dv_error *err)
{
    static const int32_t dense = -1;
    const int32_t dims[] = {n, 2};
    dv_column_view items = {
        .type = dv_type_of(DV_KIND_I4), .layout = DV_LAYOUT_FIXED, .rows = 2 * (int64_t)n};
    items.as.fixed.values = dvi_memory_buffer(bounds, 0, 8 * (size_t)n, 4);
    dv_column_view value = {
        .type = dv_type_tensor(items.type, dims, 2), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    value.as.vector.length = 2 * n;
    value.as.vector.counts = (dv_buffer){&dense, sizeof dense, NULL, false, true};
    value.as.vector.items = &items;
    return dv_schema_add_metadata(schema, column, dv_text_of(DV_CATEGORICAL_SLOT_RANGES), &value,
                                  err);
}

/* The type depends on how many categories have slots left, so the value is read now. */
static dv_status add_categories(const dvi_dropslots *d, dv_schema *schema, int32_t column,
                                int32_t i, dv_error *err)
{
    const dv_type *type = &dv_schema_metadata(d->schema, d->column, i)->type;
    const dv_batch *batch;
    dvi_memory *bounds;
    if (d->kept == 0 || type->kind != DV_KIND_I4 || type->rank != 2 || dv_type_dim(type, 1) != 2 ||
        dv_type_dim(type, 0) < 1 || dv_type_dim(type, 0) > RANGES_MAX)
        return DV_OK;
    DVI_TRY(dv_schema_metadata_value(d->schema, d->column, i, &batch, err));
    /* A range that is left out is overwritten by the next one. */
    dv_status status = dvi_memory_create(&bounds, &d->allocator, 4 * ((size_t)type->size + 2), err);
    if (status == DV_OK) {
        const dv_value value = dv_value_first(dv_batch_column(batch, 0));
        const int32_t n = move_ranges((int32_t *)(void *)bounds->data, d, &value);
        if (n > 0)
            status = set_categories(schema, column, bounds, n, err);
        dvi_memory_release(&bounds);
    }
    dv_batch_release(&batch);
    return status;
}

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const dvi_dropslots *d = made->mapped.params;
    const int32_t n = dv_schema_column(source, d->column)->metadata_count;
    for (int32_t i = 0; i < n; i++) {
        const dv_text kind = dv_schema_metadata(source, d->column, i)->kind;
        if (dv_text_equal(kind, dv_text_of(DV_SLOT_NAMES)))
            DVI_TRY(add_names(d, schema, column, err));
        else if (dv_text_equal(kind, dv_text_of(DV_CATEGORICAL_SLOT_RANGES)))
            DVI_TRY(add_categories(d, schema, column, i, err));
        else
            DVI_TRY(dvi_inherit_metadata(schema, column, source, d->column, i, err));
    }
    return DV_OK;
}

/* --- Planning --------------------------------------------------------------------------------- */

static void identify(const void *params, dv_identity *identity)
{
    const dvi_dropslots *d = params;
    dvi_identity_add_i8(identity, (int64_t)d->n);
    for (size_t i = 0; i < d->n; i++) {
        dvi_identity_add_i8(identity, d->ranges[i].first);
        dvi_identity_add_i8(identity, d->ranges[i].last);
    }
}

static const dvi_maker dropslots_maker = {.name = "dropslots",
                                          .identify = identify,
                                          .describe = describe,
                                          .fill = dvi_dropslots_fill,
                                          .memory = sizeof(dvi_dropslots_memory),
                                          .release = dvi_dropslots_free};

dv_status dvi_dropslots_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                             int32_t column, const void *options, dv_error *err)
{
    const dv_type *from = &dv_schema_column(source, column)->type;
    void *room;
    if (from->kind == DV_KIND_EXTENSION)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.17", -1, "values with slots",
                        "no extension|%s", from->extension);
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_dropslots), err));
    dvi_dropslots *d = room;
    *d = (dvi_dropslots){.schema = source, .column = column, .allocator = arena->allocator};
    d->slots = dv_type_value_count(from);
    DVI_TRY(set_ranges(d, arena, options, err));
    d->kept = dvi_dropslots_before(d, d->slots);
    column_out->mapped = (dvi_mapped){&dropslots_maker, d, &d->column, 1};
    column_out->type = *from;
    if (d->slots > 0 && d->kept == d->slots)
        column_out->mapped.maker = &dvi_same_column;
    else if (from->rank > 0)
        column_out->type =
            dv_type_vector(dv_type_item(from), d->slots > 0 && d->kept == 0 ? 1 : d->kept);
    return DV_OK;
}
