/* SPDX-License-Identifier: MIT */
/* cmd_cat.c: writes all rows for other programs. */
#include "cli/args/input.h"
#include "cli/args/select.h"
#include "cli/print/print_plan.h"
#include "cli/print/print_rows.h"
#include "cli/terminal/progress.h"
#include "cli/verbs/commands.h"

typedef struct cat {
    dvi_progress progress;
    const dvi_out *out;
    int64_t rows; /* in all; -1: unknown */
} cat;

static bool show_progress(void *ctx, int64_t done, bool is_written)
{
    cat *c = ctx;
    if (is_written)
        dvi_progress_rows(&c->progress, done, c->rows);
    else if (c->out->is_terminal)
        dvi_progress_clear(&c->progress);
    return true;
}

static dvi_exit write_selection(dvi_out *out, dv_view *view, const dvi_selection *selection,
                                const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    cat c = {.out = out, .rows = selection->rows};
    if (!out->is_terminal || args->progress) /* rows on the screen show the progress */
        dvi_progress_start(&c.progress, args->progress, args->quiet);
    const dv_status read = dvi_print_rows(out, dvi_printer_find(args->format), view, selection,
                                          show_progress, &c, &err);
    dvi_out_flush(out); /* the rows before an error come first */
    dvi_progress_clear(&c.progress);
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
        status = args->plan ? dvi_print_plan(out, view, &selection)
                            : write_selection(out, view, &selection, args);
    dvi_selection_free(&selection);
    dv_view_release(&view);
    return status;
}
