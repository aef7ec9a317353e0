/* SPDX-License-Identifier: MIT */
/* split_groups.c: keeps rows with the same value of a column in one part. */
#include "cli/verbs/split_groups.h"
#include "cli/args/input.h"
#include "cli/args/reword.h"
#include "cli/verbs/split_column.h"
#include <dataview/order.h>
#include <stdlib.h>

static dvi_exit check_parts(const dvi_writing *w, const dvi_shares *shares, const int64_t *counts)
{
    int filled = 0;
    for (int i = 0; i < shares->count; i++)
        filled += counts[i] > 0;
    return filled == shares->count
               ? DVI_EXIT_DONE
               : dvi_say_usage(
                     "--group %s: the column has %d different value%s, too few for %d files",
                     w->args->group, filled, filled == 1 ? "" : "s", shares->count);
}

static dvi_exit order_rows(dvi_writing *w, dvi_split_column *c, const dvi_shares *shares,
                           int64_t *rows_out)
{
    dv_error err = DV_ERROR_INIT;
    int64_t first;
    dvi_exit status = dvi_writing_count(w, &first);
    if (status)
        return status;
    const int64_t n = w->selection.rows;
    int64_t *rows = calloc((size_t)n + 1, sizeof *rows);
    if (!rows)
        return dvi_say_memory();
    if (dv_order_groups(rows, rows_out, n, c->view, c->column, &c->rows, shares->part,
                        shares->count, (uint64_t)w->args->seed, &err) != DV_OK)
        status = dvi_say_reworded(&err);
    for (int64_t i = 0; i < n; i++)
        rows[i] += first;
    if (!status)
        status = check_parts(w, shares, rows_out);
    if (!status)
        status = dvi_writing_order(w, rows, n, -1);
    free(rows);
    return status;
}

dvi_exit dvi_split_groups(dvi_writing *w, const dvi_shares *shares, int64_t *rows_out)
{
    dvi_split_column c = {0};
    dvi_exit status = dvi_split_column_find(&c, w, "--group", w->args->group, "groups");
    if (!status && dv_view_block_rows(w->view) == 0)
        status = dvi_writing_materialize(w);
    if (!status)
        status = order_rows(w, &c, shares, rows_out);
    dv_view_release(&c.view);
    return status;
}
