/* SPDX-License-Identifier: MIT */
/* row_ref.c: scattered rows, copied one after the other.
 *
 * A vector is copied as its length, its count, its slots, and its items.  Items are a run of
 * scalars; a scalar is a run of one. */
#include "gather/row_ref.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include <string.h>

/* Scalars that one row has. */
typedef struct run {
    const dvi_kept_column *column;
    int64_t first, n;
} run;

const dv_type *dvi_row_type(const dv_cursor_request *request, int32_t k)
{
    static const dv_type id = {.kind = DV_KIND_UG};
    return k < request->columns_count
               ? &dv_schema_column(request->schema, request->columns[k])->type
               : &id;
}

/* --- Kept columns ----------------------------------------------------------------------------- */

static const uint8_t *item_of(const dv_buffer *buffer, int64_t at, size_t width)
{
    return buffer->nbytes > 0 ? (const uint8_t *)buffer->data + (size_t)at * width : NULL;
}

static void make_scalars(dvi_kept_column *column, const dv_column_view *view, int64_t first)
{
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        column->values = item_of(&view->as.fixed.values, first, dvi_width_of(&view->type));
        break;
    case DV_LAYOUT_ZONED:
        column->values = item_of(&view->as.zoned.ticks, first, 8);
        column->more = item_of(&view->as.zoned.minutes, first, 2);
        break;
    default:
        column->values = item_of(&view->as.text.ends, first, 4);
        column->more = view->as.text.utf8.data;
        column->text_nbytes = view->as.text.utf8.nbytes;
        column->first = view->rows > 0 ? dvi_text_end(&view->as.text, first) : 0;
        break;
    }
}

/* How many indices and items there are from the first row on. */
static dvi_extent room_of(const dv_vector_layout *vector)
{
    return (dvi_extent){(int64_t)(vector->indices.nbytes / 4) - vector->index_base,
                        vector->items->rows - vector->item_base};
}

/* All rows are dense and have the same length. */
static bool is_regular(const dv_vector_layout *vector, int64_t rows)
{
    if (vector->lengths.nbytes > 0 || vector->length == 0)
        return false;
    const dvi_extent extent = dvi_vector_extent(vector, rows), room = room_of(vector);
    return extent.indices == 0 && extent.items == rows * vector->length &&
           extent.items <= room.items;
}

/* Are these offsets of n rows into `most` elements? */
static bool are_offsets(const int64_t *offsets, int64_t n, int64_t most)
{
    bool are = offsets[n] <= most;
    for (int64_t i = 0; i < n; i++)
        are &= offsets[i] <= offsets[i + 1];
    return are;
}

