/* SPDX-License-Identifier: MIT */
/* row_table.h: how do rows of a view become a table that fits the screen? */
#ifndef DVI_CLI_ROW_TABLE_H
#define DVI_CLI_ROW_TABLE_H

#include "cli/select.h"
#include "cli/table.h"

/* A table of selected rows: names, types, a line per row, in parts of DVI_TABLE_ROWS. */
typedef struct dvi_row_table {
    const dvi_selection *selection;
    dvi_out *out;
    dvi_table table;
    int32_t candidates; /* selected columns that could fit; only these are read */
    dv_value *values;   /* one per candidate, standing in a row */
    int64_t rows;       /* shown so far */
    bool has_printed;   /* a table, of which this one is the next part */
} dvi_row_table;

/* All return DVI_EXIT_DONE, or another status when told what is wrong. */

/* Start it; to be freed in any case. */
dvi_exit dvi_row_table_init(dvi_row_table *t, const dvi_selection *selection, dvi_out *out);
void dvi_row_table_free(dvi_row_table *t);

/* Add the rows of a batch of the candidates, from row `first` on. */
dvi_exit dvi_row_table_add(dvi_row_table *t, const dv_batch *batch, int64_t first);
/* Print what is left, and "10 of 600 rows, 5 columns" unless quiet. */
dvi_exit dvi_row_table_finish(dvi_row_table *t, bool quiet);

/* All of it, with the rows that a cursor with the selection's options delivers; those before a
 * failure come first. */
dvi_exit dvi_row_table_show(dv_view *view, const dvi_selection *selection, bool quiet,
                            dvi_out *out);

#endif
