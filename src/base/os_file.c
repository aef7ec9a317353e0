/* SPDX-License-Identifier: MIT */
/* os_file.c: advice, identity, names and folders of files. */
#include "base/attempt.h"
#include "base/os.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

/* --- Advice ----------------------------------------------------------------------------------- */

#ifdef POSIX_FADV_WILLNEED
void dvi_os_advise_file(int fd, int64_t offset, int64_t nbytes, dvi_os_advice advice)
{
    static const int names[] = {
        [DVI_OS_IN_ORDER] = POSIX_FADV_SEQUENTIAL,
        [DVI_OS_SOON] = POSIX_FADV_WILLNEED,
        [DVI_OS_FORGET] = POSIX_FADV_DONTNEED,
    };
    posix_fadvise(fd, (off_t)offset, (off_t)nbytes, names[advice]);
}
#else
void dvi_os_advise_file(int fd, int64_t offset, int64_t nbytes, dvi_os_advice advice)
{
    if (advice == DVI_OS_SOON) {
        struct radvisory range = {offset, nbytes < INT_MAX ? (int)nbytes : INT_MAX};
        fcntl(fd, F_RDADVISE, &range);
    }
}
#endif

/* --- Identity --------------------------------------------------------------------------------- */

#ifdef STATX_BTIME
bool dvi_os_identify(int fd, const char *path, dvi_os_identity *identity_out)
{
    struct statx st = {.stx_mask = 0}; /* MSan does not see what the system writes */
    const int flags = *path ? 0 : AT_EMPTY_PATH;
    /* Linux has it since 4.11, but a musl before 1.2.5 lacks the function. */
    if (syscall(SYS_statx, fd, path, flags, STATX_INO | STATX_BTIME, &st) != 0)
        return false;
    *identity_out =
        (dvi_os_identity){(uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor, st.stx_ino, 0, 0};
    if (st.stx_mask & STATX_BTIME) {
        identity_out->birth = st.stx_btime.tv_sec;
        identity_out->birth_ns = st.stx_btime.tv_nsec;
    }
    return true;
}
#else
bool dvi_os_identify(int fd, const char *path, dvi_os_identity *identity_out)
{
    struct stat st;
    if ((*path ? fstatat(fd, path, &st, 0) : fstat(fd, &st)) != 0)
        return false;
    *identity_out = (dvi_os_identity){(uint64_t)st.st_dev, (uint64_t)st.st_ino, 0, 0};
#if defined(__APPLE__)
    identity_out->birth = st.st_birthtimespec.tv_sec;
    identity_out->birth_ns = st.st_birthtimespec.tv_nsec;
#elif defined(__FreeBSD__)
    identity_out->birth = st.st_birthtim.tv_sec;
    identity_out->birth_ns = st.st_birthtim.tv_nsec;
#endif
    return true;
}
#endif

static int64_t ns_of(struct timespec time)
{
    return (int64_t)((uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec);
}

void dvi_os_times(const struct stat *facts, int64_t times_out[2])
{
#ifdef __APPLE__
    times_out[0] = ns_of(facts->st_mtimespec);
    times_out[1] = ns_of(facts->st_ctimespec);
#else
    times_out[0] = ns_of(facts->st_mtim);
    times_out[1] = ns_of(facts->st_ctim);
#endif
}

/* --- Opening ---------------------------------------------------------------------------------- */

int dvi_os_open_below(int folder, const char *path, int flags)
{
#ifdef SYS_openat2
    struct open_how how = {.flags = (unsigned)flags,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    int fd, tries = 16;
    do /* EAGAIN: a folder was renamed while the system resolved ".." of a link */
        fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
    while (fd < 0 && errno == EAGAIN && --tries > 0);
    return fd;
#else
    (void)folder;
    (void)path;
    (void)flags;
    errno = ENOSYS;
    return -1;
#endif
}

int dvi_os_open_unnamed(const char *folder)
{
#ifdef O_TMPFILE
    return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#else
    (void)folder;
    errno = EOPNOTSUPP;
    return -1;
#endif
}

/* --- Names ------------------------------------------------------------------------------------ */

int dvi_os_swap_names(int folder, const char *a, const char *b)
{
#if defined(__linux__) /* musl has neither the function nor the name of the flag */
    return (int)syscall(SYS_renameat2, folder, a, folder, b, 1U << 1);
#elif defined(RENAME_SWAP)
    return renameatx_np(folder, a, folder, b, RENAME_SWAP);
#else
    (void)folder;
    (void)a;
    (void)b;
    errno = ENOSYS;
    return -1;
#endif
}

int dvi_os_sync_file_system(int fd)
{
#ifdef __linux__
    return syncfs(fd);
#else
    (void)fd;
    sync(); /* there is no call for a single file system */
    return 0;
#endif
}
