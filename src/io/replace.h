/* SPDX-License-Identifier: MIT */
/* replace.h: replaces a set of files so that a reader never sees an incomplete set as complete. */
#ifndef DVI_IO_REPLACE_H
#define DVI_IO_REPLACE_H

#include "io/temp_file.h"

/* A file and its new content. temp.fd -1: no new content; the old file is removed, or, if it is the
 * first of a set, stays. */
typedef struct dvi_replacement {
    dvi_target target;
    dvi_temp_file temp;
} dvi_replacement;

/* Replace n files: files[0] is the main file, the others lie beside it and are useless without it.
 * All are written to the disk. Then the old side files are removed, last first; the main file is
 * replaced; and the new side files get their names, in order (datadings:1.3). So a reader that
 * finds all of them finds either only old files or only new ones. Concurrent savers of the same
 * files take turns, and all files of the last one stay. With `sync` each step reaches the disk
 * before the next begins.
 *
 * DV_OK; DV_ERR_IO: nothing changed, or the message states which files exist now. The error names
 * the file at fault. */
dv_status dvi_replace_files(dvi_replacement *const *files, int n, bool sync, dv_error *err);

#endif
