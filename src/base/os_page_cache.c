/* SPDX-License-Identifier: MIT */
/* os_page_cache.c: asks the system what it has of a file in memory.
 *
 * A read that must not wait tells it too, but newer systems start to read that page then: a small
 * one, where no large one has room any more. So that is for systems without the other call. Newer
 * ones may refuse that to who may not write the file. */
#include "base/os.h"
#ifdef __linux__
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SYS_cachestat
#define SYS_cachestat 451 /* Linux 6.5; older C libraries do not define it */
#endif

static dvi_page ask_reading(int fd, int64_t offset)
{
#ifdef RWF_NOWAIT
    uint8_t byte;
    const struct iovec one = {&byte, 1};
    /* a musl before 1.2.5 lacks the function; the second half of the offset has none of its bits */
    if (syscall(SYS_preadv2, fd, &one, 1, (long)offset, 0L, RWF_NOWAIT) == 1)
        return DVI_PAGE_THERE;
    return errno == EAGAIN ? DVI_PAGE_MISSING : DVI_PAGE_UNKNOWN;
#else
    (void)fd;
    (void)offset;
    return DVI_PAGE_UNKNOWN;
#endif
}

dvi_page dvi_os_page(int fd, int64_t offset)
{
    const uint64_t range[] = {(uint64_t)offset, 1};
    uint64_t found[5] = {0}; /* the first: pages in the cache */
    if (syscall(SYS_cachestat, fd, range, found, 0) == 0)
        return found[0] > 0 ? DVI_PAGE_THERE : DVI_PAGE_MISSING;
    return errno == ENOSYS ? ask_reading(fd, offset) : DVI_PAGE_UNKNOWN;
}
#else
dvi_page dvi_os_page(int fd, int64_t offset)
{
    (void)fd;
    (void)offset;
    return DVI_PAGE_UNKNOWN;
}
#endif
