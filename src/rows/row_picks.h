/* SPDX-License-Identifier: MIT */
/* row_picks.h: rows of blocks that do not fit into memory together, copied block by block.
 *
 * Rows that come in any order are of another block each time.  If blocks are decoded and too large
 * to be kept, a block would be decoded for each row.  So many rows are looked up ahead of their
 * turn: each block is decoded once for all rows of it that come. */
#ifndef DVI_ROW_PICKS_H
#define DVI_ROW_PICKS_H

#include "rows/block_cache.h"

#define DVI_PICKS_NBYTES ((int64_t)64 << 20) /* no more is copied at a time, but for a few rows */

typedef struct dvi_row_picks dvi_row_picks;

/* For at most `most` rows at a time, of the columns of the request and its ids; it must outlive
 * them.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_row_picks_create(dvi_row_picks **picks_out, const dv_cursor_request *request,
                               int64_t most, dv_error *err);
void dvi_row_picks_free(dvi_row_picks **picks); /* sets NULL; NULL is fine */

/* How many rows should be copied together: as many as memory is for, as far as rows are known. */
int64_t dvi_row_picks_room(const dvi_row_picks *picks);

/* Copy n rows through the cache, in place of those copied before.  A row that cannot be read, or
 * for which there is no room, is left out.
 *
 * DV_OK
 * DV_ERR_MEMORY   nothing is copied; call again
 * DV_ERR_CORRUPT  the same: the file changes */
dv_status dvi_row_picks_copy(dvi_row_picks *picks, dvi_block_cache *blocks, const int64_t *rows,
                             int64_t n, dv_error *err);

/* Find n rows, up to the first that was not copied: returns how many.  The references are valid
 * until the next copy. */
int64_t dvi_row_picks_find(const dvi_row_picks *picks, const int64_t *rows, int64_t n,
                           dvi_row_ref *refs_out);

/* Bytes of memory that the copies take. */
int64_t dvi_row_picks_nbytes(const dvi_row_picks *picks);

#endif
