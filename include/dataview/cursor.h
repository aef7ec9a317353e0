/* SPDX-License-Identifier: MIT */
/* cursor.h: cursors, which read the rows of a view in batches (semantics:5.3). */
#ifndef DATAVIEW_CURSOR_H
#define DATAVIEW_CURSOR_H

#include <dataview/batch.h>
#include <dataview/schema.h>
#include <dataview/status.h>
#include <dataview/token.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DV_NAMED_COLUMNS_MAX 32

/* What a cursor delivers.  Start from DV_CURSOR_OPTIONS_INIT: all columns that are not hidden, all
 * rows, in batches as they are stored. */
typedef struct dv_cursor_options {
    size_t size; /* of this struct: set by the INIT */

    const int32_t *columns; /* the active columns, in order; NULL: see columns_count */
    int32_t columns_count;  /* of `columns`; with NULL: -1 all that are not hidden, 0 none: rows are
                               only counted */

    int64_t first_row, end_row; /* rows first_row..end_row-1 of the view; end_row -1: to the end */
    int64_t skip, take;         /* of these, skip `skip` and deliver `take`; take -1: all */

    int64_t batch_rows;  /* rows of each batch but the last; 0: as stored, without a copy.  A batch
                            that crosses blocks is copied, and so is the last one if the number of
                            rows is unknown */
    int32_t threads;     /* that decode, parse and compute: 1 only the caller's; 0: the library
                            chooses, at most 8.  More than 1024 count as 1024.  Rows do not depend
                            on it (docs/threads.md) */
    bool ids;            /* deliver row ids */
    bool zero_copy_only; /* fail with DV_ERR_COPY instead of copying values of a mapped file.  Ends
                            of texts, and lengths, counts and indices of vectors, are always
                            copied, so that they stay as they were checked */

    int32_t named_columns[DV_NAMED_COLUMNS_MAX]; /* filled by dv_cursor_options_column */
    int32_t named_count;

    const char *token; /* start at the position of this token (dv_cursor_token); NULL: at the first
                          row.  Not kept */

    /* Reports the rows that this cursor has delivered, in the thread that advances it, for every
     * batch that it or a view below it reads, including rows that a filter drops and rows before
     * the first requested one, and at the end.  A total that was unknown (-1) is then known.  Each
     * member of a set reports its own rows. */
    dv_progress progress;

    int64_t epoch; /* of a training, for steps that draw by lot (step.h, docs/images.md): 0, 1, 2,
                      ...; -1: as the step says.  A feed sets it.  No part of the token: a cursor
                      that continues needs the same */
} dv_cursor_options;

#define DV_CURSOR_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(dv_cursor_options), NULL, -1, 0, -1, 0, -1, 0, 0, false, false, {0}, 0, NULL,       \
            {NULL, NULL}, -1                                                                       \
    }

/* Make a column active by name, after those added before.  Then only columns added by name are
 * active.  options is changed; schema and name are not kept.
 * DV_OK; DV_ERR_ARGUMENT: no such column; DV_ERR_LIMIT: more than DV_NAMED_COLUMNS_MAX: set
 * `columns` instead. */
DV_API dv_status dv_cursor_options_column(dv_cursor_options *options, const dv_schema *schema,
                                          const char *name, dv_error *err);

/* Reads rows in batches, forward only (ML.NET: DataViewRowCursor).  One thread at a time; cursors
 * are independent of each other. */
typedef struct dv_cursor dv_cursor;

/* Open a cursor before the first row.  No row is read.  The caller closes it with dv_cursor_close;
 * it holds a reference to the view.  options may be NULL, and is not kept.  If the system refuses
 * to start threads, the cursor works with fewer.  Any thread.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column, a negative row or count, options of unknown size, or a token
 *                  that does not fit (dv_cursor_token)
 * DV_ERR_MEMORY
 * DV_ERR_*         what the view's own cursor returns, such as DV_ERR_COPY
 */
DV_API dv_status dv_cursor_open(dv_cursor **cursor_out, dv_view *view,
                                const dv_cursor_options *options, dv_error *err);

/* Move to the next batch: at least one row, in cursor order, with a view of each active column.
 *
 * batch_out  the batch; NULL unless DV_OK
 *
 * Lifetime: the batch is valid until the next call on this cursor.  dv_batch_retain keeps it, with
 * the mapped file or the memory that it points into, until dv_batch_release, even after cursor and
 * view are closed.  It is read-only: a borrowed column is the mapped file itself.
 * Cost: in steady state no allocation, except a few per batch if threads compute ahead of the
 * cursor (docs/threads.md).  Reads only the active columns of these rows and, with threads, of rows
 * ahead.
 * Rows: the number of rows of a batch is unspecified unless batch_rows is set (semantics:5.3).
 *
 * DV_OK           a batch
 * DV_END          no rows are left; every later call returns it again
 * DV_ERR_CORRUPT  err->offset is the first wrong byte; all batches before were sound
 * DV_ERR_LIMIT    a block exceeds block_nbytes, or the blocks of all active columns together exceed
 *                 cursor_nbytes (open.h); or the text of a batch exceeds 2^31-1 bytes: reduce
 *                 batch_rows
 * DV_ERR_IO       err->os_code is the reason; also if the file shrank while it was mapped
 * DV_ERR_STOPPED  `progress` returned false
 * DV_ERR_COPY     zero_copy_only is set, and this block cannot be borrowed
 * DV_ERR_MEMORY
 *
 * Every error is final: later calls return it again.  To go on, for example after DV_ERR_MEMORY,
 * open a cursor with the token of this one (dv_cursor_token): it continues with the very next row.
 */
DV_API dv_status dv_cursor_next(dv_cursor *cursor, const dv_batch **batch_out, dv_error *err);

/* Close the cursor and set the pointer to NULL; NULL is fine.  Retained batches stay valid.  Waits
 * for the cursor's threads, each of which finishes its batch. */
DV_API void dv_cursor_close(dv_cursor **cursor);

/* Write the position of the cursor as a token: after the last row of the batch that it delivered
 * last; before the first row if it has delivered none; after all rows after DV_END.
 *
 * A cursor that is opened with the token (dv_cursor_options.token), in this process or in another
 * one, at any later time, continues with the very next row, and batch->position continues to count.
 * Its view must be made in the same way from the same bytes.  Files are identified by their size
 * and their first and last 64 KiB: names, times and dv_io may differ.  first_row, end_row, skip and
 * take must be those of the first cursor; columns, threads, batch_rows, ids and zero_copy_only may
 * differ.  A pipe has no token.  More in docs/resuming.md.
 *
 * Cost: the first token of a view reads 128 KiB of each of its files, later ones nothing.  Opening
 * a cursor with a token costs what first_row costs: nothing if rows can be addressed by number;
 * otherwise (filters, text) the rows before are read.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  a pipe; a member of a cursor set
 * DV_ERR_IO, DV_ERR_MEMORY
 *
 * dv_cursor_open returns DV_ERR_ARGUMENT, with what was expected and found, for a token that is
 * damaged or of a later version; that is of another file or chain of views, or of other parameters
 * or rows; or whose position is after the last row, as far as the view knows it. */
DV_API dv_status dv_cursor_token(const dv_cursor *cursor, dv_token *token_out, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
