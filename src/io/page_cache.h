/* SPDX-License-Identifier: MIT */
/* page_cache.h: what the system has of a file in memory. */
#ifndef DVI_IO_PAGE_CACHE_H
#define DVI_IO_PAGE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the page with this byte is in the page cache, or on its way there.  false if the system
 * cannot say.  It starts no reading, where the system can tell without. */
bool dvi_page_cache_has(int fd, int64_t offset);

#endif
