/* SPDX-License-Identifier: MIT */
/* column.c: references, checks and slices of column views. */
#include "view/column.h"
#include "base/check.h"
#include "base/load.h"
#include "base/owner.h"
#include "base/size.h"
#include "simd/dispatch.h"

/* Adds or drops the reference to a buffer. */
typedef void change_refs(const dv_buffer *buffer);

static inline void change_scalar(const dv_column_view *view, change_refs *change)
{
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        change(&view->as.fixed.values);
        return;
    case DV_LAYOUT_ZONED:
        change(&view->as.zoned.ticks);
        change(&view->as.zoned.minutes);
        return;
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        change(&view->as.text.utf8);
        change(&view->as.text.ends);
        return;
    case DV_LAYOUT_VECTOR:
        return;
    }
}

static inline void change_all(const dvi_column *column, change_refs *change)
{
    const dv_vector_layout *vector = &column->view.as.vector;
    if (column->view.layout != DV_LAYOUT_VECTOR) {
        change_scalar(&column->view, change);
        return;
    }
    change(&vector->lengths);
    change(&vector->counts);
    change(&vector->indices);
    change_scalar(&column->items, change);
}

static inline void retain(const dv_buffer *buffer)
{
    dvi_owner_retain(buffer->owner);
}

static inline void release(const dv_buffer *buffer)
{
    dvi_owner_release(buffer->owner);
}

/* Only a vector has items; dst->items is not read otherwise. */
void dvi_column_assign(dvi_column *dst, const dv_column_view *src)
{
    dst->view = *src;
    if (src->layout == DV_LAYOUT_VECTOR) {
        dst->items = *src->as.vector.items;
        dst->view.as.vector.items = &dst->items;
    }
}

void dvi_column_retain(const dvi_column *column)
{
    change_all(column, retain);
}

void dvi_column_release(dvi_column *column)
{
    change_all(column, release);
    column->view = (dv_column_view){0};
}

static inline void let_stay(const dv_buffer *buffer)
{
    if (buffer->owner)
        buffer->owner->stays = true;
}

void dvi_column_will_stay(const dvi_column *column)
{
    change_all(column, let_stay);
}

dv_layout dvi_layout_of(const dv_type *type)
{
    if (type->rank > 0)
        return DV_LAYOUT_VECTOR;
    switch (type->kind) {
    case DV_KIND_TX:
        return DV_LAYOUT_TEXT;
    case DV_KIND_BY:
        return DV_LAYOUT_BYTES;
    case DV_KIND_DZ:
        return DV_LAYOUT_ZONED;
    default:
        return DV_LAYOUT_FIXED;
    }
}

size_t dvi_width_of(const dv_type *type)
{
    return (size_t)(type->kind == DV_KIND_EXTENSION ? type->extension_width
                                                    : dv_kind_width(type->kind));
}

dv_column_view dvi_column_of_default(const dv_type *type)
{
    static const uint64_t zeros[2];
    const dv_buffer none = {zeros, sizeof zeros, NULL, false, true};
    dv_column_view value = {.type = *type, .layout = dvi_layout_of(type), .rows = 1};
    if (value.layout == DV_LAYOUT_FIXED)
        value.as.fixed.values = none;
    else if (value.layout == DV_LAYOUT_ZONED)
        value.as.zoned = (dv_zoned_layout){none, none};
    else
        value.as.text = (dv_text_layout){none, none, 0};
    return value;
}

void dvi_column_set_vectors(dvi_column *dst, const dv_type *type, int64_t rows, dvi_memory *lengths,
                            dvi_memory *counts, dvi_memory *indices, int64_t n)
{
    dst->view = (dv_column_view){.type = *type, .layout = DV_LAYOUT_VECTOR, .rows = rows};
    dv_vector_layout *vector = &dst->view.as.vector;
    vector->length = type->size;
    if (type->size == 0)
        vector->lengths = dvi_memory_buffer(lengths, 0, 4 * (size_t)rows, 4);
    vector->counts = dvi_memory_buffer(counts, 0, 4 * (size_t)rows, 4);
    vector->indices = dvi_memory_buffer(indices, 0, 4 * (size_t)n, 4);
    vector->items = &dst->items;
}

int32_t dvi_vector_length(const dv_vector_layout *vector, int64_t row)
{
    if (vector->lengths.nbytes == 0)
        return vector->length;
    return dvi_load_i32((const char *)vector->lengths.data + 4 * row);
}

int32_t dvi_vector_count(const dv_vector_layout *vector, int64_t row)
{
    return dvi_load_i32((const char *)vector->counts.data + 4 * row);
}

