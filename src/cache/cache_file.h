/* SPDX-License-Identifier: MIT */
/* cache_file.h: the .idv file of a cache, which is written if it is not there (docs/caching.md). */
#ifndef DVI_CACHE_FILE_H
#define DVI_CACHE_FILE_H

#include <dataview/cache.h>

/* What a file is opened for. */
typedef struct dvi_cache_file {
    dv_view *source; /* whose rows it holds */
    const char *path;
    const dv_cache_options *options;
    dv_allocator allocator;
    dv_u128 identity; /* of the source, with times */
} dvi_cache_file;

/* The rows of the file, as a view without metadata.  They are written if the file is missing, or is
 * an old or damaged one.  DV_OK; as dv_view_cache_disk. */
dv_status dvi_cache_file_open(dv_view **rows_out, const dvi_cache_file *file, dv_error *err);

#endif
