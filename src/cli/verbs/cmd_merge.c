/* SPDX-License-Identifier: MIT */
/* cmd_merge.c: writes the rows of several files to one. */
#include "cli/args/input.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/row_order.h"
#include <string.h>

dvi_exit dvi_cmd_merge(const dvi_args *args, dvi_out *out)
{
    dvi_writing w;
    dvi_output output = {.path = args->last, .take = -1};
    const char *strategy = args->strategy ? args->strategy : "random";
    const bool is_mixed = strcmp(strategy, "random") == 0;
    if (strcmp(strategy, "sequential") == 0)
        return dvi_say_usage("merge --strategy expects random or concat, not sequential");
    if (!is_mixed && args->has_seed)
        return dvi_say_usage("--seed has no effect with --strategy %s", strategy);
    if (is_mixed && dvi_input_has_pipe(args))
        return dvi_say_usage("merge reads each file twice, and a pipe comes once: save it into a "
                             "file first, or say --strategy concat");
    dvi_exit status = dvi_writing_open(&w, args, out);
    if (!status && is_mixed)
        status = dvi_row_order_merge(&w);
    if (!status)
        status = dvi_writing_run(&w, &output, 1);
    dvi_writing_free(&w);
    return status;
}
