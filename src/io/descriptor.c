/* SPDX-License-Identifier: MIT */
/* descriptor.c: keeps the descriptors of files that are read, or opens the files again. */
#include "io/descriptor.h"
#include "base/attempt.h"
#include "base/check.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int kept; /* descriptors of all maps */

int dvi_descriptor_most(void)
{
    struct rlimit limit;
    if (!DVI_ATTEMPT("descriptor.c dvi_descriptor_most", getrlimit(RLIMIT_NOFILE, &limit) == 0) ||
        limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > INT_MAX)
        return INT_MAX;
    return limit.rlim_cur > 2 ? (int)(limit.rlim_cur / 2) : 1;
}

static bool identify(dvi_os_identity *identity, int fd, const char *path)
{
    return DVI_ATTEMPT("descriptor.c identify", dvi_os_identify(fd, path, identity));
}

static bool is_same(const dvi_os_identity *a, const dvi_os_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->birth == b->birth &&
           a->birth_ns == b->birth_ns;
}

void dvi_descriptor_own(dvi_descriptor *d, int fd)
{
    *d = (dvi_descriptor){.fd = fd};
    atomic_fetch_add(&kept, 1);
}

/* An absolute path, which leads to the file from any folder; free it. NULL: there is none. */
static char *absolute_path(const char *path)
{
    char folder[PATH_MAX], *absolute;
    if (*path == '/')
        return strdup(path);
    if (!getcwd(folder, sizeof folder) || asprintf(&absolute, "%s/%s", folder, path) < 0)
        return NULL;
    return absolute;
}

/* A relative path is short, and needs no rights on the folders around it: unlike the absolute one,
 * which may lead nowhere. */
static bool leads_to(const char *absolute, const char *path, const dvi_os_identity *opened)
{
    dvi_os_identity named;
    return *path == '/' || (identify(&named, AT_FDCWD, absolute) && is_same(&named, opened));
}

void dvi_descriptor_settle(dvi_descriptor *d, const char *path, int most)
{
    dvi_os_identity opened;
    if (d->fd < 0 || atomic_load(&kept) <= most)
        return;
    char *absolute = absolute_path(path);
    if (!absolute || !identify(&opened, d->fd, "") || !leads_to(absolute, path, &opened)) {
        free(absolute);
        return; /* it cannot be opened again */
    }
    atomic_fetch_sub(&kept, 1);
    close(d->fd);
    *d = (dvi_descriptor){-1, absolute, opened};
}

void dvi_descriptor_close(dvi_descriptor *d)
{
    if (d->fd >= 0) {
        close(d->fd);
        atomic_fetch_sub(&kept, 1);
    }
    free(d->path);
    *d = (dvi_descriptor)DVI_DESCRIPTOR_NONE;
}

dv_status dvi_descriptor_reopen(const dvi_descriptor *d, int *fd_out, dv_error *err)
{
    dvi_os_identity now;
    int fd;
    *fd_out = -1;
    do
        fd = open(d->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return dvi_fail_os(err, errno, "cannot be opened again");
    if (!identify(&now, fd, "") || !is_same(&now, &d->identity)) {
        close(fd);
        return dvi_fail(err, DV_ERR_IO, "", -1, "the file, which is opened again",
                        "the one that was opened before|another file");
    }
    *fd_out = fd;
    return DV_OK;
}

void dvi_descriptor_give_reopened(int fd)
{
    close(fd);
}
