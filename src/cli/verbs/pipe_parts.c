/* SPDX-License-Identifier: MIT */
/* pipe_parts.c: fits a pipeline in parts. */
#include "cli/verbs/pipe_parts.h"
#include "cli/args/pipe_args.h"
#include "cli/terminal/amount.h"
#include <dataview/open.h>
#include <dataview/save.h>
#include <stdlib.h>

dvi_exit dvi_pipe_parts_make(dv_view *view, const dvi_args *args, dvi_out *out)
{
    char rows[DVI_AMOUNT_CAP];
    dv_view *part;
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "idv";
    const dvi_exit status = dvi_pipe_part(&part, view, args);
    if (status)
        return status;
    const dv_status saved = dv_save(part, args->model_out, &options, &err);
    dv_view_release(&part);
    if (saved < 0)
        return dvi_say_error(&err);
    if (!args->quiet && dv_view_rows(view) >= 0)
        dvi_out_print(out, "%s seen\n", dvi_amount_count(rows, dv_view_rows(view), "row"));
    return DVI_EXIT_DONE;
}

static dvi_exit open_parts(dv_view **parts, const dvi_words *files)
{
    for (int i = 0; i < files->count; i++) {
        dv_error err = DV_ERROR_INIT;
        if (dv_open(&parts[i], files->word[i], NULL, &err) != DV_OK)
            return dvi_say_error(&err);
    }
    return DVI_EXIT_DONE;
}

dvi_exit dvi_pipe_parts_merge(dv_fitted **fitted_out, const dvi_args *args)
{
    const int n = args->files.count;
    dv_error err = DV_ERROR_INIT;
    dv_view **parts = calloc((size_t)n, sizeof *parts);
    *fitted_out = NULL;
    if (!parts)
        return dvi_say_memory();
    dvi_exit status = open_parts(parts, &args->files);
    if (!status && dv_fit_merge(fitted_out, NULL, parts, n, NULL, NULL, &err) != DV_OK)
        status = dvi_say_error(&err);
    for (int i = 0; i < n; i++)
        dv_view_release(&parts[i]);
    free(parts);
    return status;
}
