/* SPDX-License-Identifier: MIT */
/* row.c: the row cursor: one row at a time with typed getters, on top of a batch cursor. */
#include "base/alloc.h"
#include "base/check.h"
#include "view/view.h"
#include "scan/cursor.h"
#include <dataview/row.h>

#define FAR_ROWS 64 /* for each thread: the least rows that are passed, and blocks */
#define FAR_BLOCKS 4

struct dv_row_cursor {
    dv_allocator allocator;
    dv_cursor *cursor;
    const dv_schema *schema;
    const dv_batch *batch; /* the cursor's; NULL before the first row and after the last */
    int64_t row, rows;     /* current row in the batch, and how many it has */
    int32_t *slot;         /* of each column of the schema in the batch, or -1 */
    int32_t columns;       /* of the schema */
    dv_value *values;      /* of the current row, one per active column */
    int32_t *vectors;      /* active columns whose values must be advanced row by row */
    int32_t active, vector_count;
};

static dv_status set_up(dv_row_cursor *c, dv_error *err)
{
    void *slot, *values, *vectors;
    const int32_t *list = dvi_cursor_columns(c->cursor, &c->active);
    const size_t columns = (size_t)c->columns, n = (size_t)c->active;
    DVI_TRY(dvi_alloc(&c->allocator, &slot, columns * sizeof *c->slot, err));
    c->slot = slot;
    DVI_TRY(dvi_alloc_zeroed(&c->allocator, &values, n * sizeof *c->values, err));
    c->values = values;
    DVI_TRY(dvi_alloc(&c->allocator, &vectors, n * sizeof *c->vectors, err));
    c->vectors = vectors;

    for (int32_t i = 0; i < c->columns; i++)
        c->slot[i] = -1;
    for (int32_t k = 0; k < c->active; k++) {
        c->slot[list[k]] = k;
        if (dv_type_is_vector(&dv_schema_column(c->schema, list[k])->type))
            c->vectors[c->vector_count++] = k;
    }
    return DV_OK;
}

dv_status dv_row_cursor_open(dv_row_cursor **cursor_out, dv_view *view,
                             const dv_cursor_options *options, dv_error *err)
{
    void *made;
    *cursor_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(dvi_view_allocator(view), &made, sizeof(dv_row_cursor), err));
    dv_row_cursor *c = made;
    c->allocator = *dvi_view_allocator(view);
    c->schema = dv_view_schema(view);
    c->columns = dv_schema_columns(c->schema);
    dv_status status = dv_cursor_open(&c->cursor, view, options, err);
    if (status == DV_OK)
        status = set_up(c, err);
    if (status < 0) {
        dv_row_cursor_close(&c);
        return status;
    }
    *cursor_out = c;
    return DV_OK;
}

void dv_row_cursor_close(dv_row_cursor **cursor)
{
    dv_row_cursor *c = *cursor;
    *cursor = NULL;
    if (!c)
        return;
    dv_cursor_close(&c->cursor);
    const dv_allocator allocator = c->allocator;
    dvi_free(&allocator, c->slot, (size_t)c->columns * sizeof *c->slot);
    dvi_free(&allocator, c->values, (size_t)c->active * sizeof *c->values);
    dvi_free(&allocator, c->vectors, (size_t)c->active * sizeof *c->vectors);
    dvi_free(&allocator, c, sizeof *c);
}

/* Are so many rows to be passed that a cursor which starts after them takes less time than reading
 * them? To start one costs as much as some blocks, and more if threads start. */
static bool is_far(const dv_row_cursor *c, int64_t rows)
{
    const dv_view *view = dvi_cursor_view(c->cursor);
    const int64_t share = rows / dvi_cursor_request(c->cursor)->threads;
    if (share < FAR_ROWS || dv_view_rows(view) < 0)
        return false;
    const int64_t block = dv_view_block_rows(view);
    return block > 0 && share / FAR_BLOCKS >= block;
}

/* Move to the first row of a batch: of the next one, or of a later one up to the row that is *left
 * rows ahead, from which the rows that were passed are subtracted. */
static dv_status next_batch(dv_row_cursor *c, int64_t *left, dv_error *err)
{
    int64_t passed = 0;
    const dv_batch *batch;
    c->batch = NULL;
    c->rows = c->row = 0;
    if (is_far(c, *left - 1))
        DVI_TRY(dvi_cursor_pass(c->cursor, *left - 1, &passed, err));
    *left -= passed;
    const dv_status status = dv_cursor_next(c->cursor, &batch, err);
    if (status != DV_OK)
        return status;
    c->batch = batch;
    c->rows = batch->rows;
    for (int32_t k = 0; k < c->active; k++)
        c->values[k] = dv_value_first(dv_batch_column(batch, k));
    return DV_OK;
}

