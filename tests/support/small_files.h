/* SPDX-License-Identifier: MIT */
/* small_files.h: a folder of small files of every format, stored in every way. */
#ifndef DVT_SMALL_FILES_H
#define DVT_SMALL_FILES_H

#include "support/file.h"
#include <dataview/open.h>

#define DVT_SMALL_FILES_MOST 40

typedef struct dvt_small_files {
    dvt_path folder;
    int n;
    const char *name[DVT_SMALL_FILES_MOST];
    dvt_path path[DVT_SMALL_FILES_MOST];
    const char *text[DVT_SMALL_FILES_MOST], *datadings[DVT_SMALL_FILES_MOST]; /* options or NULL */
} dvt_small_files;

dvt_small_files dvt_small_files_create(void);
void dvt_small_files_remove(dvt_small_files *files);

/* How to open file i, within limits that keep hostile numbers cheap. */
dv_open_options dvt_small_options(const dvt_small_files *files, int i);

#endif