/* Item `at` of a buffer. An empty buffer may have no address. */
static const void *item_at(const dv_buffer *buffer, int64_t at, size_t width)
{
    return buffer->data ? (const uint8_t *)buffer->data + (size_t)at * width : NULL;
}

dv_sparse dvi_vector_sparse(const dv_vector_layout *vector, int64_t rows)
{
    dv_sparse sparse = {.n = (size_t)rows, .length = vector->length, .counts = vector->counts.data};
    if (vector->lengths.nbytes > 0)
        sparse.lengths = vector->lengths.data;
    sparse.indices = item_at(&vector->indices, vector->index_base, sizeof(int32_t));
    const dv_column_view *items = vector->items;
    if (items->layout == DV_LAYOUT_FIXED)
        sparse.items =
            item_at(&items->as.fixed.values, vector->item_base, dvi_width_of(&items->type));
    return sparse;
}

dvi_extent dvi_vector_extent(const dv_vector_layout *vector, int64_t rows)
{
    const dv_sparse sparse = dvi_vector_sparse(vector, rows);
    int64_t sums[2];
    dvi_kernels()->counts_check(&sparse, 0, sums);
    return (dvi_extent){sums[0], sums[1]};
}

int32_t dvi_text_end(const dv_text_layout *text, int64_t rows)
{
    if (rows == 0)
        return text->first;
    return dvi_load_i32((const char *)text->ends.data + 4 * (rows - 1)) & INT32_MAX;
}

static dv_status check_buffer(const dv_buffer *buffer, int64_t n, size_t width, const char *what,
                              dv_error *err)
{
    size_t need;
    if (n < 0 || !dvi_size_mul((size_t)n, width, &need) || buffer->nbytes < need)
        return dvi_fail_argument(err, "%s: %lld items of %zu bytes do not fit in %zu bytes", what,
                                 (long long)n, width, buffer->nbytes);
    return DV_OK;
}

static dv_status check_scalar(const dv_column_view *view, dv_error *err)
{
    const dv_type *type = &view->type;
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        return check_buffer(&view->as.fixed.values, view->rows, dvi_width_of(type), "values", err);
    case DV_LAYOUT_ZONED:
        DVI_TRY(check_buffer(&view->as.zoned.ticks, view->rows, 8, "ticks", err));
        return check_buffer(&view->as.zoned.minutes, view->rows, 2, "minutes", err);
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        DVI_TRY(check_buffer(&view->as.text.ends, view->rows, 4, "ends", err));
        return check_buffer(&view->as.text.utf8, dvi_text_end(&view->as.text, view->rows), 1,
                            "text", err);
    case DV_LAYOUT_VECTOR:
        break;
    }
    return dvi_fail_argument(err, "a vector cannot be the item of a vector");
}

static dv_status fail_length(const dv_vector_layout *vector, int64_t row, dv_error *err)
{
    return dvi_fail_argument(err, "row %lld has %d slots", (long long)row,
                             dvi_vector_length(vector, row));
}

/* Check that lengths are those of the type, and counts from -1 to the length. */
static dv_status check_lengths(const dv_column_view *view, dv_error *err)
{
    const dv_vector_layout *vector = &view->as.vector;
    DVI_TRY(check_buffer(&vector->counts, view->rows, 4, "counts", err));
    if (vector->lengths.nbytes > 0)
        DVI_TRY(check_buffer(&vector->lengths, view->rows, 4, "lengths", err));
    const dv_sparse sparse = dvi_vector_sparse(vector, view->rows);
    int64_t sums[2];
    const int64_t valid = (int64_t)dvi_kernels()->counts_check(&sparse, 0, sums);
    const int64_t n = sparse.lengths ? valid : dvi_min_i64(valid, 1); /* different lengths */
    for (int64_t i = 0; view->type.size > 0 && i < n; i++)
        if (dvi_vector_length(vector, i) != view->type.size)
            return fail_length(vector, i, err);
    if (valid == view->rows)
        return DV_OK;
    if (dvi_vector_length(vector, valid) < 0)
        return fail_length(vector, valid, err);
    return dvi_fail_argument(err, "row %lld has %d items in %d slots", (long long)valid,
                             dvi_vector_count(vector, valid), dvi_vector_length(vector, valid));
}

