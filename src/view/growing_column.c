/* SPDX-License-Identifier: MIT */
/* growing_column.c: a column in memory to which rows of batches are appended.
 *
 * A vector is held as its lengths (always one per row), counts, indices and items. The items
 * are scalars, so the functions for scalars serve both scalar columns and the items of vectors. */
#include "view/growing_column.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "type/open_type.h"
#include <string.h>

/* A run of scalar rows in a column view. */
typedef struct run {
    const dv_column_view *view;
    int64_t first, rows;
} run;

/* The scalars of the first rows of a column: its values, or the items of its vectors. */
static run scalars_of(const dv_column_view *src, int64_t rows)
{
    if (src->layout != DV_LAYOUT_VECTOR)
        return (run){src, 0, rows};
    const dv_vector_layout *vector = &src->as.vector;
    return (run){vector->items, vector->item_base, dvi_vector_extent(vector, rows).items};
}

static dv_status grow_items(dvi_memory **memory, int64_t used, int64_t more, size_t width,
                            const dv_allocator *allocator, dv_error *err)
{
    size_t n, nbytes;
    if (!dvi_size_add((size_t)used, (size_t)more, &n) || !dvi_size_mul(n, width, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    return dvi_memory_extend(memory, (size_t)used * width, nbytes, allocator, err);
}

static size_t text_nbytes(run r)
{
    const dv_text_layout *text = &r.view->as.text;
    return (size_t)(dvi_text_end(text, r.first + r.rows) - dvi_text_end(text, r.first));
}

static dv_status reserve_scalars(dvi_growing_column *g, run r, const dv_allocator *allocator,
                                 dv_error *err)
{
    switch (r.view->layout) {
    case DV_LAYOUT_FIXED:
        DVI_TRY(
            grow_items(&g->values, g->items, r.rows, dvi_width_of(&r.view->type), allocator, err));
        return dvi_open_type_of(&r.view->type)
                   ? dvi_memory_keep(g->values, r.view->as.fixed.values.owner, err)
                   : DV_OK;
    case DV_LAYOUT_ZONED:
        DVI_TRY(grow_items(&g->values, g->items, r.rows, 8, allocator, err));
        return grow_items(&g->minutes, g->items, r.rows, 2, allocator, err);
    default:
        break;
    }
    const size_t nbytes = g->text + text_nbytes(r);
    if (nbytes > INT32_MAX)
        return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "text of one batch",
                        "at most 2^31-1 bytes|%zu", nbytes);
    DVI_TRY(dvi_memory_extend(&g->utf8, g->text, nbytes, allocator, err));
    return grow_items(&g->ends, g->items, r.rows, 4, allocator, err);
}

dv_status dvi_growing_reserve(dvi_growing_column *g, const dv_column_view *src, int64_t rows,
                              const dv_allocator *allocator, dv_error *err)
{
    if (src->layout == DV_LAYOUT_VECTOR) {
        const dvi_extent extent = dvi_vector_extent(&src->as.vector, rows);
        DVI_TRY(grow_items(&g->lengths, g->rows, rows, 4, allocator, err));
        DVI_TRY(grow_items(&g->counts, g->rows, rows, 4, allocator, err));
        DVI_TRY(grow_items(&g->slots, g->indices, extent.indices, 4, allocator, err));
    }
    return reserve_scalars(g, scalars_of(src, rows), allocator, err);
}

dv_status dvi_growing_values(dvi_growing_column *g, int64_t n, size_t width,
                             const dv_allocator *allocator, uint8_t **values_out, dv_error *err)
{
    DVI_TRY(grow_items(&g->values, g->items, n, width, allocator, err));
    *values_out = g->values->data + (size_t)g->items * width;
    g->items += n;
    g->rows += n;
    return DV_OK;
}

void dvi_growing_cut(dvi_growing_column *g, int64_t n)
{
    g->rows = g->items = n;
}

void dvi_growing_measure(dvi_growing_size *size, const dv_column_view *src, int64_t rows)
{
    const run r = scalars_of(src, rows);
    size->rows += rows;
    size->items += r.rows;
    if (src->layout == DV_LAYOUT_VECTOR)
        size->indices += dvi_vector_extent(&src->as.vector, rows).indices;
    if (r.view->layout == DV_LAYOUT_TEXT || r.view->layout == DV_LAYOUT_BYTES)
        size->text += text_nbytes(r);
}

/* The seven arrays of dvi_growing_column, with the number and width of their items. */
typedef struct arrays {
    dvi_memory **memory[7];
    int64_t items[7];
    size_t width[7];
} arrays;

static arrays list_arrays(dvi_growing_column *g, const dv_type *type, const dvi_growing_size *size)
{
    const dv_type item = type->rank > 0 ? dv_type_item(type) : *type;
    const dv_layout layout = dvi_layout_of(&item);
    const bool is_fixed = layout == DV_LAYOUT_FIXED, is_zoned = layout == DV_LAYOUT_ZONED;
    const bool is_vector = type->rank > 0, is_text = !is_fixed && !is_zoned;
    return (arrays){
        .memory = {&g->values, &g->minutes, &g->utf8, &g->ends, &g->lengths, &g->counts, &g->slots},
        .items = {size->items, size->items, (int64_t)size->text, size->items, size->rows,
                  size->rows, size->indices},
        .width = {is_fixed   ? dvi_width_of(&item)
                  : is_zoned ? 8u
                             : 0,
                  is_zoned ? 2u : 0, is_text, is_text ? 4u : 0,
                  is_vector && type->size == 0 ? 4u : 0, is_vector ? 4u : 0, is_vector ? 4u : 0}};
}

size_t dvi_growing_nbytes(const dv_type *type, const dvi_growing_size *size)
{
    dvi_growing_column none;
    const arrays a = list_arrays(&none, type, size);
    size_t sum = 0, nbytes;
    for (size_t i = 0; i < 7; i++)
        if (!dvi_size_mul((size_t)a.items[i], a.width[i], &nbytes) ||
            !dvi_size_add(sum, nbytes, &sum))
            return SIZE_MAX;
    return sum;
}

dv_status dvi_growing_allocate(dvi_growing_column *g, const dv_type *type,
                               const dvi_growing_size *size, const dv_allocator *allocator,
                               dv_error *err)
{
    const arrays a = list_arrays(g, type, size);
    if (dvi_growing_nbytes(type, size) == SIZE_MAX)
        return dvi_fail_memory(err, SIZE_MAX);
    for (size_t i = 0; i < 7; i++)
        if (a.width[i] > 0)
            DVI_TRY(
                dvi_memory_create(a.memory[i], allocator, (size_t)a.items[i] * a.width[i], err));
    return DV_OK;
}

static void copy_items(dvi_memory *dst, int64_t at, const dv_buffer *src, int64_t first, int64_t n,
                       size_t width)
{
    if (n > 0)
        memcpy(dst->data + (size_t)at * width, (const char *)src->data + (size_t)first * width,
               (size_t)n * width);
}

/* Copy the bytes, and move the ends by the distance between old and new position. */
static void append_text(dvi_growing_column *g, run r)
{
    const dv_text_layout *text = &r.view->as.text;
    const int32_t from = dvi_text_end(text, r.first);
    const size_t nbytes = text_nbytes(r);
    if (nbytes > 0)
        memcpy(g->utf8->data + g->text, (const char *)text->utf8.data + from, nbytes);
    if (r.rows > 0)
        dvi_kernels()->ends_move((int32_t *)(void *)g->ends->data + g->items,
                                 (const char *)text->ends.data + 4 * r.first, (size_t)r.rows,
                                 (int32_t)g->text - from);
    g->text += nbytes;
}

static void append_scalars(dvi_growing_column *g, run r)
{
    switch (r.view->layout) {
    case DV_LAYOUT_FIXED:
        copy_items(g->values, g->items, &r.view->as.fixed.values, r.first, r.rows,
                   dvi_width_of(&r.view->type));
        break;
    case DV_LAYOUT_ZONED:
        copy_items(g->values, g->items, &r.view->as.zoned.ticks, r.first, r.rows, 8);
        copy_items(g->minutes, g->items, &r.view->as.zoned.minutes, r.first, r.rows, 2);
        break;
    default:
        append_text(g, r);
        break;
    }
    g->items += r.rows;
}

/* One length per row, even if all are the same; none if dvi_growing_allocate made no array for
 * them.
 */
static void append_lengths(dvi_growing_column *g, const dv_vector_layout *vector, int64_t rows)
{
    if (!g->lengths)
        return;
    if (vector->lengths.nbytes > 0)
        copy_items(g->lengths, g->rows, &vector->lengths, 0, rows, 4);
    for (int64_t i = 0; vector->lengths.nbytes == 0 && i < rows; i++)
        dvi_store_i32(g->lengths->data + 4 * (g->rows + i), vector->length);
}

void dvi_growing_append(dvi_growing_column *g, const dv_column_view *src, int64_t rows)
{
    if (src->layout == DV_LAYOUT_VECTOR) {
        const dv_vector_layout *vector = &src->as.vector;
        const dvi_extent extent = dvi_vector_extent(vector, rows);
        append_lengths(g, vector, rows);
        copy_items(g->counts, g->rows, &vector->counts, 0, rows, 4);
        copy_items(g->slots, g->indices, &vector->indices, vector->index_base, extent.indices, 4);
        g->indices += extent.indices;
    }
    append_scalars(g, scalars_of(src, rows));
    g->rows += rows;
}

static void view_scalars(const dvi_growing_column *g, const dv_type *type, dv_column_view *view)
{
    const size_t n = (size_t)g->items;
    *view = (dv_column_view){.type = *type, .layout = dvi_layout_of(type), .rows = g->items};
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        view->as.fixed.values = dvi_memory_buffer(g->values, 0, n * dvi_width_of(type), 1);
        break;
    case DV_LAYOUT_ZONED:
        view->as.zoned.ticks = dvi_memory_buffer(g->values, 0, 8 * n, 8);
        view->as.zoned.minutes = dvi_memory_buffer(g->minutes, 0, 2 * n, 2);
        break;
    default:
        view->as.text.utf8 = dvi_memory_buffer(g->utf8, 0, g->text, 1);
        view->as.text.ends = dvi_memory_buffer(g->ends, 0, 4 * n, 4);
        break;
    }
}

