/* SPDX-License-Identifier: MIT */
/* cache_memory.h: what both kinds of cache have in common. */
#ifndef DVI_CACHE_MEMORY_H
#define DVI_CACHE_MEMORY_H

#include <dataview/cache.h>

/* Options as they were meant: a copy of `given` (NULL: the defaults), checked.  DV_OK,
 * DV_ERR_ARGUMENT. */
dv_status dvi_cache_read_options(const dv_cache_options *given, dv_cache_options *options,
                                 dv_error *err);

#endif
