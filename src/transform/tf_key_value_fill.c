/* SPDX-License-Identifier: MIT */
/* tf_key_value_fill.c: looks up the values of keys (semantics:7.3).
 *
 * Each key becomes a row of the table of values, and the kernels of gathering copy these rows. */
#include "base/check.h"
#include "base/load.h"
#include "simd/dispatch.h"
#include "transform/key_positions.h"
#include "transform/tf_key_value_priv.h"
#include <string.h>

#define HOLES_MOST (INT64_C(1) << 27) /* slots of a batch without an item that become NA */

typedef dvi_key_value_memory memory;

void dvi_key_value_free(void *of)
{
    memory *m = of;
    dvi_memory **all[] = {&m->rows, &m->spread, &m->counts, &m->first, &m->second};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dvi_memory_release(all[i]);
}

/* --- Rows of the table ------------------------------------------------------------------------ */

/* The row of a key by its position, if not all keys have a value. */
static int32_t find_row(const dvi_key_value *v, uint32_t position)
{
    int32_t low = 0, high = v->stored;
    if (position == DVI_NO_POSITION)
        return v->stored;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (dvi_load_u32(v->slots + 4 * (size_t)middle) < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low < v->stored && dvi_load_u32(v->slots + 4 * (size_t)low) == position ? low
                                                                                   : v->stored + 1;
}

/* Find the rows of n keys, from `first` on. */
static dv_status find_rows(const dvi_filling *f, const dv_column_view *keys, int64_t first,
                           int64_t n, dv_error *err)
{
    const dvi_key_value *v = f->params;
    memory *m = f->memory;
    const uint32_t absent = (uint32_t)v->stored;
    DVI_TRY(dvi_memory_reserve(&m->rows, f->allocator, 4 * (size_t)n, err));
    uint32_t *rows = (uint32_t *)(void *)m->rows->data;
    dvi_key_positions(rows, keys, first, (size_t)n, v->count);
    if (v->slots)
        for (int64_t i = 0; i < n; i++)
            rows[i] = (uint32_t)find_row(v, rows[i]);
    else
        for (int64_t i = 0; i < n; i++)
            rows[i] = rows[i] == DVI_NO_POSITION ? absent : rows[i];
    return DV_OK;
}

static int64_t count_slots(const dv_vector_layout *vector, int64_t rows)
{
    int64_t slots = 0;
    if (vector->lengths.nbytes == 0)
        return rows * vector->length;
    for (int64_t row = 0; row < rows; row++)
        slots += dvi_vector_length(vector, row);
    return slots;
}

/* Write the rows of all slots of a vector whose items have these rows; NULL: as many as slots. */
static void spread_row(uint32_t *dst, int32_t length, const uint32_t *rows, const char *slots,
                       int32_t n, uint32_t absent)
{
    if (!slots) {
        memcpy(dst, rows, 4 * (size_t)length);
        return;
    }
    for (int32_t slot = 0; slot < length; slot++)
        dst[slot] = absent;
    for (int32_t i = 0; i < n; i++)
        dst[dvi_load_i32(slots + 4 * (size_t)i)] = rows[i];
}

/* Give every slot a row: those without an item are NA. */
static dv_status spread_rows(const dvi_filling *f, const dv_vector_layout *vector, int64_t slots,
                             dv_error *err)
{
    const dvi_key_value *v = f->params;
    memory *m = f->memory;
    int64_t index = vector->index_base;
    DVI_TRY(dvi_memory_reserve(&m->spread, f->allocator, 4 * (size_t)slots, err));
    uint32_t *dst = (uint32_t *)(void *)m->spread->data;
    const uint32_t *rows = (const uint32_t *)(const void *)m->rows->data;
    for (int64_t row = 0; row < f->batch->rows; row++) {
        const int32_t length = dvi_vector_length(vector, row);
        const int32_t count = dvi_vector_count(vector, row);
        const char *own = count > 0 ? (const char *)vector->indices.data + 4 * index : "";
        spread_row(dst, length, rows, count < 0 ? NULL : own, count, (uint32_t)v->stored);
        dst += length;
        rows += count < 0 ? length : count;
        index += count < 0 ? 0 : count;
    }
    return DV_OK;
}

/* --- Values ----------------------------------------------------------------------------------- */

static void gather_fixed(void *dst, const void *src, const void *rows, size_t n, size_t width)
{
    const dvi_kernel_table *kernels = dvi_kernels();
    switch (width) {
    case 1:
        kernels->gather_1(dst, src, rows, n);
        break;
    case 2:
        kernels->gather_2(dst, src, rows, n);
        break;
    case 4:
        kernels->gather_4(dst, src, rows, n);
        break;
    case 8:
        kernels->gather_8(dst, src, rows, n);
        break;
    default:
        kernels->gather_16(dst, src, rows, n);
        break;
    }
}

static dv_status copy_fixed(dvi_memory **own, dv_buffer *dst, const dv_buffer *src,
                            const void *rows, size_t n, size_t width, const dv_allocator *allocator,
                            dv_error *err)
{
    DVI_TRY(dvi_memory_reserve(own, allocator, n * width, err));
    gather_fixed((*own)->data, src->data, rows, n, width);
    *dst = dvi_memory_buffer(*own, 0, n * width, width);
    return DV_OK;
}

static dv_status copy_texts(const dvi_filling *f, dv_text_layout *dst, const void *rows, size_t n,
                            dv_error *err)
{
    const dv_text_layout *src = &((const dvi_key_value *)f->params)->table.as.text;
    memory *m = f->memory;
    int32_t nbytes;
    DVI_TRY(dvi_memory_reserve(&m->first, f->allocator, 4 * n, err));
    int32_t *ends = (int32_t *)(void *)m->first->data;
    if (dvi_kernels()->gather_ends(ends, src->ends.data, 0, rows, n, 0, &nbytes) < n)
        return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "text of one batch",
                        "at most 2^31-1 bytes|more");
    DVI_TRY(dvi_filling_check(f, (size_t)nbytes, err));
    DVI_TRY(dvi_memory_reserve(&m->second, f->allocator, (size_t)nbytes, err));
    dvi_kernels()->gather_text(m->second->data, (size_t)nbytes, src->utf8.data, src->utf8.nbytes,
                               src->ends.data, 0, rows, n);
    dst->ends = dvi_memory_buffer(m->first, 0, 4 * n, 4);
    dst->utf8 = dvi_memory_buffer(m->second, 0, (size_t)nbytes, 1);
    return DV_OK;
}

