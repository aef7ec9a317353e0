/* SPDX-License-Identifier: MIT */
/* many_rows.h: a made table of many rows, and what tests of statistics share. */
#ifndef DVT_MANY_ROWS_H
#define DVT_MANY_ROWS_H

#include "support/made_table.h"
#include <dataview/stats.h>

/* A seeded draw. */
uint64_t dvt_draw(uint64_t *state);

/* Columns: a reals, a seventh of them NaN; b whole numbers 0..299; c whole numbers, nearly all
 * different; d vectors of 4 whole numbers -500..499 in either layout. */
typedef struct dvt_many_rows {
    dvt_made_table table;
    double *real;
    int32_t *few, *many, *counts, *indices, *item;
    dv_column_view items;
} dvt_many_rows;

dvt_many_rows *dvt_many_rows_create(int64_t rows, int64_t block_rows);
void dvt_many_rows_free(dvt_many_rows *rows);

/* Statistics; a failure ends the program. */
dv_stats *dvt_stats_of(dv_view *view, const dv_stats_options *options);

/* Every column, hidden ones too; free the list with dvt_all_columns_free. */
dv_cursor_options dvt_all_columns(const dv_view *view);
void dvt_all_columns_free(dv_cursor_options *options);

#endif
