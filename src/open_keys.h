/* SPDX-License-Identifier: MIT */
/* open_keys.h: columns from the names of folders, KEY=VALUE. */
#ifndef DVI_OPEN_KEYS_H
#define DVI_OPEN_KEYS_H

#include "base/arena.h"
#include <dataview/open.h>

/* Options, divided between the files and the names of their folders. */
typedef struct dvi_key_options {
    dvi_arena arena;
    dv_open_options files; /* without the types of keys in option text */
    const char *words;     /* these types, and the order of dates: options of text */
} dvi_key_options;

/* Divide the options; path: of one of the files, which all have the same keys.  Free them even
 * after a failure.  DV_OK; DV_ERR_ARGUMENT; DV_ERR_MEMORY. */
dv_status dvi_key_options_read(dvi_key_options *keys_out, const char *path,
                               const dv_open_options *options, dv_error *err);
void dvi_key_options_free(dvi_key_options *keys);

/* Replace each view by one with further columns: the KEY=VALUE folders after the last "/./" in its
 * path, with % and two hex digits decoded.  Their types are given, or found in the values of all
 * paths, as if they were a CSV; __HIVE_DEFAULT_PARTITION__ is NA.  Paths without such folders
 * change nothing. DV_OK; DV_ERR_CORRUPT: the paths have different keys, or a file has a column of
 * that name; DV_ERR_LOSS: a value is not one of its type; DV_ERR_ARGUMENT; DV_ERR_MEMORY. */
dv_status dvi_open_keys(dv_view **views, const char *const *paths, int32_t n,
                        const dvi_key_options *keys, dv_error *err);

#endif
