/* SPDX-License-Identifier: MIT */
/* replace.h: several files replace the old ones so that a reader never takes half of them for all.
 */
#ifndef DVI_IO_REPLACE_H
#define DVI_IO_REPLACE_H

#include "io/temp_file.h"

/* A file and its new content.  temp.fd -1: there is none, and the old file is only removed (the
 * first file of a set: it stays). */
typedef struct dvi_replacement {
    dvi_target target;
    dvi_temp_file temp;
} dvi_replacement;

/* The first of the n files is the file itself; the others lie beside it and mean nothing without
 * it.  All are written to the disk.  Then the old ones beside it are removed, the last first; then
 * the file is replaced; then the others get their names, the first of them first (datadings:1.3).
 * So a reader that finds all of them finds only old ones or only new ones.  Several savers of the
 * same files do this one after the other, and the files of the last one stay, all of them.  With
 * `sync` each step is on the disk before the next begins.
 *
 * DV_OK; DV_ERR_IO: all is as it was, or the message says what is there now.  The error names the
 * file at fault. */
dv_status dvi_replace_files(dvi_replacement *const *files, int n, bool sync, dv_error *err);

#endif
