/* SPDX-License-Identifier: MIT */
/* vector_rows.h: walks over the rows of a column, whatever its layout. */
#ifndef DVI_TRANSFORM_VECTOR_ROWS_H
#define DVI_TRANSFORM_VECTOR_ROWS_H

#include "base/load.h"
#include "view/column.h"

/* A row of a column of scalars or vectors: `n` items, the first of which is item `item` of `items`.
 * A scalar is a row of one item. */
typedef struct dvi_vector_row {
    const dv_column_view *column, *items;
    int64_t row; /* -1 before the first */
    int64_t item, index;
    int32_t n, length;   /* items and slots of this row */
    const char *slots;   /* of the items; NULL: there is one for each slot */
    const char *indices; /* of the column */
} dvi_vector_row;

/* Before the first row. */
static inline dvi_vector_row dvi_vector_rows(const dv_column_view *column)
{
    dvi_vector_row row = {.column = column, .items = column, .row = -1};
    if (column->layout == DV_LAYOUT_VECTOR) {
        row.items = column->as.vector.items;
        row.item = column->as.vector.item_base;
        row.index = column->as.vector.index_base;
        row.indices = column->as.vector.indices.data;
    }
    return row;
}

/* Go to the next row. false: there is none. */
static inline bool dvi_vector_rows_next(dvi_vector_row *row)
{
    const dv_column_view *column = row->column;
    row->item += row->n;
    row->index += row->slots ? row->n : 0;
    row->slots = NULL;
    row->n = row->length = 0;
    if (++row->row >= column->rows)
        return false;
    if (column->layout != DV_LAYOUT_VECTOR) {
        row->n = row->length = 1;
        return true;
    }
    const int32_t count = dvi_vector_count(&column->as.vector, row->row);
    row->length = dvi_vector_length(&column->as.vector, row->row);
    row->n = count < 0 ? row->length : count;
    if (count >= 0) /* without any index there may be no address */
        row->slots = count > 0 ? row->indices + 4 * row->index : "";
    return true;
}

/* The slot of item i of the row. */
static inline int32_t dvi_vector_row_slot(const dvi_vector_row *row, int32_t i)
{
    return row->slots ? dvi_load_i32(row->slots + 4 * (size_t)i) : i;
}

#endif
