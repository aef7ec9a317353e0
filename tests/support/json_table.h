/* SPDX-License-Identifier: MIT */
/* json_table.h: a view of a small table that is written as golden files are (golden.h). */
#ifndef DVT_JSON_TABLE_H
#define DVT_JSON_TABLE_H

#include "view/growing_column.h"
#include "support/golden.h"
#include "support/made_table.h"

#define DVT_JSON_METADATA 8
/* Metadata are columns of a row. */
#define DVT_JSON_COLUMNS (DVT_MADE_COLUMNS + DVT_JSON_METADATA)

typedef struct dvt_json_table {
    dvt_made_table made; /* its block_rows may be set before it is opened */
    dvt_table parsed;
    dvi_growing_column held[DVT_JSON_COLUMNS];
    dvi_column column[DVT_JSON_COLUMNS];
    int32_t dims[DVT_JSON_COLUMNS][4];
    char name[DVT_JSON_COLUMNS][32]; /* of columns; kinds of metadata */
    dvt_made_metadata metadata[DVT_JSON_METADATA];
} dvt_json_table;

/* Read a header and rows, one a line; anything else ends the program.  No types but scalars that
 * dvt_one_make makes, and vectors of them.  `lines` is borrowed until the table is freed.  Then
 * &table->made may be opened. */
void dvt_json_table_read(dvt_json_table *table, const char *lines);
void dvt_json_table_free(dvt_json_table *table);

#endif
