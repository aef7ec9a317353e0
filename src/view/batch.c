/* SPDX-License-Identifier: MIT */
/* batch.c: creates, fills and reuses batches. */
#include "view/batch.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/owner.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include <dataview/cursor_set.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* One column, and what the library keeps with it. */
typedef struct slot {
    const dv_type *type; /* the schema's, whose dims live as long as the view */
    bool is_filled;
    atomic_bool has_offsets; /* published once they are made */
    dvi_memory *offsets;     /* int64[2][rows + 1], made on request under the batch's lock */
    dvi_column column;       /* its items, the last member, only where a column has vectors */
} slot;

#define SCALAR_NBYTES (offsetof(slot, column) + offsetof(dvi_column, items))

/* A batch and its owner; callers see only `shown`. */
typedef struct batch {
    dv_batch shown;
    dv_owner owner;
    dv_allocator allocator;
    dv_view *view; /* one reference, or NULL */
    dvi_memory *ids;
    dv_buffer lent_ids;     /* of another batch, retained; empty if the ids are in `ids` */
    int64_t chunk;          /* of a cursor set */
    int64_t below;          /* dvi_batch_below */
    pthread_mutex_t making; /* guards the offsets of all slots while they are made */
    int32_t columns;
    size_t slot_nbytes; /* SCALAR_NBYTES, or all: there may be thousands of columns */
    _Alignas(slot) char slots[];
} batch;

/* Callers get const batches; only the library changes them. */
static batch *whole(const dv_batch *shown)
{
    return (batch *)(uintptr_t)shown;
}

static slot *slot_at(const batch *b, int32_t k)
{
    return (slot *)(void *)((char *)(uintptr_t)b->slots + (size_t)k * b->slot_nbytes);
}

static size_t slot_nbytes(const dv_type *const *types, int32_t columns)
{
    for (int32_t k = 0; k < columns; k++)
        if (dvi_layout_of(types[k]) == DV_LAYOUT_VECTOR)
            return sizeof(slot);
    return SCALAR_NBYTES;
}

static size_t batch_nbytes(int32_t columns, size_t slot_nbytes)
{
    return sizeof(batch) + (size_t)columns * slot_nbytes;
}

static void release_batch(dv_owner *owner)
{
    batch *b = (batch *)((char *)owner - offsetof(batch, owner));
    dvi_batch_clear(&b->shown);
    for (int32_t k = 0; k < b->columns; k++)
        dvi_memory_release(&slot_at(b, k)->offsets);
    dvi_memory_release(&b->ids);
    dv_view_release(&b->view);
    pthread_mutex_destroy(&b->making);
    const dv_allocator allocator = b->allocator;
    dvi_free(&allocator, b, batch_nbytes(b->columns, b->slot_nbytes));
}

dv_status dvi_batch_create(dv_batch **batch_out, dv_view *view, const dv_type *const *types,
                           int32_t columns, const dv_allocator *allocator, dv_error *err)
{
    void *made;
    const size_t nbytes = slot_nbytes(types, columns);
    *batch_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, batch_nbytes(columns, nbytes), err));
    batch *b = made;
    dvi_owner_init(&b->owner, release_batch);
    pthread_mutex_init(&b->making, NULL);
    b->allocator = dvi_allocator_of(allocator);
    b->columns = b->shown.columns = columns;
    b->slot_nbytes = nbytes;
    for (int32_t k = 0; k < columns; k++)
        slot_at(b, k)->type = types[k];
    if (view)
        dv_view_retain(view);
    b->view = view;
    *batch_out = &b->shown;
    return DV_OK;
}

dv_view *dvi_batch_view(const dv_batch *shown)
{
    return whole(shown)->view;
}

void dvi_batch_clear(dv_batch *shown)
{
    batch *b = whole(shown);
    for (int32_t k = 0; k < b->columns; k++) {
        slot *s = slot_at(b, k);
        if (s->is_filled)
            dvi_column_release(&s->column);
        s->is_filled = false;
        atomic_store_explicit(&s->has_offsets, false, memory_order_relaxed);
    }
    dv_buffer_release(&b->lent_ids);
    b->shown = (dv_batch){.columns = b->columns};
    b->chunk = b->below = 0;
}

int64_t dv_batch_chunk(const dv_batch *shown)
{
    return whole(shown)->chunk;
}

void dvi_batch_set_chunk(dv_batch *shown, int64_t chunk)
{
    whole(shown)->chunk = chunk;
}

