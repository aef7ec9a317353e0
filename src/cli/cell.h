/* SPDX-License-Identifier: MIT */
/* cell.h: how is a value shown in a table, whole or shortened? */
#ifndef DVI_CLI_CELL_H
#define DVI_CLI_CELL_H

#include "cli/ink.h"
#include "cli/out.h"

typedef enum dvi_cell_kind {
    DVI_CELL_TEXT, /* cut at its end */
    DVI_CELL_NA,   /* the letters NA, which are no text */
    DVI_CELL_LIST, /* a vector: cut between items */
    DVI_CELL_NOTE  /* a line of its own below the row */
} dvi_cell_kind;

/* What is shown of a value.  Lists: the items as in sketch.h, and behind them the
 * tail, "784, 12 set", which is shown when items are left out. */
typedef struct dvi_cell {
    char *text; /* only what can be seen; owned */
    size_t nbytes;
    size_t tail;   /* lists: where the tail starts */
    int32_t least; /* columns that it should not be cut below */
    int32_t width; /* columns that it would like */
    dvi_cell_kind kind;
    bool is_whole; /* lists: nothing is left out yet */
} dvi_cell;

/* Make a cell of text, of a value, of a row id (the number that it is, when it is small), or of
 * what the ink holds, which is then the cell's.  Beyond `most` columns nothing is kept.  false: out
 * of memory, and the cell is empty. */
bool dvi_cell_text(dvi_cell *cell_out, dv_text text, int32_t most);
bool dvi_cell_value(dvi_cell *cell_out, const dv_value *value, int32_t most);
bool dvi_cell_id(dvi_cell *cell_out, dv_u16 id);
bool dvi_cell_take(dvi_cell *cell_out, dvi_ink *ink);
void dvi_cell_free(dvi_cell *cell);

/* Write it in at most `width` columns; returns how many it took. */
int32_t dvi_cell_write(const dvi_cell *cell, int32_t width, dvi_out *out);

#endif
