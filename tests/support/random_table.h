/* SPDX-License-Identifier: MIT */
/* random_table.h: tables of any types and values, from a seed: texts that look like everything else
 * a text file has, vectors of every size, dense and sparse. */
#ifndef DVT_RANDOM_TABLE_H
#define DVT_RANDOM_TABLE_H

#include "base/arena.h"
#include "support/made_table.h"

typedef struct dvt_random_table {
    dvt_made_table table;
    dvi_arena arena;
    uint64_t state;
    dv_column_view items[DVT_MADE_COLUMNS], names;
} dvt_random_table;

/* 1 to DVT_MADE_COLUMNS columns, the last of which may vary, and column 0 may have SlotNames; at
 * most 24 rows in blocks of 1 to 5.  Keys are in their range; texts have no CR. */
dvt_random_table *dvt_random_table_create(uint64_t seed);
void dvt_random_table_free(dvt_random_table *random);

#endif
