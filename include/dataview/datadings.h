/* SPDX-License-Identifier: MIT */
/* datadings.h: looks up samples of datadings by key, returns their bytes, and rebuilds the index.
 *
 * The functions take views that dv_open made of a datadings file, with any columns, and several of
 * them that dv_open_many or dv_view_concat has joined: their rows are counted through, and a key is
 * that of the first file that has it.  Any other view, including one made from such a view, is
 * DV_ERR_ARGUMENT.  Any thread, at any time.  The files are specified in datadings:1 and
 * datadings:2. */
#ifndef DATAVIEW_DATADINGS_H
#define DATAVIEW_DATADINGS_H

#include <dataview/buffer.h>
#include <dataview/type.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Find the row of the sample with a key.  Keys are compared as bytes.
 *
 * The first call makes a table of the hashes in .key_hashes, 17 bytes for each sample.  Without
 * that file it hashes the keys in .keys, and without both the `key` of each message.  The key of
 * the row that the hash leads to is compared with the one asked for, in .keys; with the option
 * `confirm-` it is not, as in the package, and the hash alone decides.
 *
 * Of several joined files, one without a table yet has its .filter asked first, and makes no table
 * if that excludes the key; a .filter that is missing or damaged is not asked.
 *
 * DV_OK
 * DV_NOT_FOUND        no sample has the key; *row_out is -1, as after every failure
 * DV_ERR_CORRUPT      the files do not belong together, or one of them is damaged: a hash leads to
 *                     a row with another key, whose hash it is not (datadings:8.10)
 * DV_ERR_UNSUPPORTED  keys that no salt distinguishes
 * DV_ERR_IO, DV_ERR_MEMORY
 */
DV_API dv_status dv_datadings_find(dv_view *view, dv_text key, int64_t *row_out, dv_error *err);

/* Find the rows of n keys: rows_out[i] is the row of keys[i], or -1 if no sample has it.  After a
 * failure all are -1.  For some hundred keys one call costs less than single look-ups.
 * DV_OK, even if keys are missing; failures as dv_datadings_find. */
DV_API dv_status dv_datadings_find_many(dv_view *view, const dv_text *keys, size_t n,
                                        int64_t *rows_out, dv_error *err);

/* Test whether a sample has a key.  As dv_datadings_find, but consults .filter first: if that
 * excludes the key, no table is needed.  DV_OK; failures as dv_datadings_find, and DV_ERR_CORRUPT:
 * a damaged .filter (datadings:8.17 to 21). */
DV_API dv_status dv_datadings_contains(dv_view *view, dv_text key, bool *does_out, dv_error *err);

/* Return the key of a row, which is valid UTF-8, or the message of a row, which is not parsed.
 *
 * The bytes are the mapped file itself if possible, else a copy (is_borrowed).  The caller releases
 * the buffer with dv_buffer_release; until then it is valid, even after the view is released.
 * After a failure it is empty.
 *
 * DV_OK
 * DV_NOT_FOUND     (key) no file lists keys, and the message has none
 * DV_ERR_ARGUMENT  no such row
 * DV_ERR_LIMIT     (message) it is longer than message_nbytes
 * DV_ERR_CORRUPT, DV_ERR_IO, DV_ERR_MEMORY
 */
DV_API dv_status dv_datadings_key(dv_view *view, int64_t row, dv_buffer *key_out, dv_error *err);
DV_API dv_status dv_datadings_message(dv_view *view, int64_t row, dv_buffer *message_out,
                                      dv_error *err);

struct dv_save_options; /* save.h */

