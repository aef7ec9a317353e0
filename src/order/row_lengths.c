/* SPDX-License-Identifier: MIT */
/* row_lengths.c: the length of each row of a column. */
#include "order/row_lengths.h"
#include "base/check.h"
#include "base/size.h"
#include "view/column.h"
#include "scan/cursor.h"
#include "scan/read_batches.h"
#include "scan/row_parts.h"

typedef struct reading {
    uint32_t *lengths;
    int64_t n, row; /* the next one */
    dv_view *view;
    bool is_document;
} reading;

static dv_status put_length(reading *r, int64_t length, dv_error *err)
{
    DVI_REQUIRE(length >= 0 && length <= UINT32_MAX,
                dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "length of a row",
                         "0 to 4294967295 in row %lld|%lld", (long long)r->row, (long long)length));
    r->lengths[r->row++] = (uint32_t)length;
    return DV_OK;
}

/* --- Vectors and text ------------------------------------------------------------------------- */

static dv_status check_claim(const reading *r, int32_t length, int32_t count, dv_error *err)
{
    const bool claims = r->is_document && count >= 0 && length > DVI_CLAIMED_SLOTS &&
                        length / DVI_CLAIMED_FACTOR > count;
    DVI_REQUIRE(!claims,
                dvi_fail(err, DV_ERR_LIMIT, "length", -1, "length of a row",
                         "a document with its items in row %lld|%d slots with %d stored items",
                         (long long)r->row, (int)length, (int)count));
    return DV_OK;
}

static dv_status add_vectors(reading *r, const dv_column_view *column, dv_error *err)
{
    const dv_vector_layout *vector = &column->as.vector;
    for (int64_t i = 0; i < column->rows; i++) {
        const int32_t length = dvi_vector_length(vector, i);
        DVI_TRY(check_claim(r, length, dvi_vector_count(vector, i), err));
        DVI_TRY(put_length(r, length, err));
    }
    return DV_OK;
}

static dv_status refuse_na(const reading *r, dv_error *err)
{
    return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "length of a row", "a value in row %lld|NA",
                    (long long)r->row);
}

static dv_status add_values(reading *r, const dv_column_view *column,
                            int64_t (*length_of)(const dv_value *value), dv_error *err)
{
    dv_value value = dv_value_first(column);
    for (int64_t i = 0; i < column->rows; i++, dv_value_next(&value)) {
        DVI_REQUIRE(!dv_value_is_na(&value), refuse_na(r, err));
        DVI_TRY(put_length(r, length_of(&value), err));
    }
    return DV_OK;
}

static int64_t text_length(const dv_value *value)
{
    return dv_value_tx(value).nbytes;
}

/* --- Integers --------------------------------------------------------------------------------- */

static int64_t integer_length(const dv_value *value)
{
    switch (value->column->type.kind) {
    case DV_KIND_I1:
        return dv_value_i1(value);
    case DV_KIND_U1:
        return dv_value_u1(value);
    case DV_KIND_I2:
        return dv_value_i2(value);
    case DV_KIND_U2:
        return dv_value_u2(value);
    case DV_KIND_I4:
        return dv_value_i4(value);
    case DV_KIND_U4:
        return dv_value_u4(value);
    case DV_KIND_I8:
        return dv_value_i8(value);
    default: { /* U8 */
        const uint64_t length = dv_value_u8(value);
        return length > INT64_MAX ? INT64_MAX : (int64_t)length;
    }
    }
}

/* --- The column ------------------------------------------------------------------------------- */

static dv_status add_batch(void *ctx, const dv_batch *batch, dv_error *err)
{
    reading *r = ctx;
    const dv_column_view *column = dv_batch_column(batch, 0);
    if (batch->rows > r->n - r->row)
        return dvi_row_parts_fail_count(r->view, r->n, err);
    if (column->layout == DV_LAYOUT_VECTOR)
        return add_vectors(r, column, err);
    return add_values(r, column, column->layout == DV_LAYOUT_FIXED ? integer_length : text_length,
                      err);
}

static bool has_lengths(const dv_type *type)
{
    const bool is_integer =
        dv_type_is_number(type) && type->kind >= DV_KIND_I1 && type->kind <= DV_KIND_U8;
    return dv_type_is_vector(type) || is_integer || type->kind == DV_KIND_TX ||
           type->kind == DV_KIND_BY;
}

static dv_status check_column(const dv_view *view, int32_t column, dv_error *err)
{
    char found[96];
    const dv_schema *schema = dv_view_schema(view);
    const dv_column_info *info = dv_schema_column(schema, column);
    DVI_REQUIRE(info, dvi_fail_argument(err, "column %d: the view has %d column%s", (int)column,
                                        (int)dv_schema_columns(schema),
                                        DVI_S(dv_schema_columns(schema))));
    if (has_lengths(&info->type))
        return DV_OK;
    dv_type_print(&info->type, found, sizeof found);
    return dvi_fail_argument(err,
                             "column \"%s\" of type %s has no lengths: expected vectors, text, or "
                             "integers that are lengths",
                             dvi_show(info->name).text, found);
}

dv_status dvi_row_lengths_read(uint32_t *lengths_out, int64_t n, dv_view *view, int32_t column,
                               const dv_cursor_options *given, bool is_document, dv_error *err)
{
    reading r = {lengths_out, n, 0, view, is_document};
    dv_cursor_options options;
    DVI_TRY(check_column(view, column, err));
    DVI_TRY(dvi_cursor_read_options(given, &options, err));
    options.columns = &column;
    options.columns_count = 1;
    options.named_count = 0;
    options.ids = false;
    const dv_status status = dvi_read_batches(view, &options, add_batch, &r, err);
    if (status == DV_ERR_ARGUMENT || status == DV_ERR_LIMIT)
        dvi_error_within(err, "column \"%s\"",
                         dvi_show(dv_schema_column(dv_view_schema(view), column)->name).text);
    return status == DV_OK && r.row < n ? dvi_row_parts_fail_count(view, n, err) : status;
}
