/* SPDX-License-Identifier: MIT */
/* row_cache.h: where are rows kept that were read, --cache? */
#ifndef DVI_CLI_ROW_CACHE_H
#define DVI_CLI_ROW_CACHE_H

#include "cli/args.h"
#include <dataview/view.h>

/* Is the value of --cache one that the verb can take?  DVI_EXIT_DONE, or DVI_EXIT_USAGE when told
 * what is wrong. */
dvi_exit dvi_row_cache_check(const dvi_args *args);

/* Let the view be one whose rows are kept, if --cache was given.  DVI_EXIT_DONE, or another status
 * when told what is wrong. */
dvi_exit dvi_row_cache(dv_view **view, const dvi_args *args);

#endif