/* Rebuild the files beside the view's file, as a save writes them: .offsets, .keys, .key_hashes,
 * .filter and .md5.  Offsets and keys are those of the view: from a legacy .index, which stays and
 * gets a line in .md5; from .offsets and .keys, if other files are missing; or, with the option
 * `scan`, from the messages alone, and then an .index is removed.
 *
 * options  `sync`, `progress` and `allow_loss` apply (DV_LOSS_DAMAGED: .md5 may list another digest
 * of the samples, which the new one replaces); may be NULL
 *
 * The view's file itself is read for its MD5, and does not change; the view does not change either.
 * A crash leaves the old files, the new ones, or a file without an index, which dv_open refuses.
 *
 * DV_OK
 * DV_ERR_CORRUPT      two samples have one key, a scanned message has none, or a file is damaged:
 *                     nothing has changed
 * DV_ERR_LOSS         .md5 lists another digest, and DV_LOSS_DAMAGED is not allowed: nothing has
 *                     changed
 * DV_ERR_IO           err->os_code is the reason; the message says which files exist now
 * DV_ERR_STOPPED      `progress` returned false
 * DV_ERR_ARGUMENT     a view of bytes in memory, or of several files; options of unknown size; an
 *                     open writer of this process replaces the same files
 * DV_ERR_LIMIT, DV_ERR_MEMORY
 */
DV_API dv_status dv_datadings_index(dv_view *view, const struct dv_save_options *options,
                                    dv_error *err);

/* --- Writing messages ------------------------------------------------------------------------- */

/* A set in the making, of messages that the caller has packed: what dv_writer is for rows of
 * columns (writer.h).  Until dv_datadings_writer_close returns DV_OK, the old files at the path are
 * unchanged.  One thread at a time.  After a failure every later call fails with the same status
 * and message, so a row of calls needs only one check.  Memory: 1 MiB of messages, or the largest
 * one; and the key of each message and its place. */
typedef struct dv_datadings_writer dv_datadings_writer;

/* Begin a set: the file `path`, and .offsets, .keys, .key_hashes, .filter and .md5 beside it.
 *
 * options  as for dv_save; NULL: the defaults.  `sync`, `threads`, `allow_loss`, `progress` and
 *          `report` apply; the texts that it names must outlive the writer
 *
 * DV_OK
 * DV_ERR_IO, DV_ERR_MEMORY, DV_ERR_STOPPED  as dv_save
 * DV_ERR_ARGUMENT  options of unknown size; an option that chooses columns or rows; another open
 *                  writer of this process replaces the same file
 *
 * After a failure *writer_out is NULL, and the path is as it was. */
DV_API dv_status dv_datadings_writer_open(dv_datadings_writer **writer_out, const char *path,
                                          const struct dv_save_options *options, dv_error *err);

/* Append a sample: one message of msgpack, which is copied, and written as it is.
 *
 * key      NA (dv_text_of(NULL)): the text of the message's entry "key", as of a sample that has
 *          its own key.  Else any UTF-8, also empty; if the message has a text under "key", it must
 *          be the same
 * message  one value that the package reads (rows 24 to 45 of datadings:8), of nbytes bytes
 *
 * DV_OK
 * DV_ERR_LOSS      the message is broken, or has another key (DV_LOSS_DAMAGED allows both); or the
 *                  key is that of an earlier message.  A later call may find it,
 *                  dv_datadings_writer_close at the latest; the error names the row, counted from
 *                  0, and the key
 * DV_ERR_ARGUMENT  no key, neither here nor in the message; a key that is no UTF-8
 * DV_ERR_LIMIT     a message of 2^31 bytes or more; else as dv_writer_append
 * DV_ERR_IO, DV_ERR_STOPPED, DV_ERR_MEMORY  as dv_writer_append */
DV_API dv_status dv_datadings_writer_append(dv_datadings_writer *writer, dv_text key,
                                            const void *message, size_t nbytes, dv_error *err);

/* Write what is held back, replace the files at the path, and free the writer, also after a
 * failure. Sets the pointer to NULL; NULL is fine: DV_OK.  Statuses as dv_writer_close and
 * dv_datadings_writer_append. */
DV_API dv_status dv_datadings_writer_close(dv_datadings_writer **writer, dv_error *err);

/* Free the writer and write no file.  Sets the pointer to NULL; NULL is fine. */
DV_API void dv_datadings_writer_abandon(dv_datadings_writer **writer);

#ifdef __cplusplus
}
#endif

#endif
