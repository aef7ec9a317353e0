/* SPDX-License-Identifier: MIT */
/* tf_handlena.c: writes values whose missing ones are replaced, then which were missing.
 *
 * A row is sparse if it has an item in at most half of the new slots (semantics:3.2). */
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "transform/tf_replacena_priv.h"
#include "transform/vector_rows.h"
#include <string.h>

typedef struct memory {
    dvi_memory *values, *lengths, *counts, *indices;
    dvi_memory *replaced; /* of a row */
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_memory_release(&m->values);
    dvi_memory_release(&m->lengths);
    dvi_memory_release(&m->counts);
    dvi_memory_release(&m->indices);
    dvi_memory_release(&m->replaced);
}

/* What has been written of a batch. */
typedef struct written {
    int64_t items, indices;
} written;

/* --- Rows ------------------------------------------------------------------------------------- */

/* A row of the source, and its values, replaced. */
typedef struct handled_row {
    const dvi_vector_row *row;
    const char *src, *replaced;
    size_t width;
} handled_row;

static bool is_missing(const handled_row *h, int32_t i)
{
    const char *p = h->src + (size_t)i * h->width;
    return h->width == 4 ? dvi_load_f4(p) != dvi_load_f4(p) : dvi_load_f8(p) != dvi_load_f8(p);
}

static void put_one(char *dst, size_t width)
{
    const float r4 = 1;
    const double r8 = 1;
    memcpy(dst, width == 4 ? (const void *)&r4 : (const void *)&r8, width);
}

static void write_dense(char *dst, const handled_row *h)
{
    const size_t width = h->width, length = (size_t)h->row->length;
    memset(dst, 0, 2 * length * width);
    for (int32_t i = 0; i < h->row->n; i++) {
        const size_t slot = (size_t)dvi_vector_row_slot(h->row, i);
        memcpy(dst + slot * width, h->replaced + (size_t)i * width, width);
        if (is_missing(h, i))
            put_one(dst + (length + slot) * width, width);
    }
}

static void write_sparse(char *dst, uint8_t *indices, const handled_row *h)
{
    const int32_t n = h->row->n;
    char *more = dst + (size_t)n * h->width;
    size_t used = (size_t)n;
    memcpy(dst, h->replaced, (size_t)n * h->width);
    for (int32_t i = 0; i < n; i++) {
        const int32_t slot = dvi_vector_row_slot(h->row, i);
        dvi_store_i32(indices + 4 * (size_t)i, slot);
        if (!is_missing(h, i))
            continue;
        dvi_store_i32(indices + 4 * used++, h->row->length + slot);
        put_one(more, h->width);
        more += h->width;
    }
}

static void write_row(memory *m, const handled_row *h, written *w)
{
    int64_t items = h->row->n;
    const int64_t row = h->row->row;
    char *dst = (char *)m->values->data + (size_t)w->items * h->width;
    for (int32_t i = 0; i < h->row->n; i++)
        items += is_missing(h, i);
    const bool is_dense = !h->row->slots || items > h->row->length;
    if (is_dense)
        write_dense(dst, h);
    else if (items > 0)
        write_sparse(dst, m->indices->data + 4 * w->indices, h);
    dvi_store_i32(m->counts->data + 4 * row, is_dense ? -1 : (int32_t)items);
    w->items += is_dense ? 2 * (int64_t)h->row->length : items;
    w->indices += is_dense ? 0 : items;
}

static dv_status write_rows(const dvi_filling *f, memory *m, const dv_column_view *src, written *w,
                            dv_error *err)
{
    const dvi_handlena *d = f->params;
    const dvi_elementwise *e = &d->replace.function;
    dvi_vector_row row = dvi_vector_rows(src);
    const char *items = row.items->as.fixed.values.data;
    const size_t width = dvi_width_of(&row.items->type);
    while (dvi_vector_rows_next(&row)) {
        handled_row h = {.row = &row, .width = width};
        const size_t n = (size_t)row.n;
        if (row.length > INT32_MAX / 2)
            return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "slots of a vector",
                            "at most 2^30-1|%d", (int)row.length);
        DVI_TRY(dvi_memory_reserve(&m->replaced, f->allocator, n * width, err));
        h.replaced = (const char *)m->replaced->data;
        if (n > 0) {
            h.src = items + (size_t)row.item * width;
            if (e->is_uniform)
                e->kind->map(e->state, m->replaced->data, h.src, NULL, 1, n);
            else
                e->kind->map(e->state, m->replaced->data, h.src, row.slots, n, 1);
        }
        if (f->type->size == 0)
            dvi_store_i32(m->lengths->data + 4 * row.row, 2 * row.length);
        write_row(m, &h, w);
    }
    return DV_OK;
}

/* A row has at most four times as many items as before: a dense one twice as many, and a sparse one
 * becomes dense only if more than a quarter of its new slots have an item before. */
static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    memory *m = f->memory;
    const size_t rows = (size_t)src->rows;
    const size_t items = src->layout == DV_LAYOUT_VECTOR
                             ? (size_t)dvi_vector_extent(&src->as.vector, src->rows).items
                             : rows;
    written w = {0, 0};
    dst->items = (dv_column_view){.type = dv_type_item(f->type), .layout = DV_LAYOUT_FIXED};
    const size_t width = dvi_width_of(&dst->items.type);
    DVI_TRY(dvi_memory_reserve(&m->values, f->allocator, 4 * items * width, err));
    DVI_TRY(dvi_memory_reserve(&m->indices, f->allocator, 2 * items * 4, err));
    DVI_TRY(dvi_memory_reserve(&m->counts, f->allocator, 4 * rows, err));
    if (f->type->size == 0)
        DVI_TRY(dvi_memory_reserve(&m->lengths, f->allocator, 4 * rows, err));
    DVI_TRY(write_rows(f, m, src, &w, err));
    dst->items.rows = w.items;
    dst->items.as.fixed.values = dvi_memory_buffer(m->values, 0, (size_t)w.items * width, width);
    dvi_column_set_vectors(dst, f->type, src->rows, m->lengths, m->counts, m->indices, w.indices);
    return DV_OK;
}

/* --- Planning --------------------------------------------------------------------------------- */

static void identify(const void *params, dv_identity *identity)
{
    const dvi_elementwise *e = &((const dvi_handlena *)params)->replace.function;
    e->kind->identify(e->state, identity);
}

static const dvi_maker handlena_maker = {.name = "handlena",
                                         .identify = identify,
                                         .describe = dvi_handlena_describe,
                                         .fill = fill,
                                         .memory = sizeof(memory),
                                         .release = release_memory};

dv_status dvi_handlena_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                            int32_t column, const void *options, dv_error *err)
{
    const dv_type *type = &dv_schema_column(source, column)->type;
    void *room;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_handlena), err));
    dvi_handlena *h = room;
    h->schema = source;
    h->column = column;
    h->allocator = arena->allocator;
    DVI_TRY(dvi_replacena_set(&h->replace, type, options, err));
    if (type->size > INT32_MAX / 2)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.13", -1, "slots of a vector",
                        "at most 2^30-1|%d", (int)type->size);
    column_out->type = dv_type_vector(dv_type_item(type), 2 * dv_type_value_count(type));
    column_out->mapped = (dvi_mapped){&handlena_maker, h, &h->column, 1};
    return DV_OK;
}
