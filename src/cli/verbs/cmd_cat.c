/* SPDX-License-Identifier: MIT */
/* cmd_cat.c: writes all rows for other programs. */
#include "cli/args/input.h"
#include "cli/args/select.h"
#include "cli/print/printer.h"
#include "cli/terminal/progress.h"
#include "cli/verbs/commands.h"
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

static dv_status write_rows(dvi_out *out, const dvi_printer *printer, dv_view *view,
                            const dvi_selection *selection, dvi_progress *progress, dv_error *err)
{
    const size_t n = selection->count > 0 ? (size_t)selection->count : 1;
    dv_value *values = calloc(n, sizeof *values);
    if (!values)
        return dvi_err_memory(err);
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    int64_t done = 0;
    dv_status status = dv_cursor_open(&cursor, view, &selection->options, err);
    if (status == DV_OK)
        status = printer->header(out, selection, err);
    while (status == DV_OK && !out->os_code) {
        status = dv_cursor_next(cursor, &batch, err);
        if (status != DV_OK)
            break;
        if (out->is_terminal)
            dvi_progress_clear(progress);
        write_batch(out, printer, selection, batch, values);
        dvi_progress_rows(progress, done += batch->rows, selection->rows);
    }
    dv_cursor_close(&cursor);
    free(values);
    return status;
}

static dvi_exit write_selection(dvi_out *out, dv_view *view, const dvi_selection *selection,
                                const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    dvi_progress progress = {0};
    if (!out->is_terminal || args->progress) /* rows on the screen show the progress */
        dvi_progress_start(&progress, args->progress, args->quiet);
    dv_status read = check_metadata(selection, &err);
    if (read == DV_OK)
        read = write_rows(out, dvi_printer_find(args->format), view, selection, &progress, &err);
    dvi_out_flush(out); /* the rows before an error come first */
    dvi_progress_clear(&progress);
    return read < 0 ? dvi_say_reworded(&err) : DVI_EXIT_DONE;
}

dvi_exit dvi_cmd_cat(const dvi_args *args, dvi_out *out)
{
    dv_view *view = NULL;
    dvi_selection selection = {0};
    dvi_exit status = dvi_input_open(&view, args);
    if (!status)
        status = dvi_select(&selection, args, view);
    if (!status)
        status = write_selection(out, view, &selection, args);
    dvi_selection_free(&selection);
    dv_view_release(&view);
    return status;
}
