/* SPDX-License-Identifier: MIT */
/* open_keys.h: columns from the names of folders, KEY=VALUE. */
#ifndef DVI_OPEN_KEYS_H
#define DVI_OPEN_KEYS_H

#include <dataview/open.h>

/* Replace each view by one with further columns: the KEY=VALUE folders after the last "/./" in its
 * path, with % and two hex digits decoded.  Their types are found in the values of all paths, as if
 * they were a CSV; __HIVE_DEFAULT_PARTITION__ is NA.  Paths without such folders change nothing.
 * DV_OK; DV_ERR_CORRUPT: the paths have different keys, or a file has a column of that name;
 * DV_ERR_MEMORY. */
dv_status dvi_open_keys(dv_view **views, const char *const *paths, int32_t n,
                        const dv_open_options *options, dv_error *err);

#endif