void dvi_batch_set_below(dv_batch *shown, int64_t nbytes)
{
    whole(shown)->below = nbytes;
}

int64_t dvi_batch_below(const dv_batch *shown)
{
    return whole(shown)->below;
}

void dvi_batch_follow(dv_batch *shown, const dv_batch *source)
{
    whole(shown)->chunk = whole(source)->chunk;
    whole(shown)->below = whole(source)->below;
}

static size_t own_nbytes(const dv_buffer *buffer)
{
    return buffer->is_borrowed || !buffer->owner ? 0 : buffer->nbytes;
}

static size_t column_nbytes(const dv_column_view *view)
{
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        return own_nbytes(&view->as.fixed.values);
    case DV_LAYOUT_ZONED:
        return own_nbytes(&view->as.zoned.ticks) + own_nbytes(&view->as.zoned.minutes);
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        return own_nbytes(&view->as.text.utf8) + own_nbytes(&view->as.text.ends);
    case DV_LAYOUT_VECTOR:
        return own_nbytes(&view->as.vector.lengths) + own_nbytes(&view->as.vector.counts) +
               own_nbytes(&view->as.vector.indices) + column_nbytes(view->as.vector.items);
    }
    return 0;
}

size_t dvi_batch_nbytes(const dv_batch *shown)
{
    const batch *b = whole(shown);
    size_t nbytes = b->shown.ids ? (size_t)b->shown.rows * sizeof(dv_u128) : 0;
    for (int32_t k = 0; k < b->columns; k++)
        nbytes += column_nbytes(&slot_at(b, k)->column.view);
    return nbytes;
}

dv_status dvi_batch_show(dv_batch *shown, const dv_batch *other, int64_t first_row, dv_error *err)
{
    DVI_TRY(dv_batch_start(shown, first_row, other->rows, err));
    for (int32_t k = 0; k < shown->columns; k++)
        dvi_batch_set_slot(shown, k, dv_batch_column(other, k));
    if (other->ids) {
        const dv_column_view ids = dvi_batch_ids_column(other, other->rows);
        dvi_batch_lend_ids(shown, &ids.as.fixed.values);
    }
    return DV_OK;
}

bool dvi_batch_is_sole(const dv_batch *shown)
{
    return dvi_owner_is_sole(&whole(shown)->owner);
}

bool dvi_batch_is_full(const dv_batch *shown)
{
    const batch *b = whole(shown);
    for (int32_t k = 0; k < b->columns; k++)
        if (!slot_at(b, k)->is_filled)
            return false;
    return b->shown.rows > 0;
}

dv_column_view *dvi_batch_slot(dv_batch *shown, int32_t k)
{
    return &slot_at(whole(shown), k)->column.view;
}

void dvi_batch_set_slot(dv_batch *shown, int32_t k, const dv_column_view *view)
{
    slot *s = slot_at(whole(shown), k);
    dvi_column_assign(&s->column, view);
    dvi_column_retain(&s->column);
    s->column.view.type = *s->type;
    if (view->layout == DV_LAYOUT_VECTOR)
        s->column.items.type = dv_type_item(s->type);
    s->is_filled = true;
}

