/* SPDX-License-Identifier: MIT */
/* page_cache.c: asks the system what it has of a file in memory.
 *
 * A read that must not wait tells it too, but newer systems start to read that page then: a small
 * one, where no large one has room any more.  So that is for systems without the other call, and
 * for files of other users, of which the other call does not tell. */
#include "io/page_cache.h"
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SYS_cachestat
#define SYS_cachestat 451 /* Linux 6.5; older C libraries do not define it */
#endif

bool dvi_page_cache_has(int fd, int64_t offset)
{
    uint8_t byte;
    const struct iovec one = {&byte, 1};
    const uint64_t range[] = {(uint64_t)offset, 1};
    uint64_t found[5] = {0}; /* the first: pages in the cache */
    if (syscall(SYS_cachestat, fd, range, found, 0) == 0)
        return found[0] > 0;
    return preadv2(fd, &one, 1, (off_t)offset, RWF_NOWAIT) == 1;
}
