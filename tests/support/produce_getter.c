/* SPDX-License-Identifier: MIT */
/* produce_getter.c: a view as JSON lines, by the row cursor's typed getters. */
#include "support/produce.h"
#include <dataview/row.h>
#include <stdlib.h>

/* An item of a vector, or a metadata scalar: the accessor of its kind. */
static void put_item(dvt_lines *lines, const dv_value *value)
{
    const dv_type item = dv_type_item(&value->column->type);
    if (item.is_key) {
        const dv_type widest = dv_type_of(DV_KIND_U8);
        dvt_lines_fixed(lines, &widest, &(uint64_t){dv_value_key(value)});
        return;
    }
    switch (item.kind) {
#define PUT(kind, ctype, accessor)                                                                 \
    case DV_KIND_##kind: {                                                                         \
        const ctype bits = accessor(value);                                                        \
        dvt_lines_fixed(lines, &item, &bits);                                                      \
        return;                                                                                    \
    }
        PUT(I1, int8_t, dv_value_i1)
        PUT(BL, int8_t, dv_value_i1)
        PUT(U1, uint8_t, dv_value_u1)
        PUT(I2, int16_t, dv_value_i2)
        PUT(U2, uint16_t, dv_value_u2)
        PUT(I4, int32_t, dv_value_i4)
        PUT(U4, uint32_t, dv_value_u4)
        PUT(I8, int64_t, dv_value_i8)
        PUT(TS, int64_t, dv_value_i8)
        PUT(DT, int64_t, dv_value_i8)
        PUT(U8, uint64_t, dv_value_u8)
        PUT(R4, float, dv_value_r4)
        PUT(R8, double, dv_value_r8)
        PUT(UG, dv_u128, dv_value_ug)
#undef PUT
    case DV_KIND_TX:
        dvt_lines_string(lines, dv_value_tx(value));
        return;
    case DV_KIND_BY:
        dvt_lines_bytes(lines, dv_value_tx(value));
        return;
    case DV_KIND_DZ:
        dvt_lines_zoned(lines, dv_value_dz(value));
        return;
    default:
        abort();
    }
}

static void put_vector(dvt_lines *lines, const dv_value *value)
{
    const int32_t items = dv_value_items(value);
    const bool is_dense = value->count < 0;
    DVT_MUST(is_dense ? items == value->length : items == value->count);
    dvt_lines_print(lines, "{\"len\":%d,", value->length);
    if (!is_dense) {
        dvt_lines_print(lines, "\"idx\":[");
        for (int32_t i = 0; i < items; i++)
            dvt_lines_print(lines, "%s%d", i > 0 ? "," : "", dv_value_slot(value, i));
        dvt_lines_print(lines, "],");
    }
    dvt_lines_print(lines, "\"%s\":[", is_dense ? "dense" : "val");
    for (int32_t i = 0; i < items; i++) {
        const dv_value item = dv_value_item(value, i);
        DVT_MUST(!is_dense || dv_value_slot(value, i) == i);
        dvt_lines_print(lines, "%s", i > 0 ? "," : "");
        put_item(lines, &item);
    }
    dvt_lines_print(lines, "]}");
}

static void put_metadata(dvt_lines *lines, const dv_batch *batch)
{
    const dv_value value = dv_value_at(dv_batch_column(batch, 0), 0);
    if (dv_type_is_vector(&value.column->type))
        put_vector(lines, &value);
    else
        put_item(lines, &value);
}

/* The current row's value in a column, by the getter of its kind. */
static dv_status put_column(dvt_lines *lines, const dv_row_cursor *cursor, int32_t column,
                            const dv_type *type, dv_error *err)
{
    dv_status status;
    if (dv_type_is_vector(type)) {
        dv_value value;
        if ((status = dv_row_value(cursor, column, &value, err)) == DV_OK)
            put_vector(lines, &value);
        return status;
    }
    switch (type->kind) {
#define GET(kind, ctype, getter, put)                                                              \
    case DV_KIND_##kind: {                                                                         \
        ctype value;                                                                               \
        if ((status = getter(cursor, column, &value, err)) == DV_OK)                               \
            put;                                                                                   \
        return status;                                                                             \
    }
#define GET_FIXED(kind, ctype, getter)                                                             \
    GET(kind, ctype, getter, dvt_lines_fixed(lines, type, &value))
        GET_FIXED(I1, int8_t, dv_row_i1)
        GET_FIXED(U1, uint8_t, dv_row_u1)
        GET_FIXED(I2, int16_t, dv_row_i2)
        GET_FIXED(U2, uint16_t, dv_row_u2)
        GET_FIXED(I4, int32_t, dv_row_i4)
        GET_FIXED(U4, uint32_t, dv_row_u4)
        GET_FIXED(I8, int64_t, dv_row_i8)
        GET_FIXED(U8, uint64_t, dv_row_u8)
        GET_FIXED(R4, float, dv_row_r4)
        GET_FIXED(R8, double, dv_row_r8)
        GET_FIXED(BL, int8_t, dv_row_bl)
        GET_FIXED(TS, int64_t, dv_row_ts)
        GET_FIXED(DT, int64_t, dv_row_dt)
        GET_FIXED(UG, dv_u128, dv_row_ug)
        GET(DZ, dv_zoned, dv_row_dz, dvt_lines_zoned(lines, value))
        GET(TX, dv_text, dv_row_tx, dvt_lines_string(lines, value))
        GET(BY, dv_text, dv_row_by, dvt_lines_bytes(lines, value))
#undef GET_FIXED
#undef GET
    default:
        abort();
    }
}

static dv_status put_row(dvt_lines *lines, const dv_row_cursor *cursor, const dv_schema *schema,
                         const int32_t *columns, int32_t count, dv_error *err)
{
    dvt_lines_print(lines, "[");
    for (int32_t k = 0; k < count; k++) {
        dvt_lines_print(lines, "%s", k > 0 ? "," : "");
        const dv_status status =
            put_column(lines, cursor, columns[k], &dv_schema_column(schema, columns[k])->type, err);
        if (status != DV_OK)
            return status;
    }
    dvt_lines_print(lines, "]\n");
    return DV_OK;
}

dv_status dvt_produce_by_getter(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                                dv_error *err)
{
    const dv_schema *schema = dv_view_schema(view);
    dv_status status = dvt_put_header(lines, view, options, put_metadata, err);
    dv_row_cursor *cursor = NULL;
    if (status == DV_OK)
        status = dv_row_cursor_open(&cursor, view, options, err);
    if (status != DV_OK)
        return status;
    int32_t *columns;
    const int32_t count = dvt_active_columns(schema, options, &columns);
    for (int64_t row = 0; (status = dv_row_next(cursor, err)) == DV_OK; row++) {
        DVT_MUST(dv_row_position(cursor) == row);
        if ((status = put_row(lines, cursor, schema, columns, count, err)) != DV_OK)
            break;
    }
    dv_row_cursor_close(&cursor);
    free(columns);
    return status == DV_END ? DV_OK : status;
}
