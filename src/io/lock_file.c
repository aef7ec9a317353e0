/* SPDX-License-Identifier: MIT */
/* lock_file.c: files in a folder whose lock shows that the process that writes them is alive. */
#include "io/lock_file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int dvi_open_at(int folder, const char *name, int flags, mode_t mode)
{
    int fd;
    do
        fd = openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW, mode);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int dvi_lock_file(int fd, int operation)
{
    int result;
    do
        result = flock(fd, operation);
    while (result != 0 && errno == EINTR);
    return result;
}

bool dvi_has_no_locks(int os_code)
{
    return os_code == ENOSYS || os_code == EOPNOTSUPP || os_code == ENOLCK;
}

bool dvi_file_has_name(int fd, int folder, const char *name)
{
    struct stat held, named;
    return fstat(fd, &held) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* With the lock held, no other process uses the file, unless its writer has just renamed it. */
void dvi_remove_unlocked(int folder, const char *name)
{
    struct stat st;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return;
    const int fd = dvi_open_at(folder, name, O_RDWR | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0)
        return;
    if (dvi_lock_file(fd, LOCK_EX | LOCK_NB) == 0 && dvi_file_has_name(fd, folder, name))
        unlinkat(folder, name, 0);
    close(fd);
}
