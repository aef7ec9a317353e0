/* SPDX-License-Identifier: MIT */
/* cmd_shuffle.c: the rows of a table in another order. */
#include "cli/row_order.h"

dvi_exit dvi_cmd_shuffle(const dvi_args *args, dvi_out *out)
{
    dvi_writing w;
    dvi_part part = {.path = args->last, .take = -1};
    dvi_exit status = dvi_writing_open(&w, args, out);
    if (!status)
        status = dvi_row_order_shuffle(&w, -1);
    if (!status)
        status = dvi_writing_run(&w, &part, 1);
    dvi_writing_free(&w);
    return status;
}
