/* SPDX-License-Identifier: MIT */
/* made_table.h: a view of columns that a test made, in blocks of any size. */
#ifndef DVT_MADE_TABLE_H
#define DVT_MADE_TABLE_H

#include <dataview/view.h>
#include <stdatomic.h>

#define DVT_MADE_COLUMNS 8

/* Metadata of a column. */
typedef struct dvt_made_metadata {
    int32_t column;
    const char *kind;
    dv_column_view value;
} dvt_made_metadata;

/* Column k is called "a", "b" and so on, and has the type of its view, which stays the test's. */
typedef struct dvt_made_table {
    dv_column_view column[DVT_MADE_COLUMNS];
    int32_t columns;
    int64_t rows, block_rows; /* no batch crosses a multiple of block_rows */
    bool in_blocks;           /* and says so: a row is reached by its block */
    bool rows_unknown;
    int64_t bad_row; /* with a column active, the batch that holds it is corrupt; -1: none */
    atomic_int_fast64_t read;           /* rows that were delivered, per active column */
    const char *name[DVT_MADE_COLUMNS]; /* instead of the letter; NULL: the letter */
    const char *metadata_kind;          /* of column 0, with this value; NULL: none */
    dv_column_view metadata;
    const dvt_made_metadata *more; /* of any column */
    int32_t more_count;
} dvt_made_table;

/* table must outlive the view. */
dv_view *dvt_made_table_open(dvt_made_table *table, const dv_allocator *allocator);

/* n values of that type, at `values`. */
dv_column_view dvt_made_fixed(dv_type type, const void *values, int64_t n);
/* n texts; ends as in dv_text_layout. */
dv_column_view dvt_made_text(dv_kind kind, const char *utf8, const int32_t *ends, int64_t n);

#endif
