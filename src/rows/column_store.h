/* SPDX-License-Identifier: MIT */
/* column_store.h: rows of columns, copied into memory, each of them reached at once.
 *
 * A column is stored in runs of rows, of which the last one grows in place: its memory is reserved,
 * and readers have the rows before.  Columns that are filled together have runs that end at the
 * same rows; runs of other columns may end anywhere. */
#ifndef DVI_COLUMN_STORE_H
#define DVI_COLUMN_STORE_H

#include "view/batch.h"

typedef struct dvi_store_run dvi_store_run;

/* One column from row 0 on.  All zeros: a column without rows. */
typedef struct dvi_column_store {
    dvi_store_run **runs;
    size_t count, cap;
    int64_t rows;
} dvi_column_store;

void dvi_column_store_free(dvi_column_store *store, const dv_allocator *allocator);

/* How many rows from `row` on are in one run, up to as many as a batch should have; 0 if the row is
 * not stored yet.  hint: the caller's, for this column; any number at first. */
int64_t dvi_column_store_reach(const dvi_column_store *store, int64_t row, size_t *hint);
/* Let column k of a batch be `rows` rows from `row` on, which are in one run, found with that hint.
 * They live as long as the batch, whatever becomes of the run. */
void dvi_column_store_lend(const dvi_column_store *store, int64_t row, int64_t rows, size_t hint,
                           dv_batch *batch, int32_t k);

/* --- Filling --- */

/* For columns that others read while they are filled.  NULL: others do not, and memory has no
 * bound.
 */
typedef struct dvi_filler_class {
    /* May so many bytes be taken, for rows from `row` on?  DV_OK, or the status that refuses. */
    dv_status (*admit)(void *ctx, int64_t row, size_t nbytes, dv_error *err);
    /* Around each change of a column; after unlock its new rows may be read. */
    void (*lock)(void *ctx);
    void (*unlock)(void *ctx);
} dvi_filler_class;

/* Fills n columns, all of which have the same number of rows. */
typedef struct dvi_filler {
    dvi_column_store **stores; /* of the caller, like all above `rest` */
    int32_t n;
    dv_allocator allocator;
    const dvi_filler_class *cls;
    void *ctx;

    dvi_column *rest;     /* of each column of a batch, what is not copied yet */
    dvi_store_run **open; /* of each column, the run that is being filled; NULL: none */
    bool is_stored;       /* the open runs are in the stores, which own them */
    size_t nbytes;        /* of all rows that were added */
} dvi_filler;

/* DV_OK; DV_ERR_MEMORY.  Call dvi_filler_free in either case; the stores keep their rows. */
dv_status dvi_filler_init(dvi_filler *filler, dvi_column_store **stores, int32_t n,
                          const dv_allocator *allocator, const dvi_filler_class *cls, void *ctx,
                          dv_error *err);
void dvi_filler_free(dvi_filler *filler);

/* Append the rows of a batch: its column k to stores[k].  After a failure all columns have the same
 * number of rows.  DV_OK, DV_ERR_MEMORY, what `admit` returns. */
dv_status dvi_filler_add(dvi_filler *filler, const dv_batch *batch, dv_error *err);
/* No more rows come: give back memory that is reserved for more. */
void dvi_filler_settle(dvi_filler *filler);

#endif
