/* SPDX-License-Identifier: MIT */
/* cache_memory.h: what both kinds of cache share. */
#ifndef DVI_CACHE_MEMORY_H
#define DVI_CACHE_MEMORY_H

#include <dataview/cache.h>

/* Copy and check options; `given` NULL: the defaults.  DV_OK, DV_ERR_ARGUMENT. */
dv_status dvi_cache_read_options(const dv_cache_options *given, dv_cache_options *options,
                                 dv_error *err);

#endif
