/* SPDX-License-Identifier: MIT */
/* block_cache.h: blocks of a source that were read, kept while their rows may be asked for.
 *
 * A block is block_rows rows of the source, whatever its batches are.  The cache keeps the buffers
 * of these rows.  Mapped bytes and rows in memory cost nothing but their addresses, so they stay;
 * memory for decoded blocks is bounded.  If rows come from a pool, each once, a decoded block is
 * dropped with its last row, and rows left in old blocks are copied together. */
#ifndef DVI_GATHER_BLOCK_CACHE_H
#define DVI_GATHER_BLOCK_CACHE_H

#include "gather/row_ref.h"
#include <dataview/cursor.h>
#include <dataview/own_view.h>

/* How rows will be asked for. */
typedef struct dvi_block_plan {
    int64_t block_rows;  /* >= 1, of each block but the last */
    int64_t end_row;     /* greater than every row that will be asked for */
    int64_t pool_rows;   /* >= 1: no row is asked for twice, and they come from this many at a time;
                            0: any row, at any time */
    int64_t most_nbytes; /* of memory for decoded blocks, except the newest; no bound with a pool */
    int64_t least_rows;  /* decoded blocks with this many rows are kept in any case */
    bool sequential;     /* a row is reached over those before it: read on, do not turn back */
    bool is_stored;      /* columns are used as a view without a source has them: in place, they are
                            the same in every epoch */
    bool every_block; /* rows of every block will be asked for: with `sequential` none is skipped */
    bool keeps;       /* the source keeps decoded blocks for its next readers, and may have kept
                         some (kept_blocks.h): it knows its rows, and these are its own blocks */
} dvi_block_plan;

typedef struct dvi_block_cache dvi_block_cache;

/* An empty cache for the columns of the request and its ids; nothing is read.  The request must
 * outlive it.  DV_OK, DV_ERR_MEMORY, or what opening a cursor returns. */
dv_status dvi_block_cache_create(dvi_block_cache **cache_out, dv_view *source,
                                 const dv_cursor_request *request, const dvi_block_plan *plan,
                                 dv_error *err);
void dvi_block_cache_free(dvi_block_cache **cache); /* sets NULL; NULL is fine */

/* Find n rows, up to the first whose block is not in the cache: returns how many.  The references
 * are valid until the next load or done. */
int64_t dvi_block_cache_find(dvi_block_cache *cache, const int64_t *rows, int64_t n,
                             dvi_row_ref *refs_out);

/* Read the block of a row, if it is not in the cache; other blocks may be dropped.
 *
 * DV_OK          the row is in the cache
 * DV_END         it is not: it, or a row before it in the block, cannot be read; or it was
 *                delivered, and only the rows left were kept.  Read it by itself
 * DV_ERR_MEMORY  no row is lost; call again.  Blocks on the way to the row, and even its own, may
 *                have been read and kept: references found before are no longer valid
 */
dv_status dvi_block_cache_load(dvi_block_cache *cache, int64_t row, dv_error *err);

/* These rows were delivered.  Has an effect only with a pool. */
void dvi_block_cache_done(dvi_block_cache *cache, const int64_t *rows, int64_t n);

/* Rows of another position will be asked for, and of another epoch if the request has a new one.
 * Blocks that do not depend on it stay. */
void dvi_block_cache_restart(dvi_block_cache *cache);

/* Bytes of memory that blocks take now; without those that take only their addresses. */
int64_t dvi_block_cache_nbytes(const dvi_block_cache *cache);
int64_t dvi_block_cache_costly_nbytes(const dvi_block_cache *cache);

#endif
