/* SPDX-License-Identifier: MIT */
/* row_table.h: rows of a view as a table that fits the screen. */
#ifndef DVI_CLI_ROW_TABLE_H
#define DVI_CLI_ROW_TABLE_H

#include "cli/args/select.h"
#include "cli/terminal/out.h"
#include "cli/terminal/table.h"

/* A table of selected rows: names, types, then a line per row; after DVI_TABLE_ROWS rows a new
 * table begins. */
typedef struct dvi_row_table {
    const dvi_selection *selection;
    dvi_out *out;
    dvi_table table;
    int32_t candidates; /* the first selected columns, as many as could fit; only these are read */
    dv_value *values;   /* one per candidate, at the current row */
    int64_t rows;       /* shown so far */
    bool has_printed;   /* an earlier table, which this one continues */
} dvi_row_table;

/* All return DVI_EXIT_DONE, or another status after a message. */

/* Begin the table; free it in any case. */
dvi_exit dvi_row_table_init(dvi_row_table *t, const dvi_selection *selection, dvi_out *out);
void dvi_row_table_free(dvi_row_table *t);

/* Add the rows of a batch of the candidates, from row `first` on. */
dvi_exit dvi_row_table_add(dvi_row_table *t, const dv_batch *batch, int64_t first);
/* Add all rows that a cursor with the selection's options delivers; if one cannot be read, print
 * the rows before it, then the error. */
dvi_exit dvi_row_table_read(dvi_row_table *t, dv_view *view);
/* Print the rest, and "10 of 600 rows, 5 columns" unless quiet. */
dvi_exit dvi_row_table_finish(dvi_row_table *t, bool quiet);

/* Print all rows that a cursor with the selection's options delivers; if one cannot be read, the
 * rows before it, then the error. */
dvi_exit dvi_row_table_show(dv_view *view, const dvi_selection *selection, bool quiet,
                            dvi_out *out);

#endif
