/* SPDX-License-Identifier: MIT */
/* produce_layout.c: a view as JSON lines, straight from the buffers of its batches (batch.h). */
#include "base/load.h"
#include "support/produce.h"
#include <stdlib.h>

/* A position in a column: for vectors with the start of the row's indices and items. */
typedef struct place {
    const dv_column_view *column;
    int64_t row, index, item;
} place;

static void check_buffer(const dv_buffer *buffer, int64_t count, size_t width)
{
    DVT_MUST(count >= 0 && buffer->nbytes >= (size_t)count * width);
    DVT_MUST(buffer->data != NULL || buffer->nbytes == 0);
    DVT_MUST(!buffer->is_aligned || (uintptr_t)buffer->data % (width == 16 ? 8 : width) == 0);
}

static int32_t i32_at(const dv_buffer *buffer, int64_t i)
{
    DVT_MUST(i >= 0 && (size_t)i < buffer->nbytes / 4);
    return dvi_load_i32((const char *)buffer->data + 4 * i);
}

static dv_text text_at(const dv_text_layout *text, int64_t row)
{
    const int32_t word = i32_at(&text->ends, row);
    const int32_t start = row == 0 ? text->first : i32_at(&text->ends, row - 1) & INT32_MAX;
    const int32_t end = word & INT32_MAX;
    DVT_MUST(0 <= start && start <= end && (size_t)end <= text->utf8.nbytes);
    if (word < 0) {
        DVT_MUST(start == end);
        return (dv_text){NULL, -1};
    }
    return (dv_text){start == end ? "" : (const char *)text->utf8.data + start, end - start};
}

static void put_scalar(dvt_lines *lines, const dv_column_view *column, int64_t row)
{
    const char *ticks, *minutes;
    const size_t width = (size_t)dv_kind_width(column->type.kind);
    DVT_MUST(row >= 0 && row < column->rows);
    switch (column->layout) {
    case DV_LAYOUT_FIXED:
        DVT_MUST(column->as.fixed.values.nbytes >= (size_t)(row + 1) * width);
        dvt_lines_fixed(lines, &column->type,
                        (const char *)column->as.fixed.values.data + (size_t)row * width);
        return;
    case DV_LAYOUT_ZONED:
        ticks = column->as.zoned.ticks.data;
        minutes = column->as.zoned.minutes.data;
        dvt_lines_zoned(lines,
                        (dv_zoned){dvi_load_i64(ticks + 8 * row), dvi_load_i16(minutes + 2 * row)});
        return;
    case DV_LAYOUT_TEXT:
        dvt_lines_string(lines, text_at(&column->as.text, row));
        return;
    case DV_LAYOUT_BYTES:
        dvt_lines_bytes(lines, text_at(&column->as.text, row));
        return;
    default:
        abort();
    }
}

/* Check size and alignment of the buffers. Not for vectors. */
static void check_scalars(const dv_column_view *column)
{
    switch (column->layout) {
    case DV_LAYOUT_FIXED:
        check_buffer(&column->as.fixed.values, column->rows,
                     (size_t)dv_kind_width(column->type.kind));
        return;
    case DV_LAYOUT_ZONED:
        check_buffer(&column->as.zoned.ticks, column->rows, 8);
        check_buffer(&column->as.zoned.minutes, column->rows, 2);
        return;
    case DV_LAYOUT_TEXT:
    case DV_LAYOUT_BYTES:
        check_buffer(&column->as.text.utf8, 0, 1);
        check_buffer(&column->as.text.ends, column->rows, 4);
        return;
    default:
        abort();
    }
}

static void check_vectors(const dv_column_view *column)
{
    const dv_vector_layout *v = &column->as.vector;
    const dv_type item = dv_type_item(&column->type);
    DVT_MUST(column->layout == DV_LAYOUT_VECTOR && v->items && v->items != column);
    DVT_MUST(dv_type_equal(&v->items->type, &item));
    DVT_MUST(v->index_base >= 0 && v->item_base >= 0 && v->item_base <= v->items->rows);
    DVT_MUST(column->type.size == 0 || (v->lengths.nbytes == 0 && v->length == column->type.size));
    check_buffer(&v->counts, column->rows, 4);
    check_buffer(&v->lengths, v->lengths.nbytes > 0 ? column->rows : 0, 4);
    check_buffer(&v->indices, 0, 4);
    check_scalars(v->items);
}

