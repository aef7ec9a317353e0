/* SPDX-License-Identifier: MIT */
/* json_value.c: writes scalars and vectors as JSON. */
#include "cli/print/json_value.h"
#include "cli/terminal/default_item.h"
#include <dataview/msgpack.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_CAP 16 /* of "#0" */

static bool put(const dv_sink *sink, const char *text)
{
    return sink->write(sink->ctx, text, strlen(text));
}

static bool put_text_form(const dv_value *value, const dv_sink *sink)
{
    return dv_value_write(value, DV_STYLE_TEXT, sink);
}

/* JSON has no infinities, and readers parse -0 as an integer, which loses the sign. */
static bool put_real(const dv_value *value, double real, const dv_sink *sink)
{
    if (isinf(real))
        return put(sink, real < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    if (real == 0 && signbit(real))
        return put(sink, "-0.0");
    return put_text_form(value, sink);
}

static bool put_scalar(const dv_value *value, const dv_sink *sink)
{
    const dv_type *type = &value->column->type;
    if (dv_value_is_na(value))
        return put(sink, "null");
    if (type->is_key)
        return put_text_form(value, sink);
    switch (type->kind) {
    case DV_KIND_R4:
        return put_real(value, (double)dv_value_r4(value), sink);
    case DV_KIND_R8:
        return put_real(value, dv_value_r8(value), sink);
    case DV_KIND_BL:
        return put(sink, dv_value_i1(value) ? "true" : "false");
    case DV_KIND_TX:
        return dv_text_write_json(dv_value_tx(value), sink);
    default:
        break;
    }
    if (dv_type_is_number(type) && type->kind != DV_KIND_UG)
        return put_text_form(value, sink);
    return put(sink, "\"") && put_text_form(value, sink) && put(sink, "\"");
}

/* [1,0,2], with the slots that store no item. */
static bool put_slots(const dv_value *vector, const dv_sink *sink)
{
    const dv_column_view blank = dvi_default_item(vector->column->as.vector.items);
    const dv_value default_item = dv_value_first(&blank);
    const int32_t items = dv_value_items(vector);
    bool ok = put(sink, "[");
    int32_t next = 0;
    for (int32_t slot = 0; slot < vector->length && ok; slot++) {
        const bool is_set = next < items && dv_value_slot(vector, next) == slot;
        const dv_value item = is_set ? dv_value_item(vector, next++) : default_item;
        ok = put(sink, slot ? "," : "") && put_scalar(&item, sink);
    }
    return ok && put(sink, "]");
}

/* {"len":100000,"idx":[3,70],"val":[1,2]} */
static bool put_sparse(const dv_value *vector, const dv_sink *sink)
{
    char text[32];
    snprintf(text, sizeof text, "{\"len\":%d,\"idx\":[", (int)vector->length);
    bool ok = put(sink, text);
    for (int32_t i = 0; i < vector->count && ok; i++) {
        snprintf(text, sizeof text, i ? ",%d" : "%d", (int)dv_value_slot(vector, i));
        ok = put(sink, text);
    }
    ok = ok && put(sink, "],\"val\":[");
    for (int32_t i = 0; i < vector->count && ok; i++) {
        const dv_value item = dv_value_item(vector, i);
        ok = put(sink, i ? "," : "") && put_scalar(&item, sink);
    }
    return ok && put(sink, "]}");
}

/* Is it msgpack?  Then it is shown nested, unless it is broken. */
static bool put_msgpack(const dv_value *value, const dv_sink *sink)
{
    const dv_text bytes = dv_value_tx(value);
    const dv_status status = dv_msgpack_write_json(bytes.data, (size_t)bytes.nbytes, sink, NULL);
    return status == DV_OK || (status != DV_ERR_STOPPED && put(sink, "\"") &&
                               put_text_form(value, sink) && put(sink, "\""));
}

bool dvi_json_value(const dv_value *value, const dv_sink *sink)
{
    if (!dv_type_is_vector(&value->column->type))
        return put_scalar(value, sink);
    const bool is_long = value->count >= 0 && value->length > DVI_JSON_SLOTS;
    return (is_long ? put_sparse : put_slots)(value, sink);
}

bool dvi_json_cell(const dv_schema *schema, int32_t column, const dv_value *value,
                   const dv_sink *sink)
{
    int32_t mark;
    const dv_type *type = &value->column->type;
    const bool is_msgpack =
        type->kind == DV_KIND_BY && type->rank == 0 &&
        dv_schema_find_metadata(schema, column, dv_text_of("MsgpackOpaque"), &mark) == DV_OK;
    return is_msgpack ? put_msgpack(value, sink) : dvi_json_value(value, sink);
}

dv_text dvi_json_key(const dv_schema *schema, int32_t column, char **owned_out)
{
    const dv_column_info *info = dv_schema_column(schema, column);
    const size_t n = (size_t)info->name.nbytes;
    *owned_out = NULL;
    if (!info->is_hidden)
        return info->name;
    char *key = malloc(n + INDEX_CAP);
    if (!key)
        return dv_text_of(NULL);
    memcpy(key, info->name.data, n);
    const int more = snprintf(key + n, INDEX_CAP, "#%d", (int)column);
    *owned_out = key;
    return (dv_text){key, info->name.nbytes + more};
}
