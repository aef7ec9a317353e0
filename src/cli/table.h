/* SPDX-License-Identifier: MIT */
/* table.h: how do rows of cells stand below each other, and fit the screen? */
#ifndef DVI_CLI_TABLE_H
#define DVI_CLI_TABLE_H

#include "cli/cell.h"
#include "cli/say.h"
#include "cli/screen.h"
#include <dataview/schema.h>

/* What a column of a table is like: a set of these. */
enum {
    DVI_COLUMN_RIGHT = 1 << 0,   /* aligned to the right */
    DVI_COLUMN_FIRM = 1 << 1,    /* its cells are never cut: rather the column is left out */
    DVI_COLUMN_OPTIONAL = 1 << 2 /* the first to be left out */
};

typedef struct dvi_table_column {
    unsigned flags;
    int32_t natural, least, width; /* asked for, needed, given; width 0: left out */
} dvi_table_column;

#define DVI_TABLE_ROWS 1000 /* gather so many, print them, clear: memory stays bounded */

/* Rows of cells, gathered and then laid out.  The first `header` rows are repeated after a clear.
 * Running out of memory is remembered and told by dvi_table_print. */
typedef struct dvi_table {
    int32_t most; /* columns of the screen */
    bool has_colour, is_failed;
    int32_t header;
    dvi_table_column *columns;
    int32_t count, columns_cap;
    dvi_cell *cells; /* row by row */
    size_t used, cells_cap;
} dvi_table;

/* width 0: a screen as wide as need be. */
void dvi_table_init(dvi_table *table, const dvi_screen *screen, int32_t header);
void dvi_table_free(dvi_table *table);

/* Add a column, before the first cell. */
void dvi_table_column_add(dvi_table *table, unsigned flags);

/* Add a cell to the last row: text, or what the ink holds, which is then the table's. */
void dvi_table_add_text(dvi_table *table, dv_text text);
void dvi_table_add_print(dvi_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void dvi_table_add_ink(dvi_table *table, dvi_ink *ink);
void dvi_table_add_value(dvi_table *table, const dv_value *value);
void dvi_table_add_id(dvi_table *table, dv_u16 id);
void dvi_table_add_type(dvi_table *table, const dv_type *type);
void dvi_table_add_name(dvi_table *table, const dv_column_info *info); /* "x (hidden)" */

/* Add a line below the last row, which is complete: a label, which is then the table's, and a
 * value.  The table has two columns or more. */
void dvi_table_add_note(dvi_table *table, dvi_ink *label, const dv_value *value);

/* Rows that are complete, notes too, the header not. */
size_t dvi_table_rows(const dvi_table *table);

/* Lay it out and write it; a column that was left out has width 0 from then on.  DVI_EXIT_DONE, or
 * DVI_EXIT_SYSTEM when told that memory ran out. */
dvi_exit dvi_table_print(dvi_table *table, dvi_out *out);

/* Forget all rows but the header. */
void dvi_table_clear(dvi_table *table);

#endif
