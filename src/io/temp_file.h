/* SPDX-License-Identifier: MIT */
/* temp_file.h: temporary files, which replace their target or are removed. */
#ifndef DVI_IO_TEMP_FILE_H
#define DVI_IO_TEMP_FILE_H

#include "io/target.h"
#include <stddef.h>

typedef struct dvi_temp_file {
    int fd;       /* -1: none; locked by flock if the file system has locks */
    bool is_here; /* a file of that name exists and must be removed */
    char name[NAME_MAX + 1];
} dvi_temp_file;

/* Remove files that crashed saves to this target left: regular, unlocked files whose names have
 * exactly the pattern. Never fails: files that cannot be found or removed stay. */
void dvi_temp_file_clear(const dvi_target *target);

/* Create an empty, locked file. DV_OK, DV_ERR_IO; discard *temp in either case. */
dv_status dvi_temp_file_create(dvi_temp_file *temp, const dvi_target *target, dv_error *err);

/* Wait until no other saver holds this target, and hold it: with a file `.NAME.dv-lock`, which
 * dvi_temp_file_discard removes, or after a crash dvi_temp_file_clear. DV_OK, also if the file
 * system has no locks; DV_ERR_IO. */
dv_status dvi_temp_file_hold(dvi_temp_file *hold, const dvi_target *target, dv_error *err);

/* Call when all bytes are written: gives the file the permissions of the old one, and writes it to
 * the disk (sync) or at least passes it to the system. DV_OK, DV_ERR_IO. */
dv_status dvi_temp_file_finish(const dvi_temp_file *temp, const dvi_target *target, bool sync,
                               dv_error *err);
/* Rename the file to the target. Returns 0, or errno. */
int dvi_temp_file_rename(dvi_temp_file *temp, const dvi_target *target);
/* The same for a file that is not synced and most likely replaces another. Some file systems (ext4)
 * write a whole file to the disk when it is renamed over another one, but not when the two swap
 * names. A crash before the old file is removed leaves it as a temporary file. */
int dvi_temp_file_swap(dvi_temp_file *temp, const dvi_target *target);
/* Write the entries of the folder to the disk. Returns 0, or errno. */
int dvi_temp_file_sync_folder(const dvi_temp_file *temp, const dvi_target *target);

/* Remove the file unless it was renamed, and close it. */
void dvi_temp_file_discard(dvi_temp_file *temp, const dvi_target *target);

#endif
