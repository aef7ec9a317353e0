/* SPDX-License-Identifier: MIT */
/* text_items.h: reads columns of texts, or of vectors of texts, row by row. */
#ifndef DVI_TRANSFORM_TEXT_ITEMS_H
#define DVI_TRANSFORM_TEXT_ITEMS_H

#include "base/load.h"
#include "view/column.h"

/* The texts of a column, at its next row. */
typedef struct dvi_text_rows {
    const dv_text_layout *texts;
    const dv_vector_layout *vector; /* NULL: a text a row */
    int64_t row, item, index;
} dvi_text_rows;

static inline dvi_text_rows dvi_text_rows_of(const dv_column_view *column)
{
    if (column->layout != DV_LAYOUT_VECTOR)
        return (dvi_text_rows){.texts = &column->as.text};
    const dv_vector_layout *vector = &column->as.vector;
    return (dvi_text_rows){.texts = &vector->items->as.text,
                           .vector = vector,
                           .item = vector->item_base,
                           .index = vector->index_base};
}

/* Pass a row. Returns how many texts it has; the first is text *first_out. Slots without an item
 * are left out. */
static inline int32_t dvi_text_rows_next(dvi_text_rows *rows, int64_t *first_out)
{
    int32_t n = 1;
    if (rows->vector) {
        const int32_t count = dvi_vector_count(rows->vector, rows->row);
        n = count < 0 ? dvi_vector_length(rows->vector, rows->row) : count;
        rows->index += count < 0 ? 0 : count;
    }
    *first_out = rows->item;
    rows->item += n;
    rows->row++;
    return n;
}

/* The slot of text i of the next row. */
static inline int32_t dvi_text_rows_slot(const dvi_text_rows *rows, int32_t i)
{
    if (!rows->vector || dvi_vector_count(rows->vector, rows->row) < 0)
        return i;
    return dvi_load_i32((const char *)rows->vector->indices.data + 4 * (rows->index + i));
}

/* A text; NA has nbytes -1. */
static inline dv_text dvi_text_rows_at(const dvi_text_rows *rows, int64_t i)
{
    const char *ends = rows->texts->ends.data, *utf8 = rows->texts->utf8.data;
    const int32_t from =
        i > 0 ? (int32_t)(dvi_load_u32(ends + 4 * (i - 1)) & INT32_MAX) : rows->texts->first;
    const uint32_t end = dvi_load_u32(ends + 4 * i);
    if (end > INT32_MAX)
        return (dv_text){"", -1};
    return (dv_text){utf8 ? utf8 + from : "", (int32_t)end - from};
}

/* Where the texts of the first `rows` rows of a column end; NULL: there are none. */
static inline const char *dvi_text_limit_of(const dv_column_view *column, int64_t rows)
{
    const dvi_text_rows r = dvi_text_rows_of(column);
    const int64_t n = r.vector ? dvi_vector_extent(r.vector, rows).items : rows;
    const char *utf8 = r.texts->utf8.data;
    return n > 0 && utf8 ? utf8 + dvi_text_end(r.texts, r.item + n) : NULL;
}

/* The bytes and the number of all texts of the first `rows` rows of a column. */
typedef struct dvi_text_extent {
    int64_t nbytes, texts;
} dvi_text_extent;

static inline dvi_text_extent dvi_text_extent_of(const dv_column_view *column, int64_t rows)
{
    const dvi_text_rows r = dvi_text_rows_of(column);
    const int64_t n = r.vector ? dvi_vector_extent(r.vector, rows).items : rows;
    if (n == 0)
        return (dvi_text_extent){0, 0};
    return (dvi_text_extent){dvi_text_end(r.texts, r.item + n) - dvi_text_end(r.texts, r.item), n};
}

#endif
