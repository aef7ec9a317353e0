/* SPDX-License-Identifier: MIT */
/* cursor.h: how does one walk over the rows of a view?  (semantics:5) */
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

/* What a cursor delivers.  Start from DV_CURSOR_OPTIONS_INIT: every column that is not hidden,
 * every row, batches as they lie in the file. */
typedef struct dv_cursor_options {
    size_t size; /* of this struct: set by the INIT */

    const int32_t *columns; /* the active columns, in the order wanted; NULL: see columns_count */
    int32_t columns_count;  /* -1: all that are not hidden; 0: none, rows are only counted */

    int64_t first_row, end_row; /* rows first_row..end_row-1 of the view; end_row -1: to the end */
    int64_t skip, take;         /* then pass over `skip` rows, deliver `take`; take -1: all */

    int64_t batch_rows;  /* rows of each batch but the last; 0: as stored, without a copy.  Batches
                            that cross blocks are copied; so is the last, if rows are unknown */
    int32_t threads;     /* that decode, parse and compute: 1 the caller's only; 0: the library
                            chooses, at most 8.  Rows do not depend on it (cursor_set.h) */
    bool ids;            /* deliver row ids */
    bool zero_copy_only; /* DV_ERR_COPY where the mapped bytes cannot be used as they are */

    int32_t named_columns[DV_NAMED_COLUMNS_MAX]; /* filled by dv_cursor_options_column */
    int32_t named_count;

    const char *token; /* open after the row at which dv_cursor_token was called; NULL: at the first
                          row.  Not kept */

    /* Rows that this cursor has delivered.  Called in the thread that moves the cursor, for every
     * batch that it or a view below it reads, also of rows that a filter drops or that lie before
     * the first row wanted.  Each member of a set reports its own rows. */
    dv_progress progress;
} dv_cursor_options;

#define DV_CURSOR_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(dv_cursor_options), NULL, -1, 0, -1, 0, -1, 0, 0, false, false, {0}, 0, NULL,       \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* Make a column active by name, after those named before; then only named columns are active.
 * DV_OK; DV_ERR_ARGUMENT: no such column; DV_ERR_LIMIT: more than DV_NAMED_COLUMNS_MAX, use
 * `columns`. */
DV_API dv_status dv_cursor_options_column(dv_cursor_options *options, const dv_schema *schema,
                                          const char *name, dv_error *err);

/* A walk over rows, in batches.  One thread at a time; other cursors do not notice. */
typedef struct dv_cursor dv_cursor;

/* Open a cursor before the first row.  Cheap: no row is read.  options may be NULL.  The cursor
 * holds a reference to the view.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column, a negative row or count, an unknown size of options, a token of
 *                  something else (dv_cursor_token)
 * DV_ERR_MEMORY    (threads that the system refuses are done without)
 * DV_ERR_*         what the view's own cursor says
 */
DV_API dv_status dv_cursor_open(dv_cursor **cursor_out, dv_view *view,
                                const dv_cursor_options *options, dv_error *err);

/* Move to the next batch: at least one row, in cursor order, with a view of each active column.
 *
 * cursor     not NULL; one thread at a time.  Other cursors do not notice.
 * batch_out  the batch; NULL unless DV_OK.  err may be NULL.
 *
 * Lifetime: until the next call on this cursor.  dv_batch_retain() keeps the batch, and the map or
 * buffers behind it, until dv_batch_release(), also after cursor and view are closed.  Read-only:
 * a borrowed column is the mapped file itself.
 * Cost: in steady state no allocation, but for a few per batch where threads compute ahead of the
 * cursor (cursor_set.h); touches the active columns of these rows and, with threads, of those
 * ahead.
 *
 * DV_OK           a batch
 * DV_END          no rows left; every later call says so again
 * DV_ERR_CORRUPT  err->offset is the first wrong byte; all batches before were sound
 * DV_ERR_LIMIT    a block is beyond block_nbytes, or those of all active columns together beyond
 *                 cursor_nbytes (open.h); text of a batch over 2^31-1 bytes (batch_rows)
 * DV_ERR_IO       err->os_code tells why; also when the file shrank while mapped
 * DV_ERR_STOPPED  `progress` stopped it
 * DV_ERR_COPY     zero_copy_only was asked for, and this block cannot be borrowed
 * DV_ERR_MEMORY   nothing has moved; the call may be repeated
 * Every other error is final: later calls repeat it.
 *
 * Not promised: how many rows a batch has, unless batch_rows was set.  (semantics:5.3)
 */
DV_API dv_status dv_cursor_next(dv_cursor *cursor, const dv_batch **batch_out, dv_error *err);

/* Sets the pointer to NULL; NULL is fine.  Retained batches live on. */
DV_API void dv_cursor_close(dv_cursor **cursor);

/* Where does the cursor stand?  Behind the last row of the batch that was handed out last; before
 * the first row, when none was; after all rows after DV_END.
 *
 * A cursor that is opened with the token, in this process or in another one, today or in a year,
 * goes on with the very next row: dv_cursor_options.token is its text, and batch->position goes on
 * counting.  Its view is made in the same way of the same bytes: files may have other names and
 * times (their sizes, and the first and last 64 KiB, tell them apart), and may be opened with
 * another dv_io; a pipe has no token.  first_row, end_row, skip and take are those of the first
 * cursor; columns, threads, batch_rows, ids and zero_copy_only as one likes.
 *
 * Cost: the first token of a view reads 128 KiB of each of its files, later ones nothing.  To open
 * with one costs what first_row costs: nothing where rows can be addressed, a walk where they
 * cannot (filters; text).
 *
 * DV_OK; DV_ERR_MEMORY; DV_ERR_IO; DV_ERR_ARGUMENT: a pipe; a member of a cursor set.
 * dv_cursor_open says DV_ERR_ARGUMENT, and what was expected and found, of a token that is damaged
 * or of a later version; of another file or chain of views, other parameters or other rows; of a
 * position after the last row, as far as the view knows it. */
DV_API dv_status dv_cursor_token(const dv_cursor *cursor, dv_token *token_out, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
