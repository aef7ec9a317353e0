/* SPDX-License-Identifier: MIT */
/* cmd_convert.c: writes a table to a file of any format. */
#include "cli/print/print_plan.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/writing.h"

dvi_exit dvi_cmd_convert(const dvi_args *args, dvi_out *out)
{
    dvi_writing w;
    dvi_output output = {.path = args->last, .take = -1};
    dvi_exit status = dvi_writing_open(&w, args, out);
    if (!status)
        status = args->plan ? dvi_print_plan(out, w.view, &w.selection)
                            : dvi_writing_run(&w, &output, 1);
    dvi_writing_free(&w);
    return status;
}