dv_status dvi_column_check(const dv_column_view *view, dv_error *err)
{
    if (view->layout != dvi_layout_of(&view->type))
        return dvi_fail_argument(err, "layout %d does not fit the type", (int)view->layout);
    if (view->layout != DV_LAYOUT_VECTOR)
        return check_scalar(view, err);

    const dv_vector_layout *vector = &view->as.vector;
    if (!vector->items || vector->index_base < 0 || vector->item_base < 0)
        return dvi_fail_argument(err, "a vector without items, or with a negative base");
    const dv_type item = dv_type_item(&view->type);
    if (!dv_type_equal(&vector->items->type, &item) ||
        vector->items->layout != dvi_layout_of(&item))
        return dvi_fail_argument(err, "the items do not have the item type of the vector");
    DVI_TRY(check_lengths(view, err));
    const dvi_extent extent = dvi_vector_extent(vector, view->rows);
    DVI_TRY(check_buffer(&vector->indices, vector->index_base + extent.indices, 4, "indices", err));
    if (vector->items->rows < vector->item_base + extent.items)
        return dvi_fail_argument(err, "the rows have %lld items, but the buffer holds %lld",
                                 (long long)(vector->item_base + extent.items),
                                 (long long)vector->items->rows);
    return check_scalar(vector->items, err);
}

static void advance_buffer(dv_buffer *buffer, int64_t rows, size_t width)
{
    if (buffer->nbytes == 0)
        return;
    buffer->data = (const char *)buffer->data + (size_t)rows * width;
    buffer->nbytes -= (size_t)rows * width;
}

static void limit_buffer(dv_buffer *buffer, int64_t rows, size_t width)
{
    if (buffer->nbytes > (size_t)rows * width)
        buffer->nbytes = (size_t)rows * width;
}

/* Apply advance_buffer or limit_buffer to every buffer with an entry per row. */
static void each_row_buffer(dv_column_view *view, int64_t rows,
                            void (*apply)(dv_buffer *, int64_t, size_t))
{
    switch (view->layout) {
    case DV_LAYOUT_FIXED:
        apply(&view->as.fixed.values, rows, dvi_width_of(&view->type));
        break;
    case DV_LAYOUT_ZONED:
        apply(&view->as.zoned.ticks, rows, 8);
        apply(&view->as.zoned.minutes, rows, 2);
        break;
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        apply(&view->as.text.ends, rows, 4);
        break;
    case DV_LAYOUT_VECTOR:
        apply(&view->as.vector.lengths, rows, 4);
        apply(&view->as.vector.counts, rows, 4);
        break;
    }
}

void dvi_column_jump(dv_column_view *view, int64_t rows, dvi_extent extent)
{
    if (view->layout == DV_LAYOUT_TEXT || view->layout == DV_LAYOUT_BYTES)
        view->as.text.first = dvi_text_end(&view->as.text, rows);
    if (view->layout == DV_LAYOUT_VECTOR) {
        view->as.vector.index_base += extent.indices;
        view->as.vector.item_base += extent.items;
    }
    view->rows -= rows;
    if (view->rows > 0) /* a pointer past the end of the last buffer is not formed */
        each_row_buffer(view, rows, advance_buffer);
}

void dvi_column_advance(dv_column_view *view, int64_t rows)
{
    const bool is_vector = view->layout == DV_LAYOUT_VECTOR;
    dvi_column_jump(view, rows,
                    is_vector ? dvi_vector_extent(&view->as.vector, rows) : (dvi_extent){0, 0});
}

void dvi_column_limit(dv_column_view *view, int64_t rows)
{
    if (rows >= view->rows)
        return;
    view->rows = rows;
    each_row_buffer(view, rows, limit_buffer);
}

/* --- Texts ------------------------------------------------------------------------------------ */

/* Is an end inside a character? The bytes of all texts together are valid UTF-8. */
static bool has_cut(const dv_column_view *texts, int32_t last)
{
    const dv_text_layout *text = &texts->as.text;
    const uint8_t *utf8 = text->utf8.data, *ends = text->ends.data;
    for (int64_t i = 0; i < texts->rows; i++) {
        const int32_t end = dvi_load_i32(ends + 4 * i) & INT32_MAX;
        if (end < last && (utf8[end] & 0xC0) == 0x80)
            return true;
    }
    return false;
}

const char *dvi_text_check(const dv_column_view *texts)
{
    const dv_text_layout *text = &texts->as.text;
    const size_t rows = (size_t)texts->rows;
    int32_t last = text->first;
    size_t units;
    if (rows == 0)
        return NULL;
    if (dvi_kernels()->ends_check(NULL, text->ends.data, rows, last, &last) != rows ||
        (size_t)last > text->utf8.nbytes)
        return "texts end to end";
    const size_t nbytes = (size_t)(last - text->first);
    if (texts->layout == DV_LAYOUT_BYTES || nbytes == 0)
        return NULL;
    const uint8_t *first = (const uint8_t *)text->utf8.data + text->first;
    if (dvi_kernels()->utf8_units(first, nbytes, &units) != nbytes ||
        (units != nbytes && has_cut(texts, last)))
        return "texts of valid UTF-8";
    return NULL;
}