static dv_status make_offsets(dvi_kept_column *column, const dv_vector_layout *vector, int64_t rows,
                              dvi_memory **memory, const dv_allocator *allocator, dv_error *err)
{
    size_t nbytes;
    const size_t n = (size_t)rows + 1;
    if (!dvi_size_mul(n, 2 * sizeof(int64_t), &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_memory_reserve(memory, allocator, nbytes, err));
    int64_t *offsets = (int64_t *)(void *)(*memory)->data;
    const dv_sparse sparse = dvi_vector_sparse(vector, rows);
    offsets[0] = offsets[n] = 0;
    const dvi_extent room = room_of(vector);
    dvi_kernels()->counts_offsets(offsets, offsets + n, &sparse);
    if (!are_offsets(offsets, rows, room.indices) || !are_offsets(offsets + n, rows, room.items))
        return dvi_fail_changed(err, -1, "counts of vectors");
    column->index_at = offsets;
    column->item_at = offsets + n;
    return DV_OK;
}

dv_status dvi_kept_column_make(dvi_kept_column *column, const dv_column_view *view,
                               dvi_memory **memory, const dv_allocator *allocator, dv_error *err)
{
    *column = (dvi_kept_column){0};
    if (view->layout != DV_LAYOUT_VECTOR) {
        make_scalars(column, view, 0);
        return DV_OK;
    }
    const dv_vector_layout *vector = &view->as.vector;
    const dvi_extent room = room_of(vector);
    if (room.indices < 0 || room.items < 0) /* their bases add up counts of rows before */
        return dvi_fail_changed(err, -1, "counts of vectors");
    column->length = vector->length;
    column->lengths = item_of(&vector->lengths, 0, 4);
    column->counts = vector->counts.data;
    column->slots = item_of(&vector->indices, vector->index_base, 4);
    make_scalars(column, vector->items, vector->item_base);
    return is_regular(vector, view->rows)
               ? DV_OK
               : make_offsets(column, vector, view->rows, memory, allocator, err);
}

static int32_t length_of(const dvi_kept_column *column, int64_t row)
{
    return column->lengths ? dvi_load_i32(column->lengths + 4 * row) : column->length;
}

static run scalars_of(const dvi_row_ref *ref, int32_t k, bool is_vector)
{
    const dvi_kept_column *column = &ref->columns[k];
    if (!is_vector)
        return (run){column, ref->row, 1};
    if (!column->item_at)
        return (run){column, ref->row * column->length, column->length};
    const int64_t at = column->item_at[ref->row];
    return (run){column, at, column->item_at[ref->row + 1] - at};
}

static int64_t slots_of(const dvi_row_ref *ref, int32_t k)
{
    const dvi_kept_column *column = &ref->columns[k];
    return column->index_at ? column->index_at[ref->row + 1] - column->index_at[ref->row] : 0;
}

/* Where text i of a column starts: the end of the one before. */
static int32_t text_start(const dvi_kept_column *column, int64_t i)
{
    return i > 0 ? dvi_load_i32(column->values + 4 * (i - 1)) & INT32_MAX : column->first;
}

/* Where the texts of a run are; false: no text can be there. */
static bool find_text(run r, int32_t *start_out, size_t *nbytes_out)
{
    const int32_t start = text_start(r.column, r.first), end = text_start(r.column, r.first + r.n);
    *start_out = start;
    *nbytes_out = (size_t)(end - start);
    return start <= end && (size_t)end <= r.column->text_nbytes;
}

static size_t text_nbytes(run r)
{
    int32_t start;
    size_t nbytes;
    return r.n > 0 && find_text(r, &start, &nbytes) ? nbytes : 0;
}

/* All rows are dense, have the same length, and items of a fixed width. */
static bool is_matrix(const dvi_row_ref *refs, int32_t k, int64_t n, dv_layout layout)
{
    if (layout != DV_LAYOUT_FIXED)
        return false;
    const int32_t length = refs[0].columns[k].length;
    for (int64_t i = 0; i < n; i++)
        if (refs[i].columns[k].item_at || refs[i].columns[k].length != length)
            return false;
    return true;
}

/* --- Memory ----------------------------------------------------------------------------------- */

static dv_status grow(dvi_memory **memory, int64_t used, int64_t more, size_t width,
                      const dv_allocator *allocator, dv_error *err)
{
    size_t n, nbytes;
    if (!dvi_size_add((size_t)used, (size_t)more, &n) || !dvi_size_mul(n, width, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    return dvi_memory_extend(memory, (size_t)used * width, nbytes, allocator, err);
}

/* What all rows together have. */
typedef struct total {
    int64_t slots, items;
    size_t text;
} total;

static total add_up(const dv_type *type, int32_t k, const dvi_row_ref *refs, int64_t n)
{
    const dv_type item = dv_type_item(type);
    const dv_layout layout = dvi_layout_of(&item);
    const bool is_text = layout == DV_LAYOUT_TEXT || layout == DV_LAYOUT_BYTES;
    total sum = {0, type->rank > 0 ? 0 : n, 0};
    if (type->rank > 0 && n > 0 && is_matrix(refs, k, n, layout)) {
        sum.items = n * refs[0].columns[k].length;
        return sum;
    }
    for (int64_t i = 0; i < n && (type->rank > 0 || is_text); i++) {
        const run r = scalars_of(&refs[i], k, type->rank > 0);
        if (type->rank > 0) {
            sum.slots += slots_of(&refs[i], k);
            sum.items += r.n;
        }
        if (is_text)
            sum.text += text_nbytes(r);
    }
    return sum;
}

size_t dvi_row_refs_measure(const dv_type *type, int32_t k, const dvi_row_ref *refs, int64_t n)
{
    const total sum = add_up(type, k, refs, n);
    const dvi_growing_size size = {
        .rows = n, .indices = sum.slots, .items = sum.items, .text = sum.text};
    return dvi_growing_nbytes(type, &size);
}

dv_status dvi_row_refs_reserve(dvi_growing_column *g, const dv_type *type, int32_t k,
                               const dvi_row_ref *refs, int64_t n, const dv_allocator *allocator,
                               dv_error *err)
{
    const dv_type item = dv_type_item(type);
    const total sum = add_up(type, k, refs, n);
    if (type->rank > 0) {
        DVI_TRY(grow(&g->lengths, g->rows, n, 4, allocator, err));
        DVI_TRY(grow(&g->counts, g->rows, n, 4, allocator, err));
        DVI_TRY(grow(&g->slots, g->indices, sum.slots, 4, allocator, err));
    }
    switch (dvi_layout_of(&item)) {
    case DV_LAYOUT_FIXED:
        return grow(&g->values, g->items, sum.items, dvi_width_of(&item), allocator, err);
    case DV_LAYOUT_ZONED:
        DVI_TRY(grow(&g->values, g->items, sum.items, 8, allocator, err));
        return grow(&g->minutes, g->items, sum.items, 2, allocator, err);
    default:
        break;
    }
    if (sum.text > INT32_MAX - g->text)
        return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "text of one batch",
                        "at most 2^31-1 bytes|%zu", g->text + sum.text);
    DVI_TRY(dvi_memory_extend(&g->utf8, g->text, g->text + sum.text, allocator, err));
    return grow(&g->ends, g->items, sum.items, 4, allocator, err);
}

/* --- Copies ----------------------------------------------------------------------------------- */

static void copy_minutes(uint8_t *dst, int32_t k, const dvi_row_ref *refs, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(dst + 2 * i, refs[i].columns[k].more + 2 * refs[i].row, 2);
}

/* Bytes of text that a gather can still take: fewer than were reserved if ends have changed. */
static size_t text_room(const dvi_growing_column *g)
{
    const size_t cap = g->utf8 ? g->utf8->cap : 0;
    return (cap < INT32_MAX ? cap : INT32_MAX) - g->text;
}

/* Copy the ends of texts, and check the copies. */
static bool copy_ends(dvi_growing_column *g, run r, int32_t by, size_t nbytes)
{
    int32_t *ends = (int32_t *)(void *)g->ends->data + g->items;
    int32_t last;
    dvi_kernels()->ends_move(ends, r.column->values + 4 * r.first, (size_t)r.n, by);
    const size_t sound =
        dvi_kernels()->ends_check(NULL, ends, (size_t)r.n, (int32_t)g->text, &last);
    return sound == (size_t)r.n && (size_t)last == g->text + nbytes;
}

/* False: the file changes. */
static bool copy_text(dvi_growing_column *g, run r)
{
    int32_t start;
    size_t nbytes;
    if (r.n == 0)
        return true;
    if (!find_text(r, &start, &nbytes) || nbytes > text_room(g))
        return false;
    if (nbytes > 0)
        memcpy(g->utf8->data + g->text, r.column->more + start, nbytes);
    if (!copy_ends(g, r, (int32_t)g->text - start, nbytes))
        return false;
    g->text += nbytes;
    g->items += r.n;
    return true;
}

/* The texts of single rows. */
static bool copy_texts(dvi_growing_column *g, int32_t k, const dvi_row_ref *refs, int64_t n)
{
    if (n == 0)
        return true;
    int32_t *ends = (int32_t *)(void *)g->ends->data + g->items;
    size_t text = g->text, left = text_room(g);
    for (int64_t i = 0; i < n; i++) {
        const dvi_kept_column *column = &refs[i].columns[k];
        const int32_t start = text_start(column, refs[i].row);
        const uint32_t word = dvi_load_u32(column->values + 4 * refs[i].row);
        const int32_t end = (int32_t)(word & INT32_MAX);
        const size_t nbytes = (size_t)(end - start);
        if (start > end || (size_t)end > column->text_nbytes || nbytes > left)
            return false;
        if (nbytes > 0)
            memcpy(g->utf8->data + text, column->more + start, nbytes);
        text += nbytes;
        left -= nbytes;
        ends[i] = (int32_t)((uint32_t)text | (word & ~(uint32_t)INT32_MAX));
    }
    g->text = text;
    g->items += n;
    return true;
}

/* False: the file changes. */
static bool copy_run(dvi_growing_column *g, dv_layout layout, size_t width, run r)
{
    if (r.n == 0)
        return true;
    if (layout == DV_LAYOUT_FIXED) {
        memcpy(g->values->data + (size_t)g->items * width,
               r.column->values + (size_t)r.first * width, (size_t)r.n * width);
    } else if (layout == DV_LAYOUT_ZONED) {
        memcpy(g->values->data + 8 * g->items, r.column->values + 8 * r.first, 8 * (size_t)r.n);
        memcpy(g->minutes->data + 2 * g->items, r.column->more + 2 * r.first, 2 * (size_t)r.n);
    } else {
        return copy_text(g, r);
    }
    g->items += r.n;
    return true;
}

/* Copy length, count and slots of a row of so many items. False: they do not agree, so the file
 * changes. */
static bool copy_head(dvi_growing_column *g, const dvi_row_ref *ref, int32_t k, int64_t to,
                      int64_t items)
{
    const dvi_kept_column *column = &ref->columns[k];
    const int32_t length = length_of(column, ref->row);
    const int32_t count = dvi_load_i32(column->counts + 4 * ref->row);
    const int64_t slots = slots_of(ref, k);
    dvi_store_i32(g->lengths->data + 4 * to, length);
    dvi_store_i32(g->counts->data + 4 * to, count);
    if (slots > 0)
        memcpy(g->slots->data + 4 * g->indices, column->slots + 4 * column->index_at[ref->row],
               4 * (size_t)slots);
    g->indices += slots;
    return count < 0 ? items == length && slots == 0 : items == count && slots == count;
}

/* Check the slots of the rows from `first` on, which were copied, and whose first index is number
 * `index`. */
static bool are_slots(const dvi_growing_column *g, int64_t first, int64_t n, int64_t index)
{
    const dv_sparse rows = {.n = (size_t)n,
                            .lengths = g->lengths->data + 4 * first,
                            .counts = g->counts->data + 4 * first,
                            .indices = g->slots->data + 4 * index};
    const size_t slots = (size_t)(g->indices - index);
    int64_t sums[2];
    return slots == 0 || (dvi_kernels()->counts_check(&rows, 0, sums) == rows.n &&
                          dvi_kernels()->indices_check(&rows, slots) == slots);
}

static void append_matrix(dvi_growing_column *g, int32_t k, const dvi_row_ref *refs, int64_t n,
                          size_t width)
{
    const int32_t length = refs[0].columns[k].length;
    const size_t nbytes = (size_t)length * width;
    memset(g->counts->data + 4 * g->rows, 0xFF, 4 * (size_t)n); /* -1: dense */
    for (int64_t i = 0; i < n; i++)
        dvi_store_i32(g->lengths->data + 4 * (g->rows + i), length);
    dvi_row_refs_copy(g->values->data + (size_t)g->items * width, nbytes, k, refs, n, nbytes);
    g->items += n * length;
}

static bool append_vectors(dvi_growing_column *g, const dv_type *item, int32_t k,
                           const dvi_row_ref *refs, int64_t n)
{
    const dv_layout layout = dvi_layout_of(item);
    const size_t width = dvi_width_of(item);
    if (is_matrix(refs, k, n, layout)) {
        append_matrix(g, k, refs, n, width);
        return true;
    }
    const int64_t index = g->indices;
    for (int64_t i = 0; i < n; i++) {
        const run items = scalars_of(&refs[i], k, true);
        if (!copy_head(g, &refs[i], k, g->rows + i, items.n) || !copy_run(g, layout, width, items))
            return false;
    }
    return are_slots(g, g->rows, n, index);
}

/* False: the file changes. */
static bool append(dvi_growing_column *g, const dv_type *type, int32_t k, const dvi_row_ref *refs,
                   int64_t n)
{
    const dv_type item = dv_type_item(type);
    const size_t width = dvi_width_of(&item);
    if (type->rank > 0)
        return append_vectors(g, &item, k, refs, n);
    switch (dvi_layout_of(type)) {
    case DV_LAYOUT_FIXED:
        dvi_row_refs_copy(g->values->data + (size_t)g->items * width, width, k, refs, n, width);
        g->items += n;
        break;
    case DV_LAYOUT_ZONED:
        dvi_row_refs_copy(g->values->data + g->items * 8, 8, k, refs, n, 8);
        copy_minutes(g->minutes->data + g->items * 2, k, refs, n);
        g->items += n;
        break;
    default:
        return copy_texts(g, k, refs, n);
    }
    return true;
}

dv_status dvi_row_refs_append(dvi_growing_column *g, const dv_type *type, int32_t k,
                              const dvi_row_ref *refs, int64_t n, dv_error *err)
{
    if (!append(g, type, k, refs, n))
        return dvi_fail_changed(err, -1, "rows of the file");
    g->rows += n;
    return DV_OK;
}

int64_t dvi_row_refs_nbytes(const dvi_growing_column *g, const dv_type *type)
{
    const dv_type item = dv_type_item(type);
    const int64_t width =
        dvi_layout_of(&item) == DV_LAYOUT_FIXED ? (int64_t)dvi_width_of(&item) : 8;
    return g->items * width + 4 * g->indices + (int64_t)g->text;
}

/* --- Slots of a vector ------------------------------------------------------------------------ */

int32_t dvi_row_ref_length(const dvi_row_ref *ref, int32_t k)
{
    return length_of(&ref->columns[k], ref->row);
}

/* Which slots a sparse row stores may be in a file that changes: others are passed. */
static void copy_stored(const dvi_row_ref *ref, int32_t k, size_t width, int32_t first, int32_t n,
                        uint8_t *dst)
{
    const dvi_kept_column *column = &ref->columns[k];
    const run items = scalars_of(ref, k, true);
    memset(dst, 0, (size_t)n * width);
    for (int64_t i = 0; i < items.n; i++) {
        const int64_t slot = dvi_load_i32(column->slots + 4 * (column->index_at[ref->row] + i));
        if (slot >= first && slot - first < n)
            memcpy(dst + (size_t)(slot - first) * width,
                   column->values + (size_t)(items.first + i) * width, width);
    }
}

dv_status dvi_row_ref_slots(const dvi_row_ref *ref, int32_t k, size_t width, int32_t first,
                            int32_t n, uint8_t *dst, dv_error *err)
{
    const run items = scalars_of(ref, k, true);
    const int64_t slots = slots_of(ref, k);
    const bool is_dense = slots == 0 && items.n > 0;
    if (is_dense ? items.n - first < n : items.n != slots)
        return dvi_fail_changed(err, -1, "rows of the file");
    if (is_dense)
        memcpy(dst, items.column->values + (size_t)(items.first + first) * width,
               (size_t)n * width);
    else
        copy_stored(ref, k, width, first, n, dst);
    return DV_OK;
}
