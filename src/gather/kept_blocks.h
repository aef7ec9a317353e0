/* SPDX-License-Identifier: MIT */
/* kept_blocks.h: decoded blocks that a view keeps for its next readers, so that each take of rows
 * does not decode them anew.
 *
 * They take at most the view's budget (block_cache_nbytes in open.h), are freed with the view, and
 * are read by any number of threads. A block is kept for the list of columns that were read
 * together, not for each of them: one look then finds a row, and columns that are computed together
 * are computed once. Columns that two lists share are kept twice. Only whole blocks without a
 * defect are kept, so each reader meets a defect itself. */
#ifndef DVI_GATHER_KEPT_BLOCKS_H
#define DVI_GATHER_KEPT_BLOCKS_H

#include "gather/block.h"
#include <dataview/own_view.h>

typedef struct dvi_kept_blocks dvi_kept_blocks;

/* The blocks that a view keeps, which live as long as it does; NULL: its budget is 0.  A forked
 * child begins with none, and leaves its parent's alone.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_kept_blocks_of(dvi_kept_blocks **kept_out, dv_view *view, dv_error *err);

/* Identifies the part of a block that was read: columns in their order, ids; and the epoch, which a
 * file's values do not depend on. */
typedef struct dvi_block_key dvi_block_key;

/* For a request to the view.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_block_key_create(dvi_block_key **key_out, const dv_view *view,
                               const dv_cursor_request *request, dv_error *err);
void dvi_block_key_release(dvi_block_key **key); /* sets NULL; NULL is fine */

/* Find a block: the caller gets a reference.  NULL: it is not kept.  Any thread. */
dvi_kept_block *dvi_kept_blocks_find(dvi_kept_blocks *kept, const dvi_block_key *key,
                                     int64_t number);

/* Keep a block, of which all rows were read with the view's allocator; others may be dropped. It is
 * left out if it takes no memory, if it is kept already, or if it exceeds the budget.  Any thread.
 * DV_OK, DV_ERR_MEMORY. */
dv_status dvi_kept_blocks_add(dvi_kept_blocks *kept, dvi_block_key *key, int64_t number,
                              dvi_kept_block *block, dv_error *err);

/* Counts of the blocks that a view keeps. */
typedef struct dvi_kept_count {
    int64_t blocks, nbytes;
    int64_t highest; /* that nbytes was */
    int64_t found;   /* how often a block was */
} dvi_kept_count;

dvi_kept_count dvi_kept_blocks_count(dv_view *view);

#endif
