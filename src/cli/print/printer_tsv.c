/* SPDX-License-Identifier: MIT */
/* printer_tsv.c: writes tab-separated text, one line per row. */
#include "cli/print/printer.h"
#include <string.h>
#include <unistd.h>

/* The escape letter of a character that would end a field or a line or start an escape; else 0. */
static char letter_of(char c)
{
    static const char letters[] = "\tt\nn\rr\\\\";
    const char *found = (unsigned char)c < 0x20 || c == '\\' ? strchr(letters, c) : NULL;
    return found && *found ? found[1] : 0;
}

/* Write a field without tabs and line ends. */
static bool write_field(void *ctx, const char *data, size_t nbytes)
{
    size_t from = 0;
    for (size_t i = 0; i < nbytes; i++) {
        const char letter = letter_of(data[i]);
        if (!letter)
            continue;
        const char escape[] = {'\\', letter};
        if (!dvi_out_write(ctx, data + from, i - from) || !dvi_out_write(ctx, escape, 2))
            return false;
        from = i + 1;
    }
    return dvi_out_write(ctx, data + from, nbytes - from);
}

/* On a terminal other control characters are spelled out too, since file contents must not control
 * it. */
static bool write_shown(void *ctx, const char *data, size_t nbytes)
{
    bool ok = true;
    for (size_t i = 0; i < nbytes && ok;) {
        const char *slash = memchr(data + i, '\\', nbytes - i);
        const size_t n = slash ? (size_t)(slash - data) - i : nbytes - i;
        ok = dvi_out_shown(ctx, data + i, n) && (!slash || dvi_out_write(ctx, "\\\\", 2));
        i += n + (slash != NULL);
    }
    return ok;
}

static bool write_value(dvi_out *out, const dvi_selection *selection, int32_t k,
                        const dv_value *value)
{
    (void)selection, (void)k;
    const dv_sink sink = {out->is_terminal ? write_shown : write_field, out};
    return dv_value_write(value, DV_STYLE_TEXT, &sink);
}

static dv_status write_header(dvi_out *out, const dvi_selection *selection, dv_error *err)
{
    (void)err; /* reads nothing */
    if (selection->ids)
        dvi_out_text(out, selection->count ? DVI_ID_NAME "\t" : DVI_ID_NAME);
    for (int32_t k = 0; k < selection->count; k++) {
        const dv_text name = dvi_selection_name(selection, k);
        if (k)
            dvi_out_text(out, "\t");
        (out->is_terminal ? write_shown : write_field)(out, name.data, (size_t)name.nbytes);
    }
    dvi_out_text(out, "\n");
    return DV_OK;
}

const dvi_printer dvi_printer_tsv = {"", "\t", "\n", write_header, dvi_printer_id, write_value};