/* Move inside the batch, which has enough rows. */
static void step(dv_row_cursor *c, int64_t rows)
{
    c->row += rows;
    for (int32_t i = 0; i < c->vector_count; i++)
        for (int64_t n = 0; n < rows; n++)
            dv_value_next(&c->values[c->vectors[i]]);
}

static dv_status move(dv_row_cursor *c, int64_t rows, dv_error *err)
{
    int64_t left = rows;
    for (;;) {
        const int64_t here = c->batch ? c->rows - 1 - c->row : 0;
        if (left <= here) {
            step(c, left);
            return DV_OK;
        }
        left -= here; /* the rest of this batch; the first row of the next is one more */
        const dv_status status = next_batch(c, &left, err);
        if (status != DV_OK || --left == 0)
            return status;
    }
}

dv_status dv_row_next(dv_row_cursor *c, dv_error *err)
{
    return move(c, 1, err);
}

dv_status dv_row_skip(dv_row_cursor *c, int64_t rows, dv_error *err)
{
    if (rows < 1)
        return dvi_fail_argument(err, "skip of %lld rows; at least 1", (long long)rows);
    return move(c, rows, err);
}

int64_t dv_row_position(const dv_row_cursor *c)
{
    return c->batch ? c->batch->position + c->row : -1;
}

dv_status dv_row_token(const dv_row_cursor *c, dv_token *token_out, dv_error *err)
{
    const int64_t passed = c->batch ? dv_row_position(c) + 1 : dvi_cursor_position(c->cursor);
    return dvi_cursor_token_at(c->cursor, passed, token_out, err);
}

bool dv_row_is_active(const dv_row_cursor *c, int32_t column)
{
    return column >= 0 && column < c->columns && c->slot[column] >= 0;
}

dv_status dv_row_id(const dv_row_cursor *c, dv_u128 *id_out, dv_error *err)
{
    *id_out = (dv_u128){0, 0};
    if (!c->batch)
        return dvi_fail_argument(err, "no row is current");
    *id_out = c->batch->ids ? c->batch->ids[c->row]
                            : (dv_u128){(uint64_t)(c->batch->first_row + c->row), 0};
    return DV_OK;
}

dv_status dv_row_value(const dv_row_cursor *c, int32_t column, dv_value *value_out, dv_error *err)
{
    *value_out = (dv_value){0};
    if (!c->batch)
        return dvi_fail_argument(err, "no row is current");
    if (!dv_row_is_active(c, column))
        return dvi_fail_argument(err, "column %d is not active", column);
    *value_out = c->values[c->slot[column]];
    if (value_out->column->layout != DV_LAYOUT_VECTOR)
        value_out->row = c->row;
    return DV_OK;
}

/* Get the value if it is a scalar of that kind. */
static dv_status scalar(const dv_row_cursor *c, int32_t column, dv_kind kind, dv_value *value,
                        dv_error *err)
{
    DVI_TRY(dv_row_value(c, column, value, err));
    const dv_type *type = &value->column->type;
    if (type->kind != kind || type->rank > 0)
        return dvi_fail_argument(err, "column %d is not %s%s", column, dv_kind_name(kind),
                                 type->rank > 0 ? ", but a vector" : "");
    return DV_OK;
}

#define GETTER(name, KIND, read, ctype)                                                            \
    dv_status dv_row_##name(const dv_row_cursor *cursor, int32_t column, ctype *value_out,         \
                            dv_error *err)                                                         \
    {                                                                                              \
        dv_value value;                                                                            \
        *value_out = (ctype){0};                                                                   \
        DVI_TRY(scalar(cursor, column, DV_KIND_##KIND, &value, err));                              \
        *value_out = read(&value);                                                                 \
        return DV_OK;                                                                              \
    }

GETTER(i1, I1, dv_value_i1, int8_t)
GETTER(u1, U1, dv_value_u1, uint8_t)
GETTER(i2, I2, dv_value_i2, int16_t)
GETTER(u2, U2, dv_value_u2, uint16_t)
GETTER(i4, I4, dv_value_i4, int32_t)
GETTER(u4, U4, dv_value_u4, uint32_t)
GETTER(i8, I8, dv_value_i8, int64_t)
GETTER(u8, U8, dv_value_u8, uint64_t)
GETTER(r4, R4, dv_value_r4, float)
GETTER(r8, R8, dv_value_r8, double)
GETTER(bl, BL, dv_value_i1, int8_t)
GETTER(ts, TS, dv_value_i8, int64_t)
GETTER(dt, DT, dv_value_i8, int64_t)
GETTER(dz, DZ, dv_value_dz, dv_zoned)
GETTER(ug, UG, dv_value_ug, dv_u128)
GETTER(tx, TX, dv_value_tx, dv_text)
GETTER(by, BY, dv_value_tx, dv_text)
