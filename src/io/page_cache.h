/* SPDX-License-Identifier: MIT */
/* page_cache.h: what the system has of a file in memory. */
#ifndef DVI_IO_PAGE_CACHE_H
#define DVI_IO_PAGE_CACHE_H

#include <stdint.h>

typedef enum dvi_page {
    DVI_PAGE_UNKNOWN, /* the system does not say */
    DVI_PAGE_MISSING,
    DVI_PAGE_THERE /* in the page cache, or on its way there */
} dvi_page;

/* What is known of the page with this byte. To ask starts no reading on systems that can tell
 * without. */
dvi_page dvi_page_cache_ask(int fd, int64_t offset);

#endif
