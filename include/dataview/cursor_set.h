/* SPDX-License-Identifier: MIT */
/* cursor_set.h: cursors that share the rows of a view among threads (semantics:5.5).
 *
 * dv_cursor_open with `threads` does this on its own and delivers the rows in order.  A set is for
 * programs that process batches in threads of their own.  docs/threads.md has an example. */
#ifndef DATAVIEW_CURSOR_SET_H
#define DATAVIEW_CURSOR_SET_H

#include <dataview/cursor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Open up to n cursors, the members of a set, which together deliver every row once.
 *
 * Rows are divided into chunks, numbered from 0 in the order of rows; dv_batch_chunk returns the
 * number of a batch's chunk.  A member takes the next free chunk when it has delivered its last
 * one.  So fast threads deliver more, and if a member is closed early, the others deliver the rest.
 * Chunk numbers rise within a member, and each chunk is delivered by one member.  The batches of
 * all members, sorted by chunk, are the rows of one cursor, with the same values and row ids.  A
 * chunk may be empty.
 *
 * If the view at the base of the chain can be read by row numbers (dv_view_block_rows is not 0), a
 * chunk is some whole blocks, and members read, decode and compute independently.  Otherwise (text,
 * pipes, a view without block_rows) the members share one cursor.  The member that needs rows
 * advances it under a lock, and computes the columns that are made from them.
 *
 * Where a column takes long (dv_step_class.batch_rows, below 1,024), a chunk has at most so many
 * rows, or batch_rows if these are fewer, so that a small table is divided too.  If blocks have
 * more, the members share one cursor.
 *
 * cursors_out  an array of n.  The first *opened_out are open, the others NULL.  At least 1 is
 *              open; fewer than n if there are fewer chunks
 * options      as for dv_cursor_open; NULL: the defaults.  batch_rows: of each batch but the last
 *              of its chunk.  threads: of the shared cursor, if there is one; 0: 1, because the
 *              members have threads of their own
 *
 * A member is an ordinary cursor, for one thread at a time.  Members wait for each other only at
 * the lock.  first_row of a batch is the number of the row in the view, but undefined after a
 * filter.  Rows before an error are delivered; the error goes to the member that has its chunk or,
 * if the shared cursor returns it, to every member.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  n is less than 1
 * DV_ERR_*         as dv_cursor_open */
DV_API dv_status dv_cursor_set_open(dv_cursor *cursors_out[], int32_t n, int32_t *opened_out,
                                    dv_view *view, const dv_cursor_options *options, dv_error *err);

/* The number of the chunk to which a batch of a member belongs; 0 for a cursor that is not a
 * member.  Any thread. */
DV_API int64_t dv_batch_chunk(const dv_batch *batch);

/* Make one cursor of the members of a set.  It advances them in n threads, of which one is the
 * caller's, and delivers the rows, ids and order of dv_cursor_open, and an error right after the
 * rows before it.  Closing it early waits until each thread has finished its batch.
 *
 * members  all members of the set, none of which has been advanced.  They are taken: NULL after
 *          DV_OK
 *
 * Memory: at most n + 2 chunks.  Of a chunk with more than 16 MiB the rest is read on demand.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no members; members of different sets, or not all of a set; a member that has
 *                  been advanced
 * DV_ERR_MEMORY
 */
DV_API dv_status dv_cursor_set_consolidate(dv_cursor **cursor_out, dv_cursor *members[], int32_t n,
                                           dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
