/* SPDX-License-Identifier: MIT */
/* target.h: the file that a path leads to, checked before it is replaced. */
#ifndef DVI_IO_TARGET_H
#define DVI_IO_TARGET_H

#include <dataview/status.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Identifies a file while it exists. */
typedef struct dvi_file_id {
    dev_t device;
    ino_t inode;
} dvi_file_id;

/* The file that a path leads to, all symbolic links followed, in an open folder. */
typedef struct dvi_target {
    char path[PATH_MAX];
    const char *name; /* in `path` */
    int folder;       /* a descriptor, owned; -1: none */
    dvi_file_id folder_id;
    bool can_list; /* the folder can be read, and synced */
    bool is_link;  /* the path led to a symbolic link */
    bool exists;
    struct stat old; /* if it exists */
} dvi_target;

/* DV_OK; DV_ERR_IO: the system's error; the path leads to something other than a regular file; or
 * the file is not writable. Close `target` in either case. The error does not name the file. */
dv_status dvi_target_open(dvi_target *target, const char *path, dv_error *err);
void dvi_target_close(dvi_target *target);

/* The file beside `first` whose name is that of `first` with `suffix` appended. It borrows the
 * folder; `old` is that of `first`, whose permissions the new file gets; a symbolic link is
 * replaced, not followed. DV_OK; DV_ERR_IO: as above; or `first` was reached through a symbolic
 * link, and readers would look for the file beside that link. */
dv_status dvi_target_beside(dvi_target *target, const dvi_target *first, const char *suffix,
                            dv_error *err);

/* Are they one name of one folder, so that a file that replaces one replaces the other?  Links that
 * led there do not matter. */
bool dvi_target_is_same(const dvi_target *a, const dvi_target *b);

/* DV_ERR_IO: `what`, advice for the user, and the system's text for os_code. */
dv_status dvi_target_fail(dv_error *err, int os_code, const char *what);

#endif
