/* SPDX-License-Identifier: MIT */
/* cmd_sample.c: writes some rows of a table. */
#include "cli/args/option_value.h"
#include "cli/terminal/amount.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/row_order.h"
#include <string.h>

/* Read the number of rows, and whether they are drawn at random. */
static dvi_exit read_request(const dvi_args *args, int64_t *n_out, bool *is_random_out)
{
    const char *strategy = args->strategy ? args->strategy : "random";
    *is_random_out = strcmp(strategy, "random") == 0;
    if (args->numbers.count != 1)
        return dvi_say_usage("sample needs the number of rows after OUT: dataview sample %s",
                             args->verb->arguments);
    if (strcmp(strategy, "concat") == 0)
        return dvi_say_usage("sample --strategy expects random or sequential, not concat");
    if (!*is_random_out && args->has_seed)
        return dvi_say_usage("--seed has no effect with --strategy %s", strategy);
    return dvi_set_count("the number of rows", args->numbers.word[0], INT64_MAX, n_out);
}

static dvi_exit run(dvi_writing *w, int64_t n, bool is_random)
{
    dvi_output output = {.path = w->args->last, .take = n};
    char rows[DVI_AMOUNT_CAP];
    int64_t first;
    dvi_exit status = dvi_writing_count(w, &first);
    if (!status && n > w->selection.rows && !w->args->quiet)
        dvi_say("warning: the input has only %s", dvi_amount_count(rows, w->selection.rows, "row"));
    if (output.take > w->selection.rows)
        output.take = w->selection.rows;
    if (!status && is_random)
        status = dvi_row_order_shuffle(w, n);
    return status ? status : dvi_writing_run(w, &output, 1);
}

dvi_exit dvi_cmd_sample(const dvi_args *args, dvi_out *out)
{
    dvi_writing w;
    int64_t n = 0;
    bool is_random;
    dvi_exit status = read_request(args, &n, &is_random);
    if (status)
        return status;
    status = dvi_writing_open(&w, args, out);
    if (!status)
        status = run(&w, n, is_random);
    dvi_writing_free(&w);
    return status;
}
