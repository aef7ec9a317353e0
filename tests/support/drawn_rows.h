/* SPDX-License-Identifier: MIT */
/* drawn_rows.h: a table to draw from, and the rows that docs/shuffling.md says are drawn: a model
 * that shares no code with src/order. */
#ifndef DVT_DRAWN_ROWS_H
#define DVT_DRAWN_ROWS_H

#include "support/made_table.h"
#include <dataview/sample.h>

#define DVT_DRAWN_MOST 700 /* rows of the table, and of a sample */

/* Columns: n the number of the row, w its weight, c its class (NA is one), t a text of it. */
typedef struct dvt_drawn_table {
    dvt_made_table made;
    int64_t number[DVT_DRAWN_MOST];
    double weight[DVT_DRAWN_MOST];
    int32_t class[DVT_DRAWN_MOST];
    int32_t ends[DVT_DRAWN_MOST + 1];
    char utf8[8 * DVT_DRAWN_MOST];
} dvt_drawn_table;

/* n rows in blocks; weights and classes follow from the seed.  0 block_rows: reached only in
 * sequence.  The table must outlive the view. */
dv_view *dvt_drawn_open(dvt_drawn_table *table, int64_t n, int64_t block_rows, uint64_t seed,
                        const dv_allocator *allocator);

/* The rows of a sample in an epoch; returns how many, -1: the options are refused, because there
 * are too few rows. */
int64_t dvt_drawn_model(int64_t *rows, const dvt_drawn_table *table,
                        const dv_sample_options *options, int64_t epoch);

/* P(n, key) of that page, for n <= 4096; and a key of a key. */
void dvt_model_permutation(int64_t *numbers, int64_t n, uint64_t key);
uint64_t dvt_model_key(uint64_t key, uint64_t number);

#endif
