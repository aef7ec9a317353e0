/* SPDX-License-Identifier: MIT */
/* lock_file.h: files in a folder whose lock shows that the process that writes them is alive. */
#ifndef DVI_IO_LOCK_FILE_H
#define DVI_IO_LOCK_FILE_H

#include <stdbool.h>
#include <sys/types.h>

/* openat and flock, which are repeated after a signal.  A link is not followed, and the descriptor
 * is closed by exec.  Return -1 with errno. */
int dvi_open_at(int folder, const char *name, int flags, mode_t mode);
int dvi_lock_file(int fd, int operation);

/* Whether an errno code of dvi_lock_file says that the file system has no locks. */
bool dvi_has_no_locks(int os_code);

/* Whether the open file still has that name. */
bool dvi_file_has_name(int fd, int folder, const char *name);

/* Remove a regular file, unless another process holds its lock or has just renamed it. */
void dvi_remove_unlocked(int folder, const char *name);

#endif
