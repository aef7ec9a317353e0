/* SPDX-License-Identifier: MIT */
/* temp_file.h: the file beside the target that becomes it, or goes. */
#ifndef DVI_IO_TEMP_FILE_H
#define DVI_IO_TEMP_FILE_H

#include "io/target.h"
#include <stddef.h>

typedef struct dvi_temp_file {
    int fd;       /* -1: none; locked by flock where the file system can */
    bool is_here; /* there is a file of that name to be removed */
    char name[NAME_MAX + 1];
} dvi_temp_file;

/* Remove what crashed saves to this target left: regular files of exactly our pattern that nobody
 * has locked.  scratch is for the folder's entries; its content is lost.  Never fails: what cannot
 * be removed stays. */
void dvi_temp_file_clear(const dvi_target *target, void *scratch, size_t n);

/* A new, empty, locked file.  DV_OK, DV_ERR_IO; *temp may be discarded in either case. */
dv_status dvi_temp_file_create(dvi_temp_file *temp, const dvi_target *target, dv_error *err);

/* Wait until no other saver holds this target, and hold it: with a file `.NAME.dv-lock`, which goes
 * with dvi_temp_file_discard, or as what a crash left.  DV_OK, also where files cannot be locked;
 * DV_ERR_IO. */
dv_status dvi_temp_file_hold(dvi_temp_file *hold, const dvi_target *target, dv_error *err);

/* It has all its bytes: give it the rights of the old file, and bring it to the disk (sync), or at
 * least to the system.  DV_OK, DV_ERR_IO. */
dv_status dvi_temp_file_finish(const dvi_temp_file *temp, const dvi_target *target, bool sync,
                               dv_error *err);
/* Let it have the target's name.  0, or errno. */
int dvi_temp_file_rename(dvi_temp_file *temp, const dvi_target *target);
/* The same of one that need not be on the disk, and most likely replaces a file.  Some file systems
 * (ext4) begin to write a file out, all of it, when it is renamed to the name of another one; not
 * when both swap their names.  A crash before the old one goes leaves it as a temporary file. */
int dvi_temp_file_swap(dvi_temp_file *temp, const dvi_target *target);
/* Bring the names in its folder to the disk.  0, or errno. */
int dvi_temp_file_sync_folder(const dvi_temp_file *temp, const dvi_target *target);

/* Remove it unless it was renamed, and close it. */
void dvi_temp_file_discard(dvi_temp_file *temp, const dvi_target *target);

#endif
