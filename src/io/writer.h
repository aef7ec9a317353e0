/* SPDX-License-Identifier: MIT */
/* writer.h: writes a file that appears complete or not at all.
 *
 * Bytes are appended to a temporary file beside the target. The last step renames it: a crash
 * before that leaves the old file, a crash after it the new one. The same functions also append to
 * memory.
 *
 * A writer is used by one thread at a time. After a failed write every later call, commit included,
 * repeats the failure, so a group of writes needs only one check. */
#ifndef DVI_IO_WRITER_H
#define DVI_IO_WRITER_H

#include "io/map.h"
#include <dataview/buffer.h>

typedef struct dvi_writer dvi_writer;

struct dv_digester; /* digest.h */

/* Create a temporary file `.NAME.dv-XXXX` in the folder of the target, or of the file to which a
 * symbolic link points. It is locked by flock while the writer exists. Unlocked files with such
 * names, left by crashes, are removed first. The new file gets the mode of the old one, else 0666
 * less the umask.
 *
 * path  copied; names the file in errors
 * sync  commit returns after file and folder have reached the disk
 *
 * DV_OK
 * DV_ERR_IO      the system's error; a directory (EISDIR), a pipe or socket (ESPIPE) or a device
 *                (ENODEV); an old file that may not be written (EACCES)
 * DV_ERR_MEMORY
 */
dv_status dvi_writer_create(dvi_writer **writer_out, const char *path, bool sync,
                            const dv_allocator *allocator, dv_error *err);

/* Create a writer only for side files of a file that exists and does not change: nothing may be
 * written to it; commit replaces the side files. Statuses as above; DV_ERR_IO also if the file does
 * not exist (ENOENT). */
dv_status dvi_writer_create_beside(dvi_writer **writer_out, const char *path, bool sync,
                                   const dv_allocator *allocator, dv_error *err);

/* Create a writer to memory. A write beyond limit_nbytes (at most PTRDIFF_MAX) returns
 * DV_ERR_LIMIT, whose rule is `limit_name` (static text). DV_OK, DV_ERR_MEMORY. */
dv_status dvi_writer_create_memory(dvi_writer **writer_out, int64_t limit_nbytes,
                                   const char *limit_name, const dv_allocator *allocator,
                                   dv_error *err);

/* Append n bytes, or n zeros. Small writes are gathered; large ones go directly to the file.
 * DV_OK; DV_ERR_IO; DV_ERR_LIMIT: in memory, see above; DV_ERR_MEMORY: in memory, or compressed.
 */
dv_status dvi_writer_write(dvi_writer *writer, const void *src, size_t n, dv_error *err);
dv_status dvi_writer_pad(dvi_writer *writer, size_t n, dv_error *err);

/* Compress the bytes of a new writer to a file, to which nothing was appended. DVI_PACKING_NONE: as
 * they are. Compressed bytes are neither overwritten nor read back. DV_OK; DV_ERR_UNSUPPORTED: this
 * build lacks the library; DV_ERR_MEMORY. */
dv_status dvi_writer_pack(dvi_writer *writer, dvi_packing packing, dv_error *err);
bool dvi_writer_is_packed(const dvi_writer *writer);

/* The number of bytes appended, which is the offset of the next one. */
int64_t dvi_writer_offset(const dvi_writer *writer);

/* Add all bytes appended from now on to a digest, which must outlive the writer. */
void dvi_writer_watch(dvi_writer *writer, struct dv_digester *digester);

/* Overwrite bytes appended before, such as a header. DV_OK; DV_ERR_IO; DV_ERR_ARGUMENT: the bytes
 * reach beyond those appended (asserted). */
dv_status dvi_writer_write_at(dvi_writer *writer, int64_t offset, const void *src, size_t n,
                              dv_error *err);

/* Read appended bytes of a writer to a file. DV_OK; DV_ERR_IO. */
dv_status dvi_writer_read_back(dvi_writer *writer, int64_t offset, void *dst, size_t n,
                               dv_error *err);

/* Open the bytes appended so far, as a file is opened.  Nothing may be appended while the map is
 * used, and if they are compressed, nothing after it either.  DV_OK; DV_ERR_IO, DV_ERR_MEMORY. */
dv_status dvi_writer_map(dvi_writer *writer, dvi_map **map_out, dv_error *err);

/* Create a side file: a file beside that of the writer, whose name is that of the main file with
 * `suffix` (static text, ".keys") appended. It is written like the main file and appears with it.
 * The writer owns it; do not commit or close it. At most seven side files, all attached or removed
 * before the commit. Their old files are removed in reverse order before the new main file appears;
 * the attached ones appear after it, in order (io/replace.h). They get the permissions of the main
 * file that is replaced.
 *
 * DV_OK
 * DV_ERR_IO           as dvi_writer_create; or the path is a symbolic link (ELOOP), beside which
 *                     readers would look for side files
 * DV_ERR_UNSUPPORTED  the writer writes to memory
 * DV_ERR_MEMORY
 */
dv_status dvi_writer_attach(dvi_writer *writer, const char *suffix, dvi_writer **side_out,
                            dv_error *err);
/* Remove the side file with this suffix on commit, since the new main file has none. */
dv_status dvi_writer_forget(dvi_writer *writer, const char *suffix, dv_error *err);

/* The name of the file in its folder, valid while the writer exists; NULL in memory. */
const char *dvi_writer_name(const dvi_writer *writer);

/* Replace the target by the file written. In memory it does nothing. Only dvi_writer_take and
 * dvi_writer_close may follow.
 * DV_OK; DV_ERR_IO: the target did not change. Two exceptions, which the message states: only the
 * folder could not be synced, so the target is the complete new file, but a crash may undo this; or
 * side files are removed or missing. */
dv_status dvi_writer_commit(dvi_writer *writer, dv_error *err);

/* Take the bytes of a writer to memory: the caller owns the reference *buffer_out, which outlives
 * the writer. */
void dvi_writer_take(dvi_writer *writer, dv_buffer *buffer_out);

/* Free the writer. If it is not committed, no file remains. Sets the pointer to NULL; NULL is fine.
 */
void dvi_writer_close(dvi_writer **writer);

#endif
