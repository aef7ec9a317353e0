/* SPDX-License-Identifier: MIT */
/* print_rows.c: writes rows in a format of cat. */
#include "cli/print/print_rows.h"
#include <stdlib.h>

/* Read the metadata of the shown columns, so that damage there is reported even if the format does
 * not print it. */
static dv_status check_metadata(const dvi_selection *selection, dv_error *err)
{
    for (int32_t k = 0; k < selection->count; k++) {
        const int32_t column = selection->columns[k];
        const int32_t n = dv_schema_column(selection->schema, column)->metadata_count;
        for (int32_t i = 0; i < n; i++) {
            const dv_batch *batch;
            const dv_status status =
                dv_schema_metadata_value(selection->schema, column, i, &batch, err);
            if (status != DV_OK)
                return status;
            dv_batch_release(&batch);
        }
    }
    return DV_OK;
}

/* values: one per column, at this row. */
static bool write_row(dvi_out *out, const dvi_printer *printer, const dvi_selection *selection,
                      const dv_batch *batch, int64_t row, const dv_value *values)
{
    bool ok = dvi_out_text(out, printer->before);
    if (batch->ids)
        ok = ok && printer->id(out, batch->ids[row]);
    for (int32_t k = 0; k < batch->columns && ok; k++) {
        if (k || batch->ids)
            dvi_out_text(out, printer->between);
        ok = printer->value(out, selection, k, &values[k]);
    }
    return ok && dvi_out_text(out, printer->after);
}

static bool write_batch(dvi_out *out, const dvi_printer *printer, const dvi_selection *selection,
                        const dv_batch *batch, dv_value *values)
{
    for (int32_t k = 0; k < batch->columns; k++)
        values[k] = dv_value_first(dv_batch_column(batch, k));
    for (int64_t row = 0; row < batch->rows; row++) {
        if (!write_row(out, printer, selection, batch, row, values))
            return false;
        for (int32_t k = 0; k < batch->columns && row + 1 < batch->rows; k++)
            dv_value_next(&values[k]);
    }
    return !out->is_terminal || dvi_out_flush(out);
}

static dv_status write_batches(dvi_out *out, const dvi_printer *printer, dv_cursor *cursor,
                               const dvi_selection *selection, dv_value *values,
                               dvi_print_step *step, void *ctx, dv_error *err)
{
    int64_t done = 0;
    dv_status status = printer->header(out, selection, err);
    while (status == DV_OK && !out->os_code) {
        const dv_batch *batch;
        status = dv_cursor_next(cursor, &batch, err);
        if (status != DV_OK)
            break;
        step(ctx, done, false);
        if (!write_batch(out, printer, selection, batch, values) && !out->os_code)
            return dvi_err_memory(err);
        done += batch->rows;
        if (!step(ctx, done, true))
            status = err->status = DV_ERR_STOPPED;
    }
    return status;
}

dv_status dvi_print_rows(dvi_out *out, const dvi_printer *printer, dv_view *view,
                         const dvi_selection *selection, dvi_print_step *step, void *ctx,
                         dv_error *err)
{
    const size_t n = selection->count > 0 ? (size_t)selection->count : 1;
    dv_cursor *cursor = NULL;
    dv_value *values = calloc(n, sizeof *values);
    if (!values)
        return dvi_err_memory(err);
    dv_status status = check_metadata(selection, err);
    if (status == DV_OK)
        status = dv_cursor_open(&cursor, view, &selection->options, err);
    if (status == DV_OK)
        status = write_batches(out, printer, cursor, selection, values, step, ctx, err);
    dv_cursor_close(&cursor);
    free(values);
    return status;
}
