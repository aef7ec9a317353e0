/* SPDX-License-Identifier: MIT */
/* printer_jsonl.c: a JSON object per row, names as keys. */
#include "cli/json_value.h"
#include "cli/printer.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_CAP 16 /* of "#0" */

/* The key of a hidden column tells which it is: "x#0". */
static bool write_hidden_key(const dv_column_info *info, int32_t column, const dv_sink *sink)
{
    const size_t n = (size_t)info->name.nbytes;
    char *key = malloc(n + INDEX_CAP);
    if (!key)
        return false;
    memcpy(key, info->name.data, n);
    const int more = snprintf(key + n, INDEX_CAP, "#%d", (int)column);
    const bool ok = dv_text_write_json((dv_text){key, info->name.nbytes + more}, sink);
    free(key);
    return ok;
}

static bool write_value(dvi_out *out, const dvi_selection *selection, int32_t k,
                        const dv_value *value)
{
    const dv_sink sink = dvi_out_safe_sink(out);
    const int32_t column = selection->columns[k];
    const dv_column_info *info = dv_schema_column(selection->schema, column);
    const bool ok = info->is_hidden ? write_hidden_key(info, column, &sink)
                                    : dv_text_write_json(info->name, &sink);
    return ok && dvi_out_text(out, ":") && dvi_json_value(value, &sink);
}

static bool write_id(dvi_out *out, dv_u16 id)
{
    return dvi_out_print(out, "\"" DVI_ID_NAME "\":\"0x%016" PRIx64 "%016" PRIx64 "\"", id.hi,
                         id.lo);
}

static dv_status write_header(dvi_out *out, const dvi_selection *selection, dv_error *err)
{
    (void)out, (void)selection, (void)err; /* each row has its names */
    return DV_OK;
}

const dvi_printer dvi_printer_jsonl = {"{", ",", "}\n", write_header, write_id, write_value};
