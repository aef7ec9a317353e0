/* SPDX-License-Identifier: MIT */
/* written.h: small files that the writer makes, in a folder of the test's. */
#ifndef DVT_WRITTEN_H
#define DVT_WRITTEN_H

#include "support/file.h"
#include <dataview/status.h>

/* A file that holds `text`, saved by the writer. */
dv_status dvt_written(const char *path, const char *text, dv_error *err);

/* Save it, read it: are these its bytes? */
bool dvt_is_written(const char *path);
/* Saving fails with DV_ERR_IO and that errno, and names a file. */
bool dvt_is_refused(const char *path, int os_code);
bool dvt_file_holds(const dvt_path *path, const void *data, size_t n);

/* Root may write anywhere: become another user for a while, who owns the folder from now on. false:
 * this process does not run as root. */
#define DVT_NOBODY 65534
bool dvt_become_nobody(const dvt_path *folder);
void dvt_become_root(void);

/* A new disk there, of "size=64k": seen by this process only, gone by umount.  false: the system
 * does not let us. */
bool dvt_mount_small(const dvt_path *folder, const char *size);

#endif
