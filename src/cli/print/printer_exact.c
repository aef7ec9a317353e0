/* SPDX-License-Identifier: MIT */
/* printer_exact.c: writes lossless JSON lines, the format of tests and comparisons. */
#include "cli/print/printer.h"
#include "cli/terminal/notation.h"
#include <inttypes.h>
#include <stdlib.h>

static bool write_exact(dvi_out *out, const dv_value *value)
{
    const dv_sink sink = dvi_out_sink(out);
    return dv_value_write(value, DV_STYLE_EXACT, &sink);
}

static bool write_value(dvi_out *out, const dvi_selection *selection, int32_t k,
                        const dv_value *value)
{
    (void)selection, (void)k;
    return write_exact(out, value);
}

static void write_text(dvi_out *out, dv_text text)
{
    const dv_sink sink = dvi_out_sink(out);
    dv_text_write_json(text, &sink);
}

static bool write_id(dvi_out *out, dv_u128 id)
{
    return dvi_out_print(out, "\"ug:%016" PRIx64 "%016" PRIx64 "\"", id.hi, id.lo);
}

static dv_status write_type(dvi_out *out, const dv_type *type, dv_error *err)
{
    char *notation = dvi_notation(type);
    if (!notation)
        return dvi_err_memory(err);
    write_text(out, dv_text_of(notation));
    free(notation);
    return DV_OK;
}

/* After an error the output stops where it is: what follows would make it look complete. */

/* "kind":{"type":..,"value":..} */
static dv_status write_metadata(dvi_out *out, const dv_schema *schema, int32_t column, int32_t i,
                                dv_error *err)
{
    const dv_metadata_info *info = dv_schema_metadata(schema, column, i);
    const dv_batch *batch;
    dv_status status = dv_schema_metadata_value(schema, column, i, &batch, err);
    if (status != DV_OK)
        return status;
    const dv_value value = dv_value_first(dv_batch_column(batch, 0));
    dvi_out_text(out, i ? "," : "");
    write_text(out, info->kind);
    dvi_out_text(out, ":{\"type\":");
    status = write_type(out, &info->type, err);
    if (status == DV_OK) {
        dvi_out_text(out, ",\"value\":");
        write_exact(out, &value);
        dvi_out_text(out, "}");
    }
    dv_batch_release(&batch);
    return status;
}

/* {"name":..,"type":..,"metadata":{..}} */
static dv_status write_column(dvi_out *out, const dv_schema *schema, int32_t column, dv_error *err)
{
    const dv_column_info *info = dv_schema_column(schema, column);
    dvi_out_text(out, "{\"name\":");
    write_text(out, info->name);
    dvi_out_text(out, ",\"type\":");
    dv_status status = write_type(out, &info->type, err);
    if (status == DV_OK)
        dvi_out_text(out, ",\"metadata\":{");
    for (int32_t i = 0; i < info->metadata_count && status == DV_OK; i++)
        status = write_metadata(out, schema, column, i, err);
    if (status == DV_OK)
        dvi_out_text(out, "}}");
    return status;
}

static dv_status write_header(dvi_out *out, const dvi_selection *selection, dv_error *err)
{
    if (selection->rows < 0)
        dvi_out_text(out, "{\"rows\":null,\"columns\":[");
    else
        dvi_out_print(out, "{\"rows\":%" PRId64 ",\"columns\":[", selection->rows);
    if (selection->ids)
        dvi_out_text(out, "{\"name\":\"" DVI_ID_NAME "\",\"type\":\"UG\",\"metadata\":{}}");

    dv_status status = DV_OK;
    for (int32_t k = 0; k < selection->count && status == DV_OK; k++) {
        dvi_out_text(out, k || selection->ids ? "," : "");
        status = write_column(out, selection->schema, selection->columns[k], err);
    }
    if (status == DV_OK)
        dvi_out_text(out, "]}\n");
    return status;
}

const dvi_printer dvi_printer_exact = {"[", ",", "]\n", write_header, write_id, write_value};
