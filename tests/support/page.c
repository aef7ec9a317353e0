/* SPDX-License-Identifier: MIT */
/* page.c: bytes beside inaccessible pages. */
#include "support/page.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t guard_nbytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

dvt_page dvt_page_create(size_t nbytes)
{
    const size_t guard = guard_nbytes();
    const size_t inner = (nbytes + guard - 1) / guard * guard;
    uint8_t *whole = mmap(NULL, inner + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (whole == MAP_FAILED || /* qemu-user refuses to protect 0 bytes */
        (inner > 0 && mprotect(whole + guard, inner, PROT_READ | PROT_WRITE) != 0)) {
        perror("guard pages");
        abort();
    }
    return (dvt_page){whole + guard, inner};
}

void dvt_page_free(dvt_page *page)
{
    const size_t guard = guard_nbytes();
    if (page->data)
        munmap(page->data - guard, page->nbytes + 2 * guard);
    *page = (dvt_page){NULL, 0};
}

static dvt_page shared[DVT_SHARED_PAGES];

static void create_shared(void)
{
    for (int i = 0; i < DVT_SHARED_PAGES; i++)
        shared[i] = dvt_page_create(DVT_SHARED_NBYTES);
}

dvt_page dvt_shared_page(int number)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, create_shared);
    return shared[number];
}

static void check_room(dvt_page page, size_t nbytes)
{
    if (nbytes <= page.nbytes)
        return;
    fprintf(stderr, "guard pages: %zu bytes asked of %zu\n", nbytes, page.nbytes);
    abort();
}

uint8_t *dvt_page_start(dvt_page page, size_t nbytes)
{
    check_room(page, nbytes);
    return page.data;
}

uint8_t *dvt_page_end(dvt_page page, size_t nbytes)
{
    check_room(page, nbytes);
    return page.data + (page.nbytes - nbytes);
}

static uint8_t *copy(uint8_t *dst, const void *src, size_t nbytes)
{
    if (nbytes > 0)
        memcpy(dst, src, nbytes);
    return dst;
}

uint8_t *dvt_page_copy_start(dvt_page page, const void *src, size_t nbytes)
{
    return copy(dvt_page_start(page, nbytes), src, nbytes);
}

uint8_t *dvt_page_copy_end(dvt_page page, const void *src, size_t nbytes)
{
    return copy(dvt_page_end(page, nbytes), src, nbytes);
}
