/* SPDX-License-Identifier: MIT */
/* cmd_tail.c: shows the last rows. */
#include "cli/args/input.h"
#include "cli/print/row_json.h"
#include "cli/print/row_table.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/last_rows.h"

/* Read all rows, and keep the last ones. */
static dvi_exit read_all(dvi_last_rows *last, dv_view *view, const dv_cursor_options *options,
                         const dvi_out *out)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    dv_status status = dv_cursor_open(&cursor, view, options, &err);
    while (status == DV_OK && !out->os_code) {
        status = dv_cursor_next(cursor, &batch, &err);
        if (status == DV_OK && !dvi_last_rows_keep(last, batch))
            status = dvi_err_memory(&err);
    }
    dv_cursor_close(&cursor);
    return status < 0 ? dvi_say_reworded(&err) : DVI_EXIT_DONE;
}

/* Show the last rows of a view that does not know its number of rows. */
static dvi_exit show_unknown(dv_view *view, const dvi_selection *selection, const dvi_args *args,
                             dvi_out *out)
{
    dvi_row_table t;
    dvi_last_rows last = {.wanted = args->lines};
    dv_cursor_options options = selection->options;
    dvi_exit status = dvi_row_table_init(&t, selection, out);
    options.columns_count = t.candidates;
    if (!status)
        status = read_all(&last, view, &options, out);
    int64_t over = dvi_last_rows_over(&last);
    for (size_t i = last.first; i < last.end && !status; i++, over = 0)
        status = dvi_row_table_add(&t, last.batch[i], over);
    if (!status)
        status = dvi_row_table_finish(&t, args->quiet);
    dvi_last_rows_free(&last);
    dvi_row_table_free(&t);
    return status;
}

static dvi_exit show_unknown_json(dv_view *view, const dvi_selection *selection,
                                  const dvi_args *args, dvi_out *out)
{
    dvi_row_json r;
    dvi_last_rows last = {.wanted = args->lines};
    dvi_exit status = dvi_row_json_init(&r, selection, args);
    if (!status)
        status = read_all(&last, view, &selection->options, out);
    int64_t over = dvi_last_rows_over(&last);
    for (size_t i = last.first; i < last.end && !status; i++, over = 0)
        dvi_row_json_add(&r, last.batch[i], over);
    if (!status)
        status = dvi_row_json_finish(&r, out);
    dvi_last_rows_free(&last);
    dvi_row_json_free(&r);
    return status;
}

/* Skip all rows but the last ones. */
static dvi_exit show_known(dv_view *view, dvi_selection *selection, const dvi_args *args,
                           dvi_out *out)
{
    dv_cursor_options *options = &selection->options;
    const int64_t shown = selection->rows < args->lines ? selection->rows : args->lines;
    options->skip += selection->rows - shown;
    options->take = shown;
    if (options->threads == 0 && shown <= DVI_TABLE_ROWS)
        options->threads = 1; /* not worth starting others */
    return args->json ? dvi_row_json_show(view, selection, args, out)
                      : dvi_row_table_show(view, selection, args->quiet, out);
}

dvi_exit dvi_cmd_tail(const dvi_args *args, dvi_out *out)
{
    dv_view *view = NULL;
    dvi_selection selection = {0};
    dvi_exit status = dvi_input_open(&view, args);
    if (!status)
        status = dvi_select(&selection, args, view);
    if (!status)
        status = selection.rows >= 0 ? show_known(view, &selection, args, out)
                 : args->json        ? show_unknown_json(view, &selection, args, out)
                                     : show_unknown(view, &selection, args, out);
    dvi_selection_free(&selection);
    dv_view_release(&view);
    return status;
}
