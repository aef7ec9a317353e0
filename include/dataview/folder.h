/* SPDX-License-Identifier: MIT */
/* folder.h: opens files below one folder, whose paths are data. */
#ifndef DATAVIEW_FOLDER_H
#define DATAVIEW_FOLDER_H

#include <dataview/buffer.h>
#include <dataview/status.h>
#include <dataview/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open folder.  Files are opened from its descriptor, so that renaming folders above it changes
 * nothing.  Never changes; any thread.  Counted. */
typedef struct dv_folder dv_folder;

/* Open a folder.  The path is the caller's: `..` and symbolic links in it are followed.
 *
 * allocator  NULL: malloc
 *
 * DV_OK; DV_ERR_IO: it cannot be opened; DV_ERR_MEMORY */
DV_API dv_status dv_folder_open(dv_folder **folder_out, const char *path,
                                const dv_allocator *allocator, dv_error *err);

/* Narrow an allowed folder to a path that may come from anyone, or narrow what that path means to
 * the allowed folder.  Either may lie below the other; only files in both can be opened.
 *
 * allowed  from dv_folder_open
 * path     absolute, or relative to the working directory at the time of dv_folder_open.  It may
 *          begin with `..`, but have none after a name; symbolic links may not lead out
 *
 * DV_OK
 * DV_ERR_ARGUMENT  neither lies below the other, or `..` after a name
 * DV_ERR_IO, DV_ERR_MEMORY */
DV_API dv_status dv_folder_within(dv_folder **folder_out, dv_folder *allowed, const char *path,
                                  dv_error *err);

DV_API void dv_folder_retain(dv_folder *folder);
/* Give back a reference and set the pointer to NULL; NULL is fine. */
DV_API void dv_folder_release(dv_folder **folder);

/* Open a regular file below the folder to read it.  Nothing else is opened: no device, no FIFO.
 *
 * fd_out  the caller's, who closes it
 * path    relative to the folder, without `..`; only below the folder `/` may it begin with `/`
 * follow  follow symbolic links.  In a folder from dv_folder_within, links must be relative and
 *         stay inside; systems without openat2 (Linux 5.6) refuse them all
 *
 * DV_OK
 * DV_NOT_FOUND  there is no such regular file, it may not be read, or the path is not allowed: err
 *               says which
 * DV_ERR_IO     also, the path leads out of what dv_folder_within allows
 * Other statuses as the system has them: DV_ERR_IO with err->os_code. */
DV_API dv_status dv_folder_open_file(int *fd_out, const dv_folder *folder, dv_text path,
                                     bool follow, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
