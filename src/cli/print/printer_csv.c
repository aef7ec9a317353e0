/* SPDX-License-Identifier: MIT */
/* printer_csv.c: writes comma-separated text by RFC 4180, with \n as line end. */
#include "cli/print/json_value.h"
#include "cli/print/printer.h"
#include <string.h>

/* Write text inside quotes: each quote is doubled. */
static bool write_doubled(void *ctx, const char *data, size_t nbytes)
{
    const dv_sink sink = dvi_out_safe_sink(ctx);
    for (const char *quote; (quote = memchr(data, '"', nbytes));) {
        const size_t n = (size_t)(quote - data) + 1;
        if (!sink.write(sink.ctx, data, n) || !dvi_out_write(ctx, "\"", 1))
            return false;
        data += n;
        nbytes -= n;
    }
    return sink.write(sink.ctx, data, nbytes);
}

static bool needs_quotes(dv_text text)
{
    for (int64_t i = 0; i < text.nbytes; i++)
        if (text.data[i] == ',' || text.data[i] == '"' || text.data[i] == '\n' ||
            text.data[i] == '\r')
            return true;
    return text.nbytes == 0;
}

/* An empty text is "", which differs from a missing one. */
static bool write_text(dvi_out *out, dv_text text)
{
    const dv_sink sink = dvi_out_safe_sink(out);
    const size_t nbytes = (size_t)text.nbytes;
    if (!needs_quotes(text))
        return sink.write(sink.ctx, text.data, nbytes);
    return dvi_out_text(out, "\"") && (nbytes == 0 || write_doubled(out, text.data, nbytes)) &&
           dvi_out_text(out, "\"");
}

static bool write_vector(dvi_out *out, const dv_value *value)
{
    const dv_sink sink = {write_doubled, out};
    return dvi_out_text(out, "\"") && dvi_json_value(value, &sink) && dvi_out_text(out, "\"");
}

/* The only field of a line is never empty, because readers skip empty lines. */
static bool write_value(dvi_out *out, const dvi_selection *selection, int32_t k,
                        const dv_value *value)
{
    (void)k;
    const dv_type *type = &value->column->type;
    const dv_sink sink = dvi_out_sink(out);
    if (dv_type_is_vector(type))
        return write_vector(out, value);
    if (dv_value_is_na(value))
        return selection->count > 1 || selection->ids || dvi_out_text(out, "\"\"");
    if (type->kind == DV_KIND_TX)
        return write_text(out, dv_value_tx(value));
    return dv_value_write(value, DV_STYLE_TEXT, &sink);
}

static dv_status write_header(dvi_out *out, const dvi_selection *selection, dv_error *err)
{
    (void)err; /* reads nothing */
    if (selection->ids)
        dvi_out_text(out, selection->count ? DVI_ID_NAME "," : DVI_ID_NAME);
    for (int32_t k = 0; k < selection->count; k++) {
        dvi_out_text(out, k ? "," : "");
        write_text(out, dvi_selection_name(selection, k));
    }
    dvi_out_text(out, "\n");
    return DV_OK;
}

const dvi_printer dvi_printer_csv = {"", ",", "\n", write_header, dvi_printer_id, write_value};
