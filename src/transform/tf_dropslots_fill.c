/* SPDX-License-Identifier: MIT */
/* tf_dropslots_fill.c: copies the slots that are kept. */
#include "base/check.h"
#include "base/size.h"
#include "transform/tf_dropslots_priv.h"
#include "transform/vector_rows.h"

typedef dvi_dropslots_memory memory;

void dvi_dropslots_free(void *of)
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
    if (n <= 0)
        return DV_OK;
    dvi_column_advance(&part, first);
    DVI_TRY(dvi_growing_reserve(&m->items, &part, n, allocator, err));
    dvi_growing_append(&m->items, &part, n);
    return DV_OK;
}

static dv_status append_dense(const dvi_dropslots *d, memory *m, const dvi_vector_row *row,
                              const dv_allocator *allocator, dv_error *err)
{
    int64_t slot = 0;
    for (size_t i = 0; i < d->n && d->ranges[i].first < row->length; i++) {
        DVI_TRY(append(m, row->items, row->item + slot, d->ranges[i].first - slot, allocator, err));
        slot = (int64_t)d->ranges[i].last + 1;
    }
    return append(m, row->items, row->item + slot, row->length - slot, allocator, err);
}

/* *used: the indices written so far. */
static dv_status append_sparse(const dvi_dropslots *d, memory *m, const dvi_vector_row *row,
                               int64_t *used, const dv_allocator *allocator, dv_error *err)
{
    int32_t waiting = 0; /* items up to this one that are kept */
    for (int32_t i = 0; i < row->n; i++) {
        const int32_t slot = dvi_vector_row_slot(row, i);
        const int32_t now = dvi_dropslots_before(d, slot);
        if (dvi_dropslots_before(d, slot + 1) > now) {
            dvi_store_i32(m->indices->data + 4 * (*used)++, now);
            waiting++;
            continue;
        }
        DVI_TRY(append(m, row->items, row->item + i - waiting, waiting, allocator, err));
        waiting = 0;
    }
    return append(m, row->items, row->item + row->n - waiting, waiting, allocator, err);
}

/* A row whose only slot has no item. */
static void write_default(memory *m, int64_t row)
{
    dvi_store_i32(m->counts->data + 4 * row, 0);
}

static dv_status append_rows(const dvi_dropslots *d, memory *m, const dv_column_view *src,
                             int64_t *used, const dv_allocator *allocator, dv_error *err)
{
    dvi_vector_row row = dvi_vector_rows(src);
    *used = 0;
    while (dvi_vector_rows_next(&row)) {
        const int64_t before = *used;
        if (m->lengths)
            dvi_store_i32(m->lengths->data + 4 * row.row, dvi_dropslots_before(d, row.length));
        if (d->slots > 0 && d->kept == 0) {
            write_default(m, row.row);
            continue;
        }
        if (row.slots)
            DVI_TRY(append_sparse(d, m, &row, used, allocator, err));
        else
            DVI_TRY(append_dense(d, m, &row, allocator, err));
        dvi_store_i32(m->counts->data + 4 * row.row, row.slots ? (int32_t)(*used - before) : -1);
    }
    return DV_OK;
}

/* --- A batch ---------------------------------------------------------------------------------- */

dv_status dvi_dropslots_vectors(const dvi_dropslots *d, memory *m, dvi_column *dst,
                                const dv_type *type, const dv_column_view *src,
                                const dv_allocator *allocator, dv_error *err)
{
    const dv_column_view *items = src->as.vector.items;
    const size_t rows = (size_t)src->rows;
    const int64_t indices = dvi_vector_extent(&src->as.vector, src->rows).indices;
    int64_t used;
    dvi_column made;
    dvi_growing_reset(&m->items);
    DVI_TRY(dvi_growing_reserve(&m->items, items, 0, allocator, err)); /* also without items */
    if (type->size == 0)
        DVI_TRY(dvi_memory_reserve(&m->lengths, allocator, 4 * rows, err));
    DVI_TRY(dvi_memory_reserve(&m->counts, allocator, 4 * rows, err));
    DVI_TRY(dvi_memory_reserve(&m->indices, allocator, 4 * (size_t)indices, err));
    DVI_TRY(append_rows(d, m, src, &used, allocator, err));
    dvi_growing_view(&m->items, &items->type, &made);
    dst->items = made.view;
    dvi_column_set_vectors(dst, type, src->rows, m->lengths, m->counts, m->indices, used);
    return DV_OK;
}

/* Scalars: the only slot is dropped. */
static dv_status fill_scalars(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    memory *m = f->memory;
    const dv_column_view value = dvi_column_of_default(f->type);
    dvi_growing_reset(&m->items);
    for (int64_t row = 0; row < f->batch->rows; row++)
        DVI_TRY(append(m, &value, 0, 1, f->allocator, err));
    dvi_growing_view(&m->items, f->type, dst);
    return DV_OK;
}

dv_status dvi_dropslots_fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    if (src->layout != DV_LAYOUT_VECTOR)
        return fill_scalars(f, dst, err);
    return dvi_dropslots_vectors(f->params, f->memory, dst, f->type, src, f->allocator, err);
}
