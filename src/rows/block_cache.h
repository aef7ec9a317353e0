/* SPDX-License-Identifier: MIT */
/* block_cache.h: blocks of a source that were read, kept while rows of them may be asked for.
 *
 * A block is block_rows rows of the source, whatever its batches are.  What it holds of them are
 * their buffers: mapped bytes and rows in memory cost nothing but the knowledge where they are, so
 * they stay; decoded ones are bounded.  Where rows come from a pool, each once, a block goes when
 * its last row was delivered, and the rows left in old blocks are copied together. */
#ifndef DVI_BLOCK_CACHE_H
#define DVI_BLOCK_CACHE_H

#include "rows/row_ref.h"
#include <dataview/cursor.h>
#include <dataview/own_view.h>

/* How rows will be asked for. */
typedef struct dvi_block_plan {
    int64_t block_rows;  /* >= 1, of each block but the last */
    int64_t end_row;     /* behind the last row that may be asked for */
    int64_t pool_rows;   /* >= 1: no row is asked for twice, and they come from so many at a time;
                            0: any row, at any time */
    int64_t most_nbytes; /* of memory for blocks, but for one; no bound where there is a pool */
    int64_t least_rows;  /* and blocks of so many rows may be there in any case */
    bool sequential;     /* a row is reached over those before it: read on, and do not turn back */
    bool every_block;    /* rows of every block will be asked for: on the walk none is left out */
} dvi_block_plan;

typedef struct dvi_block_cache dvi_block_cache;

/* An empty one, for the columns of the request and its ids; nothing is read.  The request must
 * outlive it.  DV_OK, DV_ERR_MEMORY, or what opening a cursor says. */
dv_status dvi_block_cache_create(dvi_block_cache **cache_out, dv_view *source,
                                 const dv_cursor_request *request, const dvi_block_plan *plan,
                                 dv_error *err);
void dvi_block_cache_free(dvi_block_cache **cache); /* sets NULL; NULL is fine */

/* Where n rows are, up to the first whose block is not there: how many.  Good until the next load
 * or done. */
int64_t dvi_block_cache_find(dvi_block_cache *cache, const int64_t *rows, int64_t n,
                             dvi_row_ref *refs_out);

/* Read the block of a row, if it is not there; other blocks may go.
 *
 * DV_OK          the row is there now
 * DV_END         it is not: something before or after it cannot be read, or it was delivered and
 *                only rows that are left were kept; read it by itself
 * DV_ERR_MEMORY  no row is lost, and another call goes on.  Blocks on the way to the row, and even
 *                its own, may have been read and kept: refs found before are not good any more.
 */
dv_status dvi_block_cache_load(dvi_block_cache *cache, int64_t row, dv_error *err);

/* These rows were delivered (where there is a pool). */
void dvi_block_cache_done(dvi_block_cache *cache, const int64_t *rows, int64_t n);

/* Memory that is held for blocks now. */
int64_t dvi_block_cache_nbytes(const dvi_block_cache *cache);

#endif
