/* SPDX-License-Identifier: MIT */
/* cache.h: views that keep the rows of another view, in memory or in a file, so that each row is
 * computed once (semantics:8).  docs/caching.md says when to use which. */
#ifndef DATAVIEW_CACHE_H
#define DATAVIEW_CACHE_H

#include <dataview/buffer.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start from DV_CACHE_OPTIONS_INIT.  Options of the other kind of cache are ignored. */
typedef struct dv_cache_options {
    size_t size;     /* of this struct: set by the INIT */
    int32_t threads; /* that read the source: as in dv_cursor_options */

    /* In a file: of dv_view_cache_disk while it writes the file.  In memory: of each pass, called
     * in its thread; several passes may call at once.  Stopping a pass returns DV_ERR_STOPPED to
     * the cursors that wait for its rows; the rows before stay, and a cursor that is opened later
     * and needs more starts another pass */
    dv_progress progress;

    /* In memory. */
    const int32_t *prefetch; /* columns that are read in the background from now on */
    int32_t prefetch_count;  /* 0: none; -1, with prefetch NULL: all that are not hidden */
    int64_t memory_nbytes; /* the most bytes of rows in memory; 0: no limit.  Room for as many more
                              is reserved, up to 16 MiB for each column */

    /* In a file. */
    bool or_memory; /* use memory if no file can be made */
    bool check;     /* read all of an existing file to find changed bytes */
} dv_cache_options;

#define DV_CACHE_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(dv_cache_options), 0, {NULL, NULL}, NULL, 0, 0, false, false                        \
    }

/* Make a view of the same rows that keeps in memory the values that it has read of its source
 * (ML.NET: Cache).  Any thread.
 *
 * source     retained.  Each of its values is read at most once
 * options    NULL: the defaults
 * allocator  NULL: malloc.  Takes as much memory as the values that were read (sparse rows stay
 *            sparse), and less than a kilobyte per column for each MiB of them
 *
 * This call reads nothing.  If a cursor is opened on columns that are not in memory yet, one pass
 * over the source begins, in a thread of its own, with just these columns; columns that are in
 * memory or being read are not read again.  Every cursor, in any thread, then waits only until the
 * row that it needs is there.  If no column is active, rows are counted.  If the system refuses a
 * thread, the cursors that wait read the source themselves.
 *
 * schema     that of the source, hidden columns and metadata included
 * rows       the source's, if it knows them; else unknown until a pass has reached the end
 * ids        row numbers (semantics:5.4)
 * batches    point into the cache's memory, without a copy.  Opening a cursor with zero_copy_only
 *            fails with DV_ERR_COPY.  Rows are reached by number: dv_view_block_rows is 1, and
 *            first_row costs nothing once the rows have been read
 * shuffles   yes
 * facts      those of the source, verification included
 *
 * errors     of the source: every cursor delivers the rows before the error and then returns it,
 *            also for columns that were merely read in the same pass as the one at fault.  The
 *            source is not read again.  DV_ERR_MEMORY is returned by every cursor that waits; the
 *            rows before stay, and a new cursor continues from there
 * limits     DV_ERR_LIMIT from a cursor: the rows that it needs exceed memory_nbytes.
 *            DV_ERR_STOPPED: `progress` returned false; a new cursor continues from there
 *
 * A pass runs to the last row while a cursor is open that has one of its columns active; with
 * `prefetch` as long as the view lives.  When the last such cursor is closed, the pass ends with
 * the batch that the source is reading.  The rows stay, and a later cursor continues from there.
 * The last release of the view waits for that batch.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  prefetch of a column that does not exist; a negative number; options of
 *                  unknown size
 * DV_ERR_STOPPED   prefetch: `progress` returned false as a pass began
 * DV_ERR_MEMORY
 * DV_ERR_*         prefetch: what opening a cursor of the source returns
 */
DV_API dv_status dv_view_cache(dv_view **view_out, dv_view *source, const dv_cache_options *options,
                               const dv_allocator *allocator, dv_error *err);

/* Make a view of the same rows from a file of their own: an uncompressed, aligned .idv file, which
 * is written once and mapped from then on.  Any thread.
 *
 * source     retained: the view has its schema.  Its rows are read only to write the file
 * path       of the file.  Another file at this path is not touched: DV_ERR_ARGUMENT
 * options    NULL: the defaults
 * allocator  NULL: malloc
 *
 * The file belongs to the source: to the identity of its files (size, first and last bytes, times
 * of change), of the views in between and of their options.  A file is written anew if it belongs
 * to another source, or to this one before it changed; if its header or tables are damaged; or,
 * with `check`, if any byte has changed.  Writing reads all rows, in this call.  The file appears
 * whole, after it has reached the disk, or not at all.  If several processes call at once, one
 * writes the file and the others wait.
 *
 * schema     that of the source, hidden columns and metadata included
 * rows       known.  ids: row numbers
 * batches    of the mapped file, in place except BL.  dv_view_block_rows: that of the file
 * shuffles   yes
 * facts      those of the file, verification included
 *
 * A view without columns has nothing to store: the result is that of dv_view_cache.
 *
 * DV_OK
 * DV_ERR_LOSS      the file cannot hold a type (vectors of BY, extensions): the message names the
 *                  column
 * DV_ERR_IO        the file cannot be written (err->os_code), or the source changed while
 *                  it was read
 * DV_ERR_ARGUMENT  another file is at `path`; the source has no identity: a view of your own
 *                  without `identify` (own_view.h), or a pipe; options of an unknown size
 * DV_ERR_STOPPED   `progress` returned false
 * DV_ERR_MEMORY
 * DV_ERR_*         what reading the source returns
 *
 * With or_memory the result is that of dv_view_cache, with the same options, instead of
 * DV_ERR_LOSS, DV_ERR_IO or DV_ERR_ARGUMENT for a source without identity. */
DV_API dv_status dv_view_cache_disk(dv_view **view_out, dv_view *source, const char *path,
                                    const dv_cache_options *options, const dv_allocator *allocator,
                                    dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
