/* SPDX-License-Identifier: MIT */
/* row_gatherer.h: rows of a source by number, in any order, handed to a sink that copies them.
 *
 * The gatherer decides how the source is read.  Values of fixed width in place are copied from
 * where they lie (places.h), if the sink can do that.  Else rows of a block are read together and
 * kept (block_cache.h): in the mapped file, in memory that the source keeps, or as they were
 * decoded. The sink gets references to them, so each row is copied once; twice if rows come in any
 * order and not all blocks can be kept (gather_blocks.h).  Rows that a source makes on request, one
 * by one (datadings, BTable), are read by themselves, and consecutive ones together; so are costly
 * rows whose block need not be decoded.  The sink gets them as batches. */
#ifndef DVI_GATHER_ROW_GATHERER_H
#define DVI_GATHER_ROW_GATHERER_H

#include "gather/below.h"
#include "gather/places.h"
#include "gather/row_ref.h"
#include <dataview/own_view.h>

/* Where the row numbers come from. */
typedef struct dvi_row_numbers {
    /* The next n numbers from a position of the order on, or fewer at the end; returns how many.
     * Positions follow each other, except after a restart. */
    int64_t (*next)(void *ctx, int64_t position, int64_t *rows_out, int64_t n);
    void (*close)(void *ctx); /* frees ctx; NULL: nothing to free */
    void *ctx;
} dvi_row_numbers;

/* How the numbers come.  The rest follows from how the source stores its rows. */
typedef struct dvi_gather_plan {
    const char *what;    /* what errors call the rows: "rows taken" */
    int64_t block_rows;  /* rows that are read together; 0: as dv_view_block_rows says */
    int64_t end_row;     /* greater than every number */
    int64_t pool_rows;   /* each number comes once, drawn from a pool of this size that is filled
                            block by block; 0: in any order */
    int64_t window_rows; /* in any order, but most numbers lie in a window of this size */
    bool every_block;    /* rows of every block will come */
    bool ascending;      /* the numbers rise: one block is kept */
    bool keeps_blocks;   /* in any order: decoded blocks stay with the source for its next readers
                            (kept_blocks.h) */
    bool knows_places;   /* the sink has take_places */
    int64_t batch_rows;  /* rows that the sink may take together; 0: a few hundred */
} dvi_gather_plan;

/* A sink copies the rows. */
typedef struct dvi_row_sink {
    /* How many rows the sink takes next, 0 when it is full; *wanted_out: how many until it is full.
     */
    int64_t (*room)(void *ctx, int64_t *wanted_out);
    /* With knows_places: copy n rows of the view that is read from their places: as
     * many as the sink wants, or fewer.  DV_NOT_FOUND: one is not in place; none was taken, and
     * they come by another way. */
    dv_status (*take_places)(void *ctx, const dvi_places *places, const int64_t *rows, int64_t n,
                             dv_error *err);
    /* Copy the first *taken_out of n rows, all columns or none; fewer than n only if the sink is
     * full.  The references are valid during the call. */
    dv_status (*take_refs)(void *ctx, const dvi_row_ref *refs, int64_t n, int64_t *taken_out,
                           dv_error *err);
    /* Copy the rows of a batch, or none of them if the sink is full.  It has no more rows than the
     * sink wanted when their numbers were read. */
    dv_status (*take_batch)(void *ctx, const dv_batch *batch, bool *is_taken_out, dv_error *err);
    void *ctx;
} dvi_row_sink;

typedef struct dvi_row_gatherer dvi_row_gatherer;

/* The request, which must outlive the gatherer, names the columns and asks for ids.  The rows begin
 * at position request->first_row and end before request->end_row.  May read a batch of the source.
 *
 * DV_OK
 * DV_ERR_MEMORY
 * DV_ERR_*       what opening a cursor of the source returns
 */
dv_status dvi_row_gatherer_create(dvi_row_gatherer **gatherer_out, dv_view *source,
                                  const dv_cursor_request *request, const dvi_gather_plan *plan,
                                  const dvi_row_numbers *numbers, dv_error *err);
void dvi_row_gatherer_free(dvi_row_gatherer **gatherer); /* sets NULL; NULL is fine */

/* Hand the next rows to the sink, until it is full or there are no more.
 *
 * DV_OK
 * DV_ERR_MEMORY
 * DV_ERR_*       the next row cannot be read; the sink has those before
 */
dv_status dvi_row_gatherer_fill(dvi_row_gatherer *gatherer, const dvi_row_sink *sink,
                                dv_error *err);

/* Go to another position, perhaps of another order; if the request's epoch has changed, of that
 * epoch.  Blocks stay, except decoded ones of a pool or of an epoch. */
void dvi_row_gatherer_restart(dvi_row_gatherer *gatherer, int64_t position);

/* Leave out the next n rows.  Not with a pool, where the blocks of these rows would wait for them.
 */
void dvi_row_gatherer_skip(dvi_row_gatherer *gatherer, int64_t n);

/* The view that is read, which numbers are turned into: below those that only choose or reorder
 * rows by number, unless the plan goes by blocks. */
const dvi_below *dvi_row_gatherer_below(const dvi_row_gatherer *gatherer);

/* The places that the next rows are copied from, rows of that view, which stay until the next fill;
 * NULL: there are none. */
const dvi_places *dvi_row_gatherer_places(const dvi_row_gatherer *gatherer);

/* The most memory that blocks have taken, in bytes. */
int64_t dvi_row_gatherer_peak(const dvi_row_gatherer *gatherer);

#endif
