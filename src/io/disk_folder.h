/* SPDX-License-Identifier: MIT */
/* disk_folder.h: a folder of blocks of sources that processes share, of bounded size.
 *
 * Only files with names of disk_block.h are counted and removed.  The file `dv-sum` has
 * the bytes of all blocks together, or more; it is locked while it changes.  Before a block is
 * written its bytes are added.  If the sum would exceed the bound, the folder is listed, the least
 * recently used blocks are removed, and the sum is computed anew. */
#ifndef DVI_IO_DISK_FOLDER_H
#define DVI_IO_DISK_FOLDER_H

#include "io/disk_block.h"
#include <dataview/buffer.h>
#include <dataview/status.h>

typedef struct dvi_disk_folder dvi_disk_folder;

/* Open a folder, or make it, with mode 0700.  Files that killed processes left are removed.
 * nbytes: the bound.  DV_OK; DV_ERR_ARGUMENT: it is not a folder of this user, or others may write
 * to it; DV_ERR_IO; DV_ERR_MEMORY. */
dv_status dvi_disk_folder_open(dvi_disk_folder **folder_out, const char *path, int64_t nbytes,
                               const dv_allocator *allocator, dv_error *err);
void dvi_disk_folder_close(dvi_disk_folder **folder); /* sets NULL; NULL is fine */

int dvi_disk_folder_fd(const dvi_disk_folder *folder);

/* Make room for nbytes, and let a file that will become a block have them.  Returns 0, or an errno
 * code: EBUSY: other processes hold the folder, or all of its room.  Any thread. */
int dvi_disk_folder_reserve(const dvi_disk_folder *folder, int file, int64_t nbytes);

#endif
