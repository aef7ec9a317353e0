/* SPDX-License-Identifier: MIT */
/* printer_jsonl.c: writes a JSON object per row, with names as keys. */
#include "cli/print/json_value.h"
#include "cli/print/printer.h"
#include <inttypes.h>
#include <stdlib.h>

static bool write_value(dvi_out *out, const dvi_selection *selection, int32_t k,
                        const dv_value *value)
{
    const dv_sink sink = dvi_out_safe_sink(out);
    const int32_t column = selection->columns[k];
    char *owned = NULL;
    const dv_text key = dvi_json_key(selection->schema, column, &owned);
    const bool ok = key.nbytes >= 0 && dv_text_write_json(key, &sink);
    free(owned);
    return ok && dvi_out_text(out, ":") && dvi_json_cell(selection->schema, column, value, &sink);
}

static bool write_id(dvi_out *out, dv_u128 id)
{
    return dvi_out_print(out, "\"" DVI_ID_NAME "\":\"0x%016" PRIx64 "%016" PRIx64 "\"", id.hi,
                         id.lo);
}

static dv_status write_header(dvi_out *out, const dvi_selection *selection, dv_error *err)
{
    (void)out, (void)selection, (void)err; /* each row names its columns */
    return DV_OK;
}

const dvi_printer dvi_printer_jsonl = {"{", ",", "}\n", write_header, write_id, write_value};
