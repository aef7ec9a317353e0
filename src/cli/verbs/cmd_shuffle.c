/* SPDX-License-Identifier: MIT */
/* cmd_shuffle.c: writes the rows of a table in random order. */
#include "cli/verbs/commands.h"
#include "cli/verbs/row_order.h"

dvi_exit dvi_cmd_shuffle(const dvi_args *args, dvi_out *out)
{
    dvi_writing w;
    dvi_output output = {.path = args->last, .take = -1};
    dvi_exit status = dvi_writing_open(&w, args, out);
    if (!status)
        status = dvi_row_order_shuffle(&w, -1);
    if (!status)
        status = dvi_writing_run(&w, &output, 1);
    dvi_writing_free(&w);
    return status;
}
