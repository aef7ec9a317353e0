/* SPDX-License-Identifier: MIT */
/* row_batches.h: rows of a source by their numbers, in any order, as batches.
 *
 * Each row is copied once, from where it lies in a block of the source into the batch: from the
 * mapped file, from memory that the source keeps, or from what was decoded and is still there
 * (block_cache.h).  Rows that can be had by themselves and are made when they are asked for
 * (datadings, BTable) are read one by one, those that follow each other together. */
#ifndef DVI_ROW_BATCHES_H
#define DVI_ROW_BATCHES_H

#include <dataview/cursor.h>
#include <dataview/own_view.h>

/* Where the numbers come from. */
typedef struct dvi_row_numbers {
    /* The next n of them, or fewer at the end. */
    int64_t (*next)(void *ctx, int64_t *rows_out, int64_t n);
    void *ctx;
} dvi_row_numbers;

/* How they will come; the rest is chosen by how the rows of the source lie. */
typedef struct dvi_gather_plan {
    const char *what;    /* they are called in errors: "picked rows" */
    int64_t block_rows;  /* what is read together; 0: as dv_view_block_rows says */
    int64_t end_row;     /* no number reaches it */
    int64_t pool_rows;   /* >= 1: each number comes once, out of a pool of so many rows into which
                            block after block goes; 0: in any order */
    int64_t window_rows; /* in any order, but most of them among so many rows that came last */
    bool every_block;    /* rows of every block will come */
    bool ascending;      /* the numbers rise: only one block is kept */
} dvi_gather_plan;

typedef struct dvi_row_batches dvi_row_batches;

/* The request, which must outlive it, tells columns, ids, and how many rows a batch shall have.
 * DV_OK, DV_ERR_MEMORY, or what opening a cursor of the source says. */
dv_status dvi_row_batches_create(dvi_row_batches **batches_out, dv_view *source,
                                 const dv_cursor_request *request, const dvi_gather_plan *plan,
                                 const dvi_row_numbers *numbers, dv_error *err);
void dvi_row_batches_free(dvi_row_batches **batches); /* sets NULL; NULL is fine */

/* The next rows, as a batch whose first row is number first_row of the view.  As dv_view_class's
 * next: DV_END when there are no more; a row that cannot be read is told behind those before; after
 * DV_ERR_MEMORY the call may be repeated. */
dv_status dvi_row_batches_next(dvi_row_batches *batches, int64_t first_row, dv_batch *batch,
                               dv_error *err);

/* The numbers start anew, anywhere: forget those that were asked for, but not the blocks, unless
 * they were a pool's.  DV_OK; DV_ERR_MEMORY: the call may be repeated. */
dv_status dvi_row_batches_restart(dvi_row_batches *batches, dv_error *err);

/* Most memory that blocks took until now. */
int64_t dvi_row_batches_peak(const dvi_row_batches *batches);

#endif