dv_status dvi_batch_reserve_ids(dv_batch *shown, dv_u128 **ids_out, dv_error *err)
{
    batch *b = whole(shown);
    size_t nbytes;
    *ids_out = NULL;
    if (!dvi_size_mul((size_t)b->shown.rows, sizeof(dv_u128), &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_memory_reserve(&b->ids, &b->allocator, nbytes, err));
    dv_buffer_release(&b->lent_ids);
    *ids_out = (dv_u128 *)(void *)b->ids->data;
    b->shown.ids = *ids_out;
    return DV_OK;
}

dv_status dvi_batch_number_rows(dv_batch *shown, dv_error *err)
{
    dv_u128 *ids;
    DVI_TRY(dvi_batch_reserve_ids(shown, &ids, err));
    for (int64_t i = 0; i < shown->rows; i++)
        ids[i] = (dv_u128){(uint64_t)(shown->first_row + i), 0};
    return DV_OK;
}

void dvi_batch_lend_ids(dv_batch *shown, const dv_buffer *ids)
{
    batch *b = whole(shown);
    dv_buffer_retain(ids);
    b->lent_ids = *ids;
    b->shown.ids = ids->data;
}

dv_column_view dvi_batch_ids_column(const dv_batch *shown, int64_t rows)
{
    batch *b = whole(shown);
    const bool is_lent = b->lent_ids.data;
    dv_column_view view = {.type = dv_type_of(DV_KIND_UG), .layout = DV_LAYOUT_FIXED, .rows = rows};
    view.as.fixed.values = (dv_buffer){shown->ids, (size_t)rows * sizeof *shown->ids,
                                       is_lent ? b->lent_ids.owner : &b->ids->owner, false, true};
    return view;
}

dv_status dv_batch_fill_ids(dv_batch *shown, const dv_u128 *given, dv_error *err)
{
    dv_u128 *ids;
    DVI_REQUIRE(shown->rows > 0, dvi_fail_argument(err, "set the rows of a batch before its ids"));
    DVI_TRY(dvi_batch_reserve_ids(shown, &ids, err));
    memcpy(ids, given, (size_t)shown->rows * sizeof *ids);
    return DV_OK;
}

const dv_column_view *dv_batch_column(const dv_batch *shown, int32_t k)
{
    const batch *b = whole(shown);
    const slot *s = k >= 0 && k < b->columns ? slot_at(b, k) : NULL;
    return s && s->is_filled ? &s->column.view : NULL;
}

void dv_batch_retain(const dv_batch *shown)
{
    dvi_owner_retain(&whole(shown)->owner);
}

void dv_batch_release(const dv_batch **shown)
{
    if (*shown)
        dvi_owner_release(&whole(*shown)->owner);
    *shown = NULL;
}

static void count_offsets(const dv_vector_layout *vector, int64_t rows, int64_t *indices,
                          int64_t *items)
{
    const dv_sparse sparse = dvi_vector_sparse(vector, rows);
    indices[0] = vector->index_base;
    items[0] = vector->item_base;
    dvi_kernels()->counts_offsets(indices, items, &sparse);
}

/* With the batch's lock held. */
static dv_status make_offsets(batch *b, slot *s, size_t n, dv_error *err)
{
    const dv_column_view *view = &s->column.view;
    size_t nbytes;
    if (!dvi_size_mul(n, 2 * sizeof(int64_t), &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_memory_reserve(&s->offsets, &b->allocator, nbytes, err));
    int64_t *offsets = (int64_t *)(void *)s->offsets->data;
    count_offsets(&view->as.vector, view->rows, offsets, offsets + n);
    atomic_store_explicit(&s->has_offsets, true, memory_order_release);
    return DV_OK;
}

dv_status dv_vector_offsets(const dv_batch *shown, int32_t k, const int64_t **indices_out,
                            const int64_t **items_out, dv_error *err)
{
    const dv_column_view *view = dv_batch_column(shown, k);
    if (!view || view->layout != DV_LAYOUT_VECTOR)
        return dvi_fail_argument(err, "column %d of the batch is not a vector", k);
    batch *b = whole(shown);
    slot *s = slot_at(b, k);
    const size_t n = (size_t)view->rows + 1;
    if (!atomic_load_explicit(&s->has_offsets, memory_order_acquire)) {
        pthread_mutex_lock(&b->making);
        const bool is_made = atomic_load_explicit(&s->has_offsets, memory_order_relaxed);
        const dv_status status = is_made ? DV_OK : make_offsets(b, s, n, err);
        pthread_mutex_unlock(&b->making);
        DVI_TRY(status);
    }
    const int64_t *offsets = (const int64_t *)(const void *)s->offsets->data;
    if (indices_out)
        *indices_out = offsets;
    if (items_out)
        *items_out = offsets + n;
    return DV_OK;
}

dv_status dv_batch_start(dv_batch *shown, int64_t first_row, int64_t rows, dv_error *err)
{
    if (rows < 1)
        return dvi_fail_argument(err, "a batch of %lld rows; at least one", (long long)rows);
    shown->first_row = first_row;
    shown->rows = rows;
    return DV_OK;
}

dv_status dv_batch_fill(dv_batch *shown, int32_t k, const dv_column_view *view, dv_error *err)
{
    batch *b = whole(shown);
    if (k < 0 || k >= b->columns || slot_at(b, k)->is_filled)
        return dvi_fail_argument(
            err, "column %d cannot be filled: the batch has %d, each filled once", k, b->columns);
    if (view->rows != shown->rows || !dv_type_equal(&view->type, slot_at(b, k)->type))
        return dvi_fail_argument(
            err, "column %d: its rows or its type differ from those of the batch", k);
    DVI_TRY(dvi_column_check(view, err));
    dvi_batch_set_slot(shown, k, view);
    return DV_OK;
}
