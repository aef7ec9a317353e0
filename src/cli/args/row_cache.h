/* SPDX-License-Identifier: MIT */
/* row_cache.h: --cache, which keeps the rows that were read. */
#ifndef DVI_CLI_ROW_CACHE_H
#define DVI_CLI_ROW_CACHE_H

#include "cli/args/args.h"
#include <dataview/view.h>

/* Check that the verb accepts the value of --cache.  DVI_EXIT_DONE, or DVI_EXIT_USAGE after a
 * message. */
dvi_exit dvi_row_cache_check(const dvi_args *args);

/* Replace *view by a cached one if --cache is given.  DVI_EXIT_DONE, or another status after a
 * message. */
dvi_exit dvi_row_cache(dv_view **view, const dvi_args *args);

#endif
