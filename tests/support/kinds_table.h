/* SPDX-License-Identifier: MIT */
/* kinds_table.h: a table of one kind: a scalar, a vector of three slots, a vector of any length. */
#ifndef DVT_KINDS_TABLE_H
#define DVT_KINDS_TABLE_H

#include "support/made_table.h"

#define DVT_KINDS_ROWS 60

/* Which items there are. */
typedef struct dvt_kinds_of {
    dv_type type;  /* of an item: any with values of a fixed width, DZ, TX; BY has those of TX */
    bool has_na;   /* of those types that have one beside their numbers */
    bool is_ascii; /* texts */
} dvt_kinds_of;

/* All that a file may hold: 16 kinds and keys of each width; returns how many. */
#define DVT_KINDS 20
dvt_kinds_of dvt_kinds_at(int i);

/* A table of columns "a" (scalar), "b" (vector of 3) and "c" (of any length), dense and sparse rows
 * mixed, DVT_KINDS_ROWS rows in batches of block_rows.  Free it after its view. */
typedef struct dvt_kinds_table {
    dvt_made_table made;
    dv_column_view items;
    void *memory;
} dvt_kinds_table;

void dvt_kinds_make(dvt_kinds_table *table, dvt_kinds_of kind, int64_t block_rows);
void dvt_kinds_free(dvt_kinds_table *table);

#endif
