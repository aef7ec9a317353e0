/* SPDX-License-Identifier: MIT */
/* writer.h: how does a file appear whole or not at all?
 *
 * Bytes are appended to a temporary file beside the target, which the last step renames: whatever
 * happens before leaves the old file, whatever happens after the new one.  Or they are gathered in
 * memory, through the same functions.
 *
 * A writer belongs to one thread at a time.  After a failed write every later call repeats that
 * failure, so that a group of writes needs no check between them; commit is the last of them. */
#ifndef DVI_IO_WRITER_H
#define DVI_IO_WRITER_H

#include <dataview/buffer.h>

typedef struct dvi_writer dvi_writer;

struct dv_digester; /* digest.h */

/* A temporary file `.NAME.dv-XXXX` in the folder of the target (of what a symbolic link points to),
 * locked by flock as long as the writer lives.  Unlocked ones of that name, which a crash left, are
 * removed first.  The new file will have the mode of the old one, else 0666 less the umask.
 *
 * path  what errors call the file, and copied
 * sync  commit comes back when file and folder are on the disk
 *
 * DV_OK
 * DV_ERR_IO      the system's error; a directory (EISDIR), a pipe or socket (ESPIPE) or a device
 *                (ENODEV); an old file that may not be written (EACCES)
 * DV_ERR_MEMORY
 */
dv_status dvi_writer_create(dvi_writer **writer_out, const char *path, bool sync,
                            const dv_allocator *allocator, dv_error *err);

/* A writer of files beside one that is there, and stays as it is: nothing is written to it, its
 * sides take the place of the old ones when it is committed.  Statuses as above; DV_ERR_IO also
 * when there is no such file (ENOENT). */
dv_status dvi_writer_create_beside(dvi_writer **writer_out, const char *path, bool sync,
                                   const dv_allocator *allocator, dv_error *err);

/* Bytes in memory.  More than limit_nbytes (at most that of a ptrdiff_t) are DV_ERR_LIMIT, whose
 * rule is `limit_name` (static text).  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_writer_create_memory(dvi_writer **writer_out, int64_t limit_nbytes,
                                   const char *limit_name, const dv_allocator *allocator,
                                   dv_error *err);

/* Append n bytes, or n zeros.  Small runs are gathered, large ones go straight to the file.
 * DV_OK; DV_ERR_IO; DV_ERR_LIMIT: memory, see above; DV_ERR_MEMORY: memory only. */
dv_status dvi_writer_write(dvi_writer *writer, const void *src, size_t n, dv_error *err);
dv_status dvi_writer_pad(dvi_writer *writer, size_t n, dv_error *err);

/* How many bytes were appended: where the next one goes. */
int64_t dvi_writer_offset(const dvi_writer *writer);

/* From now on have all that is appended added to a digest, which must outlive the writer. */
void dvi_writer_watch(dvi_writer *writer, struct dv_digester *digester);

/* Replace bytes that were appended before, such as a header.  DV_OK; DV_ERR_IO; DV_ERR_ARGUMENT:
 * the run reaches beyond what was appended (asserted). */
dv_status dvi_writer_write_at(dvi_writer *writer, int64_t offset, const void *src, size_t n,
                              dv_error *err);

/* Read such bytes again, of a writer of a file.  DV_OK; DV_ERR_IO. */
dv_status dvi_writer_read_back(dvi_writer *writer, int64_t offset, void *dst, size_t n,
                               dv_error *err);

/* A file that stands beside that of the writer, and is called the same and `suffix` (static text,
 * ".keys"): it is written like it, and appears with it.  The writer owns it; it must not be
 * committed or closed.  At most seven sides, all attached or forgotten before the first of them is
 * committed.  Their old files go in the reverse of that order, before the new file appears, and the
 * attached ones come after it in that order (io/replace.h).  They get the rights of the old file
 * that the writer replaces.
 *
 * DV_OK
 * DV_ERR_IO           as dvi_writer_create; and a path that is a symbolic link (ELOOP), beside
 *                     which readers would look for them
 * DV_ERR_UNSUPPORTED  a writer in memory
 * DV_ERR_MEMORY
 */
dv_status dvi_writer_attach(dvi_writer *writer, const char *suffix, dvi_writer **side_out,
                            dv_error *err);
/* The same for one that only goes, as the new file has none. */
dv_status dvi_writer_forget(dvi_writer *writer, const char *suffix, dv_error *err);

/* The name of the file in its folder, as long as the writer lives; NULL in memory. */
const char *dvi_writer_name(const dvi_writer *writer);

/* All is written: let the target be this file.  In memory nothing happens.  No other call but
 * dvi_writer_take and dvi_writer_close may follow.
 * DV_OK; DV_ERR_IO: the target is as it was; but when only the folder could not be synced, it is
 * the new file, whole, and the message says that a crash may undo that; and with sides the message
 * may say that some are gone or missing. */
dv_status dvi_writer_commit(dvi_writer *writer, dv_error *err);

/* The bytes of a writer in memory: *buffer_out is the caller's reference, which outlives it. */
void dvi_writer_take(dvi_writer *writer, dv_buffer *buffer_out);

/* Not committed: nothing is left behind.  Sets the pointer to NULL; NULL is fine. */
void dvi_writer_close(dvi_writer **writer);

#endif
