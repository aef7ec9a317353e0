/* SPDX-License-Identifier: MIT */
/* cmd_head.c: shows the first rows. */
#include "cli/args/input.h"
#include "cli/print/row_json.h"
#include "cli/print/row_table.h"
#include "cli/print/thumbnails.h"
#include "cli/verbs/commands.h"

dvi_exit dvi_cmd_head(const dvi_args *args, dvi_out *out)
{
    dv_view *view = NULL;
    dvi_selection selection = {0};
    dvi_graphics how;
    dvi_exit status = dvi_thumbnails_how(&how, args, out);
    if (!status)
        status = dvi_input_open(&view, args);
    if (!status)
        status = dvi_select(&selection, args, view);
    if (!status) {
        dv_cursor_options *options = &selection.options;
        if (options->take < 0 || options->take > args->lines)
            options->take = args->lines;
        if (options->threads == 0 && options->take <= DVI_TABLE_ROWS)
            options->threads = 1; /* not worth starting others */
        status = args->json ? dvi_row_json_show(view, &selection, args, out)
                            : dvi_row_table_show(view, &selection, args->quiet, out);
        if (!status && how != DVI_GRAPHICS_NONE)
            status = dvi_thumbnails_show(how, view, &selection, out);
    }
    dvi_selection_free(&selection);
    dv_view_release(&view);
    return status;
}
