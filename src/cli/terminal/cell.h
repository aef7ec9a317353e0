/* SPDX-License-Identifier: MIT */
/* cell.h: a cell of a table: a value, whole or shortened. */
#ifndef DVI_CLI_CELL_H
#define DVI_CLI_CELL_H

#include "cli/terminal/clip.h"
#include "cli/terminal/out.h"

typedef enum dvi_cell_kind {
    DVI_CELL_TEXT, /* cut at its end */
    DVI_CELL_NA,   /* the letters NA for a missing value */
    DVI_CELL_LIST, /* a vector: cut between items */
    DVI_CELL_NOTE  /* a line of its own below the row */
} dvi_cell_kind;

/* What is shown of a value.  A list holds its items as brief.h writes them, then the tail
 * "784, 12 set", which is shown if items are left out. */
typedef struct dvi_cell {
    char *text; /* only displayable text; owned */
    size_t nbytes;
    size_t tail;   /* lists: where the tail starts */
    int32_t least; /* columns that it is not cut below */
    int32_t width; /* columns that it takes uncut */
    dvi_cell_kind kind;
    bool is_whole; /* lists: no item is left out */
} dvi_cell;

/* Make a cell from text, a value, a row id (as a number if it fits 64 bits), or the text of a clip,
 * which the cell then owns.  Text past `most` columns is dropped.  false: out of memory, and the
 * cell is empty. */
bool dvi_cell_text(dvi_cell *cell_out, dv_text text, int32_t most);
bool dvi_cell_value(dvi_cell *cell_out, const dv_value *value, int32_t most);
bool dvi_cell_id(dvi_cell *cell_out, dv_u128 id);
bool dvi_cell_take(dvi_cell *cell_out, dvi_clip *clip);
void dvi_cell_free(dvi_cell *cell);

/* Write it in at most `width` columns; returns the columns used. */
int32_t dvi_cell_write(const dvi_cell *cell, int32_t width, dvi_out *out);

#endif
