/* SPDX-License-Identifier: MIT */
/* gather_blocks.h: the rows that a gatherer reads from blocks.
 *
 * Blocks are kept (block_cache.h). Rows that come in any order are of another block each time: if
 * blocks are decoded and too large to be kept together, a block would be decoded for each row. Then
 * many rows are picked ahead of their turn, and each block is decoded once for all of its rows that
 * come. */
#ifndef DVI_GATHER_GATHER_BLOCKS_H
#define DVI_GATHER_GATHER_BLOCKS_H

#include "gather/block_cache.h"

#define DVI_PICKS_NBYTES ((int64_t)64 << 20) /* no more is copied at a time, but for a few rows */

typedef struct dvi_gather_blocks dvi_gather_blocks;

/* ahead: how many rows may be picked together; 0: they come in an order in which blocks stay as
 * long as they are needed.  Otherwise as dvi_block_cache_create. */
dv_status dvi_gather_blocks_create(dvi_gather_blocks **blocks_out, dv_view *source,
                                   const dv_cursor_request *request, const dvi_block_plan *plan,
                                   int64_t ahead, dv_error *err);
void dvi_gather_blocks_free(dvi_gather_blocks **blocks); /* sets NULL; NULL is fine */

/* Find some of the next n rows, the first one and those after it, at most `most`.
 *
 * DV_OK           references to *found_out rows, valid until the next call
 * DV_END          the first row must be read by itself
 * DV_ERR_MEMORY   call again
 * DV_ERR_CORRUPT  the same: the file changes */
dv_status dvi_gather_blocks_find(dvi_gather_blocks *blocks, const int64_t *rows, int64_t n,
                                 int64_t most, dvi_row_ref *refs_out, int64_t *found_out,
                                 dv_error *err);

/* These rows, the next ones, were delivered or left out. */
void dvi_gather_blocks_done(dvi_gather_blocks *blocks, const int64_t *rows, int64_t n);

/* As dvi_block_cache_restart. */
void dvi_gather_blocks_restart(dvi_gather_blocks *blocks);

/* Are rows picked ahead?  Then their numbers should be known. */
bool dvi_gather_blocks_pick(const dvi_gather_blocks *blocks);

/* The most memory that blocks and picked rows have taken, in bytes. */
int64_t dvi_gather_blocks_peak(const dvi_gather_blocks *blocks);

#endif