void dvi_growing_view(const dvi_growing_column *g, const dv_type *type, dvi_column *column_out)
{
    if (type->rank == 0) {
        view_scalars(g, type, &column_out->view);
        return;
    }
    const dv_type item = dv_type_item(type);
    const size_t n = (size_t)g->rows;
    view_scalars(g, &item, &column_out->items);
    column_out->view = (dv_column_view){.type = *type, .layout = DV_LAYOUT_VECTOR, .rows = g->rows};
    dv_vector_layout *vector = &column_out->view.as.vector;
    vector->length = type->size;
    if (type->size == 0)
        vector->lengths = dvi_memory_buffer(g->lengths, 0, 4 * n, 4);
    vector->counts = dvi_memory_buffer(g->counts, 0, 4 * n, 4);
    vector->indices = dvi_memory_buffer(g->slots, 0, 4 * (size_t)g->indices, 4);
    vector->items = &column_out->items;
}

void dvi_growing_reset(dvi_growing_column *g)
{
    g->rows = g->indices = g->items = 0;
    g->text = 0;
}

void dvi_growing_free(dvi_growing_column *g)
{
    dvi_memory **all[] = {&g->values,  &g->minutes, &g->utf8, &g->ends,
                          &g->lengths, &g->counts,  &g->slots};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dvi_memory_release(all[i]);
}
