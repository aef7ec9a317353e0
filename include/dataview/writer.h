/* SPDX-License-Identifier: MIT */
/* writer.h: writes a file from rows that come bit by bit.  examples/rows.c is a complete program.
 */
#ifndef DATAVIEW_WRITER_H
#define DATAVIEW_WRITER_H

#include <dataview/batch.h>
#include <dataview/save.h>
#include <dataview/schema.h>
#include <dataview/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file in the making, in any format that can be written.  The same rows make the same bytes as
 * dv_save, however they are divided among calls.
 *
 * Until dv_writer_close returns DV_OK the old file at the path is unchanged: after a failure, after
 * dv_writer_abandon, and after a crash, which may leave a temporary file for the next save to
 * remove (dv_save).
 *
 * One thread at a time.  After a failure every later call, dv_writer_close included, fails with the
 * same status and message, so a row of calls needs only one check.
 *
 * Memory does not grow with the rows, with two exceptions: .idv keeps 16 bytes per block and
 * column, datadings keeps the key of each row and its place.  .idv holds the rows of a block back
 * until it is full. */
typedef struct dv_writer dv_writer;

/* Begin a file.
 *
 * path     copied
 * schema   of a view, or made with dv_schema_create; it stays the caller's, and must outlive the
 *          writer
 * rows     the number of rows that will be appended, or DV_ROWS_UNKNOWN.  Keys of datadings that
 *          are row numbers have as many digits as the last one needs, or ten if it is unknown;
 *          nothing else depends on it
 * options  as for dv_save; NULL: the defaults.  The texts and arrays that it names must outlive the
 *          writer.  `columns` and `hidden` choose the columns of the schema that are written; rows
 *          are not chosen (first_row, end_row, skip, take).  `progress` and `report` are called by
 *          the functions below
 *
 * DV_OK
 * DV_ERR_LOSS, DV_ERR_IO, DV_ERR_UNSUPPORTED, DV_ERR_MEMORY, DV_ERR_STOPPED  as dv_save
 * DV_ERR_ARGUMENT  as dv_save; an option that chooses rows; rows less than -1
 * DV_ERR_*         what reading metadata returns (dv_schema_metadata_value)
 *
 * After a failure *writer_out is NULL, and the path is as it was. */
DV_API dv_status dv_writer_open(dv_writer **writer_out, const char *path, const dv_schema *schema,
                                int64_t rows, const dv_save_options *options, dv_error *err);

/* Append the rows of a batch that has all columns of the schema, in its order, hidden ones
 * included.  The batch stays the caller's; the writer may keep a reference to it.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  another number of columns, or a column of another type; more rows than
 *                  announced; a user's view broke a promise of batch.h
 * DV_ERR_LOSS      a value that the format cannot hold; the message names row, counted from the
 *                  first one appended, and column
 * DV_ERR_IO        err->os_code is the reason: a full disk; or a file, into which a batch points
 *                  whose rows are held back, became shorter
 * DV_ERR_LIMIT, DV_ERR_STOPPED, DV_ERR_MEMORY  as dv_save */
DV_API dv_status dv_writer_append(dv_writer *writer, const dv_batch *batch, dv_error *err);

/* Append rows of arrays, as dv_table_create takes them: one column for each of the schema, of the
 * same name and type, in its order.  The arrays are copied.  Pass one row if that is what there is;
 * hundreds at a time cost much less.
 *
 * Statuses as dv_writer_append; DV_ERR_ARGUMENT also as dv_table_create. */
DV_API dv_status dv_writer_append_columns(dv_writer *writer, const dv_table_column *columns,
                                          int32_t n, int64_t rows, dv_error *err);

/* Write what is held back, replace the file at the path as dv_save does, and free the writer, also
 * after a failure.  Sets the pointer to NULL; NULL is fine: DV_OK.
 *
 * DV_OK            the file is complete; with `sync` it has reached the disk
 * DV_ERR_ARGUMENT  fewer rows than announced
 * DV_ERR_*         an earlier failure; else as dv_writer_append and dv_save */
DV_API dv_status dv_writer_close(dv_writer **writer, dv_error *err);

/* Free the writer and write no file.  Sets the pointer to NULL; NULL is fine. */
DV_API void dv_writer_abandon(dv_writer **writer);

/* A file of any content, for formats of your own: it replaces the file at its path as dv_save does,
 * as a whole or not at all.  One thread at a time.  After a failure every later call fails with the
 * same status and message. */
typedef struct dv_file_writer dv_file_writer;

/* Begin a file.
 *
 * path       copied.  If it ends in .gz or .zst, in any case, the bytes are compressed
 * sync       dv_file_writer_close returns after the file has reached the disk
 * allocator  NULL: malloc
 *
 * DV_OK; DV_ERR_IO, DV_ERR_ARGUMENT: as dv_save; DV_ERR_UNSUPPORTED: this build lacks the library
 * that compresses; DV_ERR_MEMORY.  After a failure *writer_out is NULL, and the path is as it was.
 */
DV_API dv_status dv_file_writer_open(dv_file_writer **writer_out, const char *path, bool sync,
                                     const dv_allocator *allocator, dv_error *err);

/* Append n bytes.  DV_OK; DV_ERR_IO; DV_ERR_MEMORY: only if they are compressed. */
DV_API dv_status dv_file_writer_append(dv_file_writer *writer, const void *data, size_t n,
                                       dv_error *err);

/* Replace the file at the path, and free the writer, also after a failure.  Sets the pointer to
 * NULL; NULL is fine: DV_OK.  DV_OK; an earlier failure; DV_ERR_IO, DV_ERR_MEMORY. */
DV_API dv_status dv_file_writer_close(dv_file_writer **writer, dv_error *err);

/* Free the writer and write no file.  Sets the pointer to NULL; NULL is fine. */
DV_API void dv_file_writer_abandon(dv_file_writer **writer);

#ifdef __cplusplus
}
#endif

#endif