static place place_of(const dv_column_view *column)
{
    if (column->layout != DV_LAYOUT_VECTOR) {
        check_scalars(column);
        return (place){column, 0, 0, 0};
    }
    check_vectors(column);
    return (place){column, 0, column->as.vector.index_base, column->as.vector.item_base};
}

static void put_vector(dvt_lines *lines, place *p)
{
    const dv_vector_layout *v = &p->column->as.vector;
    const int32_t length = v->lengths.nbytes > 0 ? i32_at(&v->lengths, p->row) : v->length;
    const int32_t count = i32_at(&v->counts, p->row), items = count < 0 ? length : count;
    DVT_MUST(length >= 0 && count >= -1 && (count == -1 || count < length));
    dvt_lines_print(lines, "{\"len\":%d,", length);
    if (count >= 0) {
        dvt_lines_print(lines, "\"idx\":[");
        for (int32_t i = 0, before = -1; i < count; i++) {
            const int32_t slot = i32_at(&v->indices, p->index + i);
            DVT_MUST(slot > before && slot < length);
            dvt_lines_print(lines, "%s%d", i > 0 ? "," : "", slot);
            before = slot;
        }
        dvt_lines_print(lines, "],");
        p->index += count;
    }
    dvt_lines_print(lines, "\"%s\":[", count < 0 ? "dense" : "val");
    for (int32_t i = 0; i < items; i++) {
        dvt_lines_print(lines, "%s", i > 0 ? "," : "");
        put_scalar(lines, v->items, p->item + i);
    }
    dvt_lines_print(lines, "]}");
    p->item += items;
}

static void put_next(dvt_lines *lines, place *p)
{
    if (p->column->layout == DV_LAYOUT_VECTOR)
        put_vector(lines, p);
    else
        put_scalar(lines, p->column, p->row);
    p->row++;
}

/* The offsets that the library makes on request equal those counted here. */
static void check_offsets(const dv_batch *batch, int32_t k, const place *p)
{
    const int64_t *indices, *items;
    if (p->column->layout != DV_LAYOUT_VECTOR) {
        DVT_MUST(dv_vector_offsets(batch, k, &indices, &items, NULL) == DV_ERR_ARGUMENT);
        return;
    }
    DVT_MUST(dv_vector_offsets(batch, k, &indices, &items, NULL) == DV_OK);
    DVT_MUST(indices[p->row] == p->index && items[p->row] == p->item);
}

static void put_metadata(dvt_lines *lines, const dv_batch *value)
{
    place p = place_of(dv_batch_column(value, 0));
    check_offsets(value, 0, &p);
    put_next(lines, &p);
    check_offsets(value, 0, &p);
}

void dvt_put_batch_by_layout(dvt_lines *lines, const dv_batch *batch)
{
    place *places = malloc((size_t)batch->columns * sizeof *places + 1);
    DVT_MUST(places != NULL);
    for (int32_t k = 0; k < batch->columns; k++)
        places[k] = place_of(dv_batch_column(batch, k));
    for (int64_t row = 0; row < batch->rows; row++) {
        dvt_lines_print(lines, "[");
        for (int32_t k = 0; k < batch->columns; k++) {
            dvt_lines_print(lines, "%s", k > 0 ? "," : "");
            check_offsets(batch, k, &places[k]);
            put_next(lines, &places[k]);
        }
        dvt_lines_print(lines, "]\n");
    }
    for (int32_t k = 0; k < batch->columns; k++)
        check_offsets(batch, k, &places[k]);
    free(places);
}

dv_status dvt_produce_by_layout(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                                dv_error *err)
{
    const dv_status status = dvt_put_header(lines, view, options, put_metadata, err);
    return status == DV_OK ? dvt_put_rows(lines, view, options, dvt_put_batch_by_layout, err)
                           : status;
}
