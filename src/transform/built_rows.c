/* SPDX-License-Identifier: MIT */
/* built_rows.c: lays out vectors by how many of their values are other than 0. */
#include "transform/built_rows.h"
#include "base/check.h"
#include "transform/vector_holes.h"
#include "transform/vector_rows.h"
#include <string.h>

/* The size of all rows. */
typedef struct extent {
    int64_t items, indices;
    bool changes; /* a row gets another layout */
} extent;

static bool is_zero(const char *value, size_t width)
{
    return width == 4 ? dvi_load_f4(value) == 0 : dvi_load_f8(value) == 0;
}

/* Columns without a value may have no buffer. */
static const char *values_of(const dvi_vector_row *row, size_t width)
{
    const char *values = row->items->as.fixed.values.data;
    return row->n > 0 ? values + (size_t)row->item * width : values;
}

/* The values other than 0 of a row, or `enough` if there are as many or more. */
static int32_t count_values(const dvi_vector_row *row, size_t width, int32_t enough)
{
    int32_t n = 0;
    const char *values = values_of(row, width);
    for (int32_t i = 0; i < row->n && n < enough; i++)
        n += !is_zero(values + (size_t)i * width, width);
    return n;
}

/* From how many values on a row is dense. */
static int32_t enough_of(int32_t length)
{
    return length < 4 ? 1 : length / 2;
}

static extent measure(uint8_t *counts, const dv_column_view *column, size_t width)
{
    extent all = {.changes = false};
    dvi_vector_row row = dvi_vector_rows(column);
    while (dvi_vector_rows_next(&row)) {
        const int32_t enough = enough_of(row.length);
        const int32_t n = count_values(&row, width, enough);
        const bool is_dense = row.length == 0 || n == enough;
        dvi_store_i32(counts + 4 * row.row, is_dense ? -1 : n);
        all.items += is_dense ? row.length : n;
        all.indices += is_dense ? 0 : n;
        all.changes |= !is_dense || row.slots;
    }
    return all;
}

static void write_dense(uint8_t *dst, const dvi_vector_row *row, size_t width)
{
    const char *values = values_of(row, width);
    memset(dst, 0, (size_t)row->length * width);
    for (int32_t i = 0; i < row->n; i++)
        memcpy(dst + (size_t)dvi_vector_row_slot(row, i) * width, values + (size_t)i * width,
               width);
}

static void write_sparse(uint8_t *dst, uint8_t *slots, const dvi_vector_row *row, size_t width)
{
    const char *values = values_of(row, width);
    for (int32_t i = 0; i < row->n; i++) {
        if (is_zero(values + (size_t)i * width, width))
            continue;
        memcpy(dst, values + (size_t)i * width, width);
        dvi_store_i32(slots, dvi_vector_row_slot(row, i));
        dst += width;
        slots += 4;
    }
}

static void write_rows(const dvi_built_rows *built, const dv_column_view *column, size_t width)
{
    dvi_vector_row row = dvi_vector_rows(column);
    uint8_t *dst = built->values->data, *slots = built->indices->data;
    while (dvi_vector_rows_next(&row)) {
        const int32_t count = dvi_load_i32(built->counts->data + 4 * row.row);
        if (count < 0)
            write_dense(dst, &row, width);
        else
            write_sparse(dst, slots, &row, width);
        dst += (size_t)(count < 0 ? row.length : count) * width;
        slots += count < 0 ? 0 : 4 * (size_t)count;
    }
}

dv_status dvi_built_rows_fill(dvi_built_rows *built, dvi_column *dst, const dv_allocator *allocator,
                              dv_error *err)
{
    const dv_column_view before = dst->view;
    const size_t width = dvi_width_of(&dst->items.type);
    DVI_TRY(dvi_memory_reserve(&built->counts, allocator, 4 * (size_t)before.rows, err));
    const extent all = measure(built->counts->data, &before, width);
    if (!all.changes)
        return DV_OK;
    DVI_TRY(dvi_holes_check(all.items, err));
    DVI_TRY(dvi_memory_reserve(&built->values, allocator, (size_t)all.items * width, err));
    DVI_TRY(dvi_memory_reserve(&built->indices, allocator, 4 * (size_t)all.indices, err));
    write_rows(built, &before, width);
    dst->items.rows = all.items;
    dst->items.as.fixed.values =
        dvi_memory_buffer(built->values, 0, (size_t)all.items * width, width);
    const dv_type type = before.type;
    dvi_column_set_vectors(dst, &type, before.rows, NULL, built->counts, built->indices,
                           all.indices);
    return DV_OK;
}

void dvi_built_rows_free(dvi_built_rows *built)
{
    dvi_memory_release(&built->values);
    dvi_memory_release(&built->counts);
    dvi_memory_release(&built->indices);
}
