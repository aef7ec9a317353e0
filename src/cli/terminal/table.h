/* SPDX-License-Identifier: MIT */
/* table.h: rows of cells in aligned columns that fit the screen. */
#ifndef DVI_CLI_TABLE_H
#define DVI_CLI_TABLE_H

#include "cli/terminal/cell.h"
#include "cli/terminal/out.h"
#include "cli/terminal/say.h"
#include "cli/terminal/screen.h"
#include <dataview/schema.h>

/* Properties of a column: a set of these. */
enum {
    DVI_COLUMN_RIGHT = 1 << 0,   /* aligned to the right */
    DVI_COLUMN_FIRM = 1 << 1,    /* its cells are never cut; the column is left out instead */
    DVI_COLUMN_OPTIONAL = 1 << 2 /* left out before others */
};

typedef struct dvi_table_column {
    unsigned flags;
    int32_t natural, least, width; /* asked for, needed, given; width 0: left out */
} dvi_table_column;

/* Rows to collect before printing and clearing, so that memory stays bounded. */
#define DVI_TABLE_ROWS 1000

/* Rows of cells, collected and then laid out.  The first `header` rows are repeated after a clear.
 * Running out of memory is remembered, and reported by dvi_table_print. */
typedef struct dvi_table {
    int32_t most; /* columns of the screen */
    bool has_colour, is_failed;
    int32_t header;
    dvi_table_column *columns;
    int32_t count, columns_cap;
    dvi_cell *cells; /* row by row */
    size_t used, cells_cap;
} dvi_table;

/* A screen of width 0 is as wide as the table needs. */
void dvi_table_init(dvi_table *table, const dvi_screen *screen, int32_t header);
void dvi_table_free(dvi_table *table);

/* Add a column, before the first cell. */
void dvi_table_column_add(dvi_table *table, unsigned flags);

/* Add a cell to the last row; the text of a clip is then owned by the table. */
void dvi_table_add_text(dvi_table *table, dv_text text);
void dvi_table_add_print(dvi_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void dvi_table_add_clip(dvi_table *table, dvi_clip *clip);
void dvi_table_add_value(dvi_table *table, const dv_value *value);
void dvi_table_add_id(dvi_table *table, dv_u128 id);
void dvi_table_add_type(dvi_table *table, const dv_type *type);
void dvi_table_add_name(dvi_table *table, const dv_column_info *info); /* "x (hidden)" */

/* Add a line below the last row, which must be complete: a label, which the table then owns, and a
 * value.  The table must have at least two columns. */
void dvi_table_add_note(dvi_table *table, dvi_clip *label, const dv_value *value);

/* The number of complete rows, with notes, without the header. */
size_t dvi_table_rows(const dvi_table *table);

/* Lay it out and write it; columns left out have width 0 afterwards.  DVI_EXIT_DONE, or
 * DVI_EXIT_SYSTEM after a message that memory ran out. */
dvi_exit dvi_table_print(dvi_table *table, dvi_out *out);

/* Whether there is room for all columns that are not optional. */
bool dvi_table_fits(dvi_table *table);

/* Remove all rows but the header. */
void dvi_table_clear(dvi_table *table);

#endif