/* Make a column of n scalars of these rows of the table. */
static dv_status copy_values(const dvi_filling *f, dv_column_view *dst, const void *rows, int64_t n,
                             dv_error *err)
{
    const dv_column_view *table = &((const dvi_key_value *)f->params)->table;
    memory *m = f->memory;
    const size_t all = (size_t)n;
    *dst = (dv_column_view){.type = table->type, .layout = table->layout, .rows = n};
    switch (table->layout) {
    case DV_LAYOUT_FIXED:
        return copy_fixed(&m->first, &dst->as.fixed.values, &table->as.fixed.values, rows, all,
                          dvi_width_of(&table->type), f->allocator, err);
    case DV_LAYOUT_ZONED:
        DVI_TRY(copy_fixed(&m->first, &dst->as.zoned.ticks, &table->as.zoned.ticks, rows, all, 8,
                           f->allocator, err));
        return copy_fixed(&m->second, &dst->as.zoned.minutes, &table->as.zoned.minutes, rows, all,
                          2, f->allocator, err);
    default:
        return copy_texts(f, &dst->as.text, rows, all, err);
    }
}

/* --- A batch ---------------------------------------------------------------------------------- */

/* Make the vector dense, with `slots` items in all. */
static dv_status fill_holes(const dvi_filling *f, dvi_column *dst, int64_t slots, dv_error *err)
{
    memory *m = f->memory;
    dv_vector_layout *vector = &dst->view.as.vector;
    const size_t nbytes = 4 * (size_t)f->batch->rows;
    DVI_TRY(dvi_memory_reserve(&m->counts, f->allocator, nbytes, err));
    DVI_TRY(spread_rows(f, vector, slots, err));
    memset(m->counts->data, 0xFF, nbytes);
    vector->counts = dvi_memory_buffer(m->counts, 0, nbytes, 4);
    vector->indices = (dv_buffer){0};
    vector->index_base = 0;
    return copy_values(f, &dst->items, m->spread->data, slots, err);
}

/* Only the items change, unless slots without an item are NA. */
static dv_status fill_vectors(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dvi_key_value *v = f->params;
    memory *m = f->memory;
    dv_vector_layout *vector = &dst->view.as.vector;
    const int64_t items = dvi_vector_extent(vector, dst->view.rows).items;
    const int64_t slots = v->has_na ? count_slots(vector, dst->view.rows) : items;
    if (slots - items > HOLES_MOST)
        return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "slots without an item",
                        "at most 2^27 in a batch|%lld", (long long)(slots - items));
    DVI_TRY(find_rows(f, vector->items, vector->item_base, items, err));
    DVI_TRY(slots > items ? fill_holes(f, dst, slots, err)
                          : copy_values(f, &dst->items, m->rows->data, items, err));
    vector->items = &dst->items;
    vector->item_base = 0;
    return DV_OK;
}

dv_status dvi_key_value_fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dvi_key_value *v = f->params;
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    memory *m = f->memory;
    if (v->is_vector) {
        dst->view = *src;
        dst->view.type = *f->type;
        return fill_vectors(f, dst, err);
    }
    DVI_TRY(find_rows(f, src, 0, src->rows, err));
    return copy_values(f, &dst->view, m->rows->data, src->rows, err);
}
