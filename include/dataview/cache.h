/* SPDX-License-Identifier: MIT */
/* cache.h: how are rows kept that were read once?  In memory, or in a file.  (semantics:8;
 * docs/caching.md tells when to use which) */
#ifndef DATAVIEW_CACHE_H
#define DATAVIEW_CACHE_H

#include <dataview/buffer.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start from DV_CACHE_OPTIONS_INIT.  What the other kind of cache alone has a use for is ignored.
 */
typedef struct dv_cache_options {
    size_t size;     /* of this struct: set by the INIT */
    int32_t threads; /* with which the source is read: as in dv_cursor_options */

    /* In memory. */
    const int32_t *prefetch; /* columns to be read in the background from now on */
    int32_t prefetch_count;  /* 0: none; -1, with prefetch NULL: all that are not hidden */
    int64_t memory_nbytes;   /* most bytes of held rows; 0: as many as they take */

    /* In a file. */
    bool or_memory; /* in memory, where there can be no such file */
    bool check;     /* read all of an old file, too, to see whether a byte of it has changed */
    dv_progress progress; /* while the file is written */
} dv_cache_options;

#define DV_CACHE_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(dv_cache_options), 0, NULL, 0, 0, false, false,                                     \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* A view of the same rows, which keeps in memory what was read of its source.
 *
 * source     retained.  Each value of it is read once, or never
 * options    NULL: the defaults
 * allocator  NULL: malloc.  As much memory as the values take that were read (sparse rows stay
 *            sparse), and less than a kilobyte a column for each MiB of them
 *
 * Nothing is read when it is made.  A cursor that is opened with columns which are not there yet
 * starts one pass over the source, in a thread of its own, with just these columns; those that are
 * there or on their way are not read again.  Then the cursor waits no longer than until the row
 * that it needs is there; so does every other one, in any thread.  Without active columns only rows
 * are counted.  Where the system refuses a thread, cursors that wait do the reading themselves.
 *
 * schema     that of the source, hidden columns and metadata too
 * rows       the source's, if it knows; else unknown until a pass has reached the end
 * ids        their numbers (semantics:5.4)
 * batches    of that memory, without a copy; zero_copy_only is refused with DV_ERR_COPY when a
 *            cursor is opened.  Rows can be had by number: dv_view_block_rows is 1, and a cursor
 *            with first_row goes there at no cost, once they have been read
 * shuffles   yes
 * facts      those of the source, verification too
 *
 * errors     of the source: every cursor delivers the rows before, then says the same, also of
 *            columns that were only read together with the one at fault; the source is not asked
 *            again.  After DV_ERR_MEMORY, which every cursor that waits returns, the rows before
 *            stay, and the next call or cursor that needs more has the source read on from there
 * limits     DV_ERR_LIMIT from a cursor: the rows that it needs are over memory_nbytes
 *
 * A pass goes on to the last row while a cursor is open that has one of its columns active, and for
 * prefetch as long as the view lives.  When the last such cursor is closed, the pass ends with the
 * batch that the source is at; what it has read stays, and a later cursor goes on from there.  The
 * view's last release waits for that batch.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  prefetch of a column that there is not; a negative number; options of an unknown
 *                  size
 * DV_ERR_MEMORY
 * DV_ERR_*         prefetch: what the source says when a cursor is opened
 */
DV_API dv_status dv_view_cache(dv_view **view_out, dv_view *source, const dv_cache_options *options,
                               const dv_allocator *allocator, dv_error *err);

/* A view of the same rows, which are in a file of their own: an uncompressed, aligned .idv file,
 * written once, and mapped by everyone who comes later.
 *
 * source     retained: its schema is that of the view; rows are read of it only to write the file
 * path       of the file.  What is there and is no such file is not touched: DV_ERR_ARGUMENT
 * options    NULL: the defaults
 * allocator  NULL: malloc
 *
 * The file belongs to the source: to the identity of its files (size, first and last bytes, times
 * of change), of the views on the way and of their options.  One that belongs to another source, or
 * to this one before it changed, that is damaged as far as its header and tables tell, or (option
 * check) in any byte, is written anew.  That reads all rows, in this call; the file appears whole,
 * or not at all, and is on the disk before.  Of several processes that come at once one writes it,
 * the others wait.
 *
 * schema     that of the source, hidden columns and metadata too
 * rows       known.  ids: their numbers
 * batches    of the mapped file, in place but for BL.  dv_view_block_rows: those of the file
 * shuffles   yes
 * facts      those of the file, verification too
 *
 * A view without columns has nothing to be stored: it is dv_view_cache.
 *
 * DV_OK
 * DV_ERR_LOSS      the file cannot hold a type (BY, extensions): the message names the column
 * DV_ERR_IO        no file can be written there, and err->os_code tells why; or the source has
 *                  changed while it was read
 * DV_ERR_ARGUMENT  another file is at `path`; a view of one's own without `identify` (own_view.h),
 * or of a pipe, of which nobody can say whether it is the same as before; options of an unknown
 * size DV_ERR_STOPPED   `progress` said so DV_ERR_MEMORY DV_ERR_*         what the source says
 * while it is read
 *
 * With or_memory there is a view all the same where no file can be made, of DV_ERR_LOSS, DV_ERR_IO
 * or a source that nobody can tell from others: dv_view_cache, with the options. */
DV_API dv_status dv_view_cache_disk(dv_view **view_out, dv_view *source, const char *path,
                                    const dv_cache_options *options, const dv_allocator *allocator,
                                    dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
