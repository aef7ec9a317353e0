/* SPDX-License-Identifier: MIT */
/* page.h: bytes beside inaccessible pages, so that an access out of bounds crashes. */
#ifndef DVT_PAGE_H
#define DVT_PAGE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes with an inaccessible page before the first and one after the last. */
typedef struct dvt_page {
    uint8_t *data;
    size_t nbytes; /* a multiple of the page size */
} dvt_page;

#define DVT_SHARED_PAGES 8
#define DVT_SHARED_NBYTES ((size_t)64 << 10)

/* At least nbytes, zeroed; a system without memory ends the program, here and below. */
dvt_page dvt_page_create(size_t nbytes);
void dvt_page_free(dvt_page *page);

/* Number 0..DVT_SHARED_PAGES-1 of a few of DVT_SHARED_NBYTES that stay until the program ends. */
dvt_page dvt_shared_page(int number);

/* nbytes <= page.nbytes that start right after, or end right before, an inaccessible page. */
uint8_t *dvt_page_start(dvt_page page, size_t nbytes);
uint8_t *dvt_page_end(dvt_page page, size_t nbytes);

/* The same, holding a copy. */
uint8_t *dvt_page_copy_start(dvt_page page, const void *src, size_t nbytes);
uint8_t *dvt_page_copy_end(dvt_page page, const void *src, size_t nbytes);

#endif
