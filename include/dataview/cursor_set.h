/* SPDX-License-Identifier: MIT */
/* cursor_set.h: how do several threads walk over the rows of one view?  (semantics:5.5)
 *
 * dv_cursor_open with `threads` does all of this by itself, and gives the rows in their order.  A
 * set is for those who have threads of their own, and work to do for each batch in them. */
#ifndef DATAVIEW_CURSOR_SET_H
#define DATAVIEW_CURSOR_SET_H

#include <dataview/cursor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Open up to n cursors that together deliver every row once.
 *
 * Rows are shared out in chunks, numbered from 0 in the order of rows: dv_batch_chunk returns the
 * number of the chunk that the rows of a batch belong to.  Whichever member asks first gets the
 * next chunk, so each goes as fast as its thread, and one that is closed early leaves the rest to
 * the others.  Chunk numbers rise within a member, each chunk is delivered by one member only, and
 * the batches of all members, sorted by chunk, are the rows of one cursor: the same values, the
 * same row ids.  A chunk may be empty.
 *
 * Where rows can be had by number (dv_view_block_rows), at the beginning of a chain of views, a
 * chunk is some whole blocks, and members read, decode and compute independently of each other.
 * Where rows can only be read in sequence (text, pipes, a view without block_rows), they share one
 * cursor, which the member that asks moves on under a lock, and compute what is made of its rows.
 *
 * cursors_out  place for n; the first *opened_out are open, the others NULL.  At least 1; fewer
 *              than n where there are fewer chunks
 * options      as for dv_cursor_open; NULL: the defaults.  batch_rows: of each batch but the last
 *              of its chunk.  threads: of the shared cursor, if there is one; 0: the library
 *              chooses, which is 1 here, because the members have threads of their own
 *
 * A member is an ordinary cursor: one thread at a time, any thread; members do not wait for each
 * other but for the lock.  first_row of its batches is the number of the row in the view, except
 * after a filter, where it is of no meaning.  Rows before an error are delivered to whoever asked
 * for them, the error to the member that has the chunk it lies in; if it is the shared cursor's, to
 * every member.
 *
 * DV_OK; as dv_cursor_open; DV_ERR_ARGUMENT: n is less than 1. */
DV_API dv_status dv_cursor_set_open(dv_cursor *cursors_out[], int32_t n, int32_t *opened_out,
                                    dv_view *view, const dv_cursor_options *options, dv_error *err);

/* The number of the chunk that the rows of a batch belong to (row ids are batch->ids); 0 for a
 * cursor that is not a member of a set. */
DV_API int64_t dv_batch_chunk(const dv_batch *batch);

/* One cursor over the members of a set, in threads of its own: n - 1 and the caller's.  The same
 * rows, ids and order as dv_cursor_open would give, an error right after the rows before it;
 * closing it early waits for what is being done and leaves the rest.
 *
 * members  all of the set, none of which has been moved.  They are taken: NULL after DV_OK
 *
 * Memory: as many chunks as n, and two; what goes beyond 16 MiB in a chunk is read when its rows
 * are asked for.  DV_OK; DV_ERR_ARGUMENT: no members, of different sets, or moved; DV_ERR_MEMORY.
 */
DV_API dv_status dv_cursor_set_consolidate(dv_cursor **cursor_out, dv_cursor *members[], int32_t n,
                                           dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
