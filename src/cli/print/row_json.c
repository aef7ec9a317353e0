/* SPDX-License-Identifier: MIT */
/* row_json.c: reads rows into a JSON document. */
#include "cli/print/row_json.h"
#include "cli/args/input.h"
#include "cli/print/json_value.h"
#include "cli/print/printer.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const dv_column_info *column_of(const dvi_row_json *r, int32_t k)
{
    return dv_schema_column(r->selection->schema, r->selection->columns[k]);
}

static void add_column(dvi_row_json *r, dv_text name, const dv_type *type)
{
    dvi_json_open(&r->json, dv_text_of(NULL), '{');
    dvi_json_put(&r->json, "name", dvi_json_text(name));
    dvi_json_put(&r->json, "type", dvi_json_type(type));
    dvi_json_close(&r->json, '}');
}

dvi_exit dvi_row_json_init(dvi_row_json *r, const dvi_selection *selection, const dvi_args *args)
{
    const dv_type id_type = dv_type_of(DV_KIND_UG);
    *r = (dvi_row_json){.selection = selection};
    dvi_json_begin(&r->json, args->verb->name, args);
    dvi_json_put(&r->json, "rows", dvi_json_count(selection->rows));
    dvi_json_open(&r->json, dv_text_of("columns"), '[');
    if (selection->ids)
        add_column(r, dv_text_of(DVI_ID_NAME), &id_type);
    for (int32_t k = 0; k < selection->count; k++)
        add_column(r, column_of(r, k)->name, &column_of(r, k)->type);
    dvi_json_close(&r->json, ']');
    dvi_json_open(&r->json, dv_text_of("values"), '[');
    r->values = calloc((size_t)selection->count + 1, sizeof *r->values);
    return r->values ? DVI_EXIT_DONE : dvi_say_memory();
}

void dvi_row_json_free(dvi_row_json *r)
{
    dvi_json_free(&r->json);
    free(r->values);
}

static void add_id(dvi_json *json, dv_u128 id)
{
    char text[40];
    snprintf(text, sizeof text, "0x%016" PRIx64 "%016" PRIx64, id.hi, id.lo);
    dvi_json_put(json, DVI_ID_NAME, dvi_json_cstr(text));
}

static void add_value(dvi_row_json *r, int32_t k)
{
    char *owned = NULL;
    const dv_schema *schema = r->selection->schema;
    const int32_t column = r->selection->columns[k];
    const dv_text key = dvi_json_key(schema, column, &owned);
    const dv_sink sink = dvi_json_member(&r->json, key);
    dvi_json_cell(schema, column, &r->values[k], &sink);
    r->json.is_failed |= key.nbytes < 0;
    free(owned);
}

void dvi_row_json_add(dvi_row_json *r, const dv_batch *batch, int64_t first)
{
    for (int32_t k = 0; k < batch->columns; k++)
        r->values[k] = dv_value_at(dv_batch_column(batch, k), first);
    for (int64_t row = first; row < batch->rows; row++) {
        dvi_json_open(&r->json, dv_text_of(NULL), '{');
        if (batch->ids)
            add_id(&r->json, batch->ids[row]);
        for (int32_t k = 0; k < batch->columns; k++)
            add_value(r, k);
        dvi_json_close(&r->json, '}');
        for (int32_t k = 0; k < batch->columns && row + 1 < batch->rows; k++)
            dv_value_next(&r->values[k]);
    }
}

dvi_exit dvi_row_json_finish(dvi_row_json *r, dvi_out *out)
{
    dvi_json_close(&r->json, ']');
    return dvi_json_end(&r->json, out);
}

dvi_exit dvi_row_json_read(dvi_row_json *r, dv_view *view)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    dv_status status = dv_cursor_open(&cursor, view, &r->selection->options, &err);
    while (status == DV_OK && !r->json.is_failed) {
        status = dv_cursor_next(cursor, &batch, &err);
        if (status == DV_OK)
            dvi_row_json_add(r, batch, 0);
    }
    dv_cursor_close(&cursor);
    return status < 0 ? dvi_say_reworded(&err) : DVI_EXIT_DONE;
}

dvi_exit dvi_row_json_show(dv_view *view, const dvi_selection *selection, const dvi_args *args,
                           dvi_out *out)
{
    dvi_row_json r;
    dvi_exit status = dvi_row_json_init(&r, selection, args);
    if (!status)
        status = dvi_row_json_read(&r, view);
    if (!status)
        status = dvi_row_json_finish(&r, out);
    dvi_row_json_free(&r);
    return status;
}
