/* SPDX-License-Identifier: MIT */
/* target.h: which file is to be replaced, and may it be? */
#ifndef DVI_IO_TARGET_H
#define DVI_IO_TARGET_H

#include <dataview/status.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* The file that a path means: the last of its symbolic links, in an open folder. */
typedef struct dvi_target {
    char path[PATH_MAX];
    const char *name; /* in `path` */
    int folder;       /* a descriptor of our own; -1: none */
    bool can_list;    /* may the folder be read, and synced? */
    bool is_link;     /* the path was that of a symbolic link */
    bool exists;
    struct stat old; /* when it exists */
} dvi_target;

/* DV_OK; DV_ERR_IO: the system's error, and what is no regular file or may not be written. `target`
 * may be closed in either case.  The file is not named. */
dv_status dvi_target_open(dvi_target *target, const char *path, dv_error *err);
void dvi_target_close(dvi_target *target);

/* The file beside it that is called the same and `suffix`.  It borrows the folder, has no rights of
 * its own to hand on (`old` is that of the first), and is no link to be followed: a link is
 * replaced.  DV_OK; DV_ERR_IO as above, and when the first was reached through a link, beside which
 * others may be looked for. */
dv_status dvi_target_beside(dvi_target *target, const dvi_target *first, const char *suffix,
                            dv_error *err);

/* DV_ERR_IO: `what`, what the user can do about it, and errno's text. */
dv_status dvi_target_fail(dv_error *err, int os_code, const char *what);

#endif
