/* SPDX-License-Identifier: MIT */
/* column_store.h: rows of columns, copied into memory, each of them reached at once.
 *
 * A column is stored in runs of rows, of which the last one grows in place: its memory is reserved,
 * and readers have the rows before.  Columns that are filled together have runs that end at the
 * same rows; runs of other columns may end anywhere. */
#ifndef DVI_TABLE_COLUMN_STORE_H
#define DVI_TABLE_COLUMN_STORE_H

#include "view/batch.h"
#include <dataview/cursor.h>
#include <dataview/own_view.h>

typedef struct dvi_store_run dvi_store_run;

/* One column from row 0 on.  All zeros: a column without rows.  Rows without runs are counted only.
 */
typedef struct dvi_column_store {
    dvi_store_run **runs;
    size_t count, cap;
    int64_t rows;
} dvi_column_store;

void dvi_column_store_free(dvi_column_store *store, const dv_allocator *allocator);

/* The cursor of a view whose rows are in memory: members of dv_view_class. */
typedef struct dvi_memory_cursor {
    void *view; /* its self */
    const dv_cursor_request *request;
    int64_t at; /* the next row */
    size_t run; /* where rows of a column store were found last */
} dvi_memory_cursor;

dv_status dvi_memory_cursor_open(void *self, const dv_cursor_request *request, void **cursor_out,
                                 dv_error *err);
dv_status dvi_memory_cursor_seek(void *cursor, dv_error *err);
void dvi_memory_cursor_close(void *cursor);

/* Deliver the next rows, which n columns, usually the active ones, have in one run each.  They live
 * as long as the batch, whatever becomes of the run.  known: how many rows there are, or
 * DV_ROWS_UNKNOWN.  DV_OK; DV_END; DV_NOT_FOUND: *lacking_out is a column that does not have the
 * row yet. */
dv_status dvi_column_stores_next(const dvi_column_store *stores, dvi_memory_cursor *cursor,
                                 const int32_t *columns, int32_t n, int64_t known, dv_batch *batch,
                                 int32_t *lacking_out, dv_error *err);

/* --- Filling --- */

/* For columns that others read while they are filled.  NULL: others do not, and memory has no
 * bound.
 */
typedef struct dvi_filler_class {
    /* May the rows from `row` on take `nbytes` more?  DV_OK, or the status that refuses. */
    dv_status (*admit)(void *ctx, int64_t row, size_t nbytes, dv_error *err);
    /* Around each change of a column; after unlock its new rows may be read. */
    void (*lock)(void *ctx);
    void (*unlock)(void *ctx);
} dvi_filler_class;

/* Fills n columns, all of which have the same number of rows. */
typedef struct dvi_filler {
    dvi_column_store *stores; /* the caller's, like all above `rest` */
    const int32_t *columns;   /* to fill; NULL: the first n */
    int32_t n;
    dv_allocator allocator;
    const dvi_filler_class *cls;
    void *ctx;

    dvi_column *rest;     /* what is not copied yet, by columns */
    dvi_store_run **open; /* the run that is being filled, by columns; NULL: none */
    bool is_stored;       /* the open runs are in the stores, which own them */
    size_t nbytes;        /* bytes that were added */
} dvi_filler;

/* DV_OK; DV_ERR_MEMORY.  Call dvi_filler_free in either case; the stores keep their rows. */
dv_status dvi_filler_init(dvi_filler *filler, dvi_column_store *stores, const int32_t *columns,
                          int32_t n, const dv_allocator *allocator, const dvi_filler_class *cls,
                          void *ctx, dv_error *err);
void dvi_filler_free(dvi_filler *filler);

/* Append the next batch of a cursor with these columns, and add to the number of rows.  At DV_END
 * memory that is reserved for more is given back.  After a failure all columns have the same number
 * of rows.  DV_OK; DV_END; an error of the cursor; DV_ERR_MEMORY; what `admit` returns. */
dv_status dvi_filler_read(dvi_filler *filler, dv_cursor *cursor, int64_t *rows, dv_error *err);

#endif
