/* SPDX-License-Identifier: MIT */
/* os_memory.c: huge pages, and pages of mapped files. */
#include "base/os.h"
#include <errno.h>
#include <sys/mman.h>

void dvi_os_want_huge_pages(void *page, size_t nbytes)
{
#ifdef MADV_HUGEPAGE
    madvise(page, nbytes, MADV_HUGEPAGE);
#else
    (void)page;
    (void)nbytes;
#endif
}

#if defined(__linux__) && !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22 /* Linux 5.14; older C libraries do not define it */
#endif

int dvi_os_populate(void *page, size_t nbytes)
{
#ifdef MADV_POPULATE_READ
    int os_code;
    do
        os_code = madvise(page, nbytes, MADV_POPULATE_READ) == 0 ? 0 : errno;
    while (os_code == EINTR);
    return os_code;
#else
    (void)page;
    (void)nbytes;
    return EINVAL;
#endif
}
