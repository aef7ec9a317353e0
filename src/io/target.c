/* SPDX-License-Identifier: MIT */
/* target.c: resolves a path to the file that will be replaced, and checks that it may be. */
#include "io/target.h"
#include "base/check.h"
#include "base/os.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as the system's own limit */

static const char not_replaced[] = "cannot be replaced";

/* Advice for the user, by error code. */
static const struct {
    int os_code;
    const char *advice;
} advices[] = {
    {ENOSPC, "make room, or save to another disk"},
    {EDQUOT, "make room, or save where the quota allows it"},
    {EFBIG, "save where files may be as long, or raise the limit (ulimit -f)"},
    {EACCES, "allow writing here, or save elsewhere"},
    {EPERM, "allow writing here, or save elsewhere"},
    {EROFS, "save to a disk that can be written"},
    {ENOENT, "make the folder first"},
    {ENOTDIR, "name a file in a folder"},
    {ENAMETOOLONG, "choose a shorter name"},
    {EMFILE, "close files, or raise the limit (ulimit -n)"},
    {EIO, "the disk may be failing: save elsewhere"},
};

dv_status dvi_target_fail(dv_error *err, int os_code, const char *what)
{
    char text[128];
    const char *advice = NULL;
    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (advices[i].os_code == os_code)
            advice = advices[i].advice;
    snprintf(text, sizeof text, "%s%s%s", what, advice ? "; " : "", advice ? advice : "");
    return dvi_fail_os(err, os_code, text);
}

static dv_status fail_other(dv_error *err, int os_code, const char *found)
{
    dvi_fail(err, DV_ERR_IO, "", -1, not_replaced, "a regular file|%s", found);
    if (err)
        err->os_code = os_code;
    return DV_ERR_IO;
}

static dv_status check_regular(mode_t mode, dv_error *err)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return DV_OK;
    case S_IFDIR:
        return fail_other(err, EISDIR, "a directory: name a file in it");
    case S_IFIFO:
    case S_IFSOCK:
        return fail_other(err, ESPIPE, "a pipe or socket: save to a file first");
    default:
        return fail_other(err, ENODEV, "a device: save to a file first");
    }
}

/* Replace the link at the end of `path` by its target. */
static dv_status follow(char *path, const char *link, size_t link_nbytes, dv_error *err)
{
    char *const slash = strrchr(path, '/');
    char *const at = link[0] == '/' || !slash ? path : slash + 1;
    if (link_nbytes >= PATH_MAX - (size_t)(at - path))
        return dvi_target_fail(err, ENAMETOOLONG, not_replaced);
    memcpy(at, link, link_nbytes);
    at[link_nbytes] = 0;
    return DV_OK;
}

/* Follow symbolic links, so that the file is replaced and the link stays. The file need not exist.
 */
static dv_status resolve(dvi_target *target, dv_error *err)
{
    char link[PATH_MAX];
    for (int i = 0; i < LINKS_MAX; i++) {
        const ssize_t n = readlink(target->path, link, sizeof link);
        if (n < 0 && (errno == EINVAL || errno == ENOENT))
            return DV_OK;
        if (n < 0)
            return dvi_target_fail(err, errno, not_replaced);
        target->is_link = true;
        DVI_TRY(follow(target->path, link, (size_t)n, err));
    }
    return dvi_target_fail(err, ELOOP, not_replaced);
}

static int open_retry(const char *folder, int flags)
{
    int fd;
    do
        fd = open(folder, flags | O_DIRECTORY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* Files can be created in a folder that is writable and searchable but not readable. */
static dv_status open_folder(dvi_target *target, dv_error *err)
{
    char folder[PATH_MAX];
    const size_t n = (size_t)(target->name - target->path);
    snprintf(folder, sizeof folder, "%.*s", (int)(n ? n : 1), n ? target->path : ".");
    target->folder = open_retry(folder, O_RDONLY);
    target->can_list = target->folder >= 0;
    if (target->folder < 0 && errno == EACCES)
        target->folder = open_retry(folder, DVI_OS_FOLDER);
    struct stat st;
    if (target->folder < 0 || fstat(target->folder, &st) != 0)
        return dvi_target_fail(err, errno, "its folder cannot be opened");
    target->folder_id = (dvi_file_id){st.st_dev, st.st_ino};
    return DV_OK;
}

/* A rename does not need write permission on the old file, so check for it here. */
static dv_status check_old(const dvi_target *target, const struct stat *old, dv_error *err)
{
    DVI_TRY(check_regular(old->st_mode, err));
    if (faccessat(target->folder, target->name, W_OK, AT_EACCESS) != 0)
        return dvi_target_fail(err, errno, not_replaced);
    return DV_OK;
}

/* Look up the name in the folder. */
static dv_status look_at_old(dvi_target *target, dv_error *err)
{
    assert(target->folder >= 0);
    target->exists = fstatat(target->folder, target->name, &target->old, AT_SYMLINK_NOFOLLOW) == 0;
    if (!target->exists)
        return errno == ENOENT ? DV_OK : dvi_target_fail(err, errno, not_replaced);
    return check_old(target, &target->old, err);
}

/* The target of /dev/stdout may be a pipe without a path, so let stat follow the links first. */
static dv_status look_at_path(const char *path, dv_error *err)
{
    struct stat st;
    if (stat(path, &st) == 0)
        return check_regular(st.st_mode, err);
    return errno == ENOENT ? DV_OK : dvi_target_fail(err, errno, not_replaced);
}

dv_status dvi_target_open(dvi_target *target, const char *path, dv_error *err)
{
    target->folder = -1;
    target->is_link = false;
    if (!*path)
        return dvi_fail_os(err, ENOENT, "an empty path names no file");
    DVI_TRY(look_at_path(path, err));
    const size_t n = strlen(path);
    if (n >= sizeof target->path)
        return dvi_target_fail(err, ENAMETOOLONG, not_replaced);
    memcpy(target->path, path, n + 1);
    DVI_TRY(resolve(target, err));

    const char *slash = strrchr(target->path, '/');
    target->name = slash ? slash + 1 : target->path;
    if (!*target->name)
        return fail_other(err, EISDIR, "a directory: name a file in it");
    DVI_TRY(open_folder(target, err));
    return look_at_old(target, err);
}

dv_status dvi_target_beside(dvi_target *target, const dvi_target *first, const char *suffix,
                            dv_error *err)
{
    struct stat old;
    const size_t n = strlen(first->path), more = strlen(suffix) + 1;
    *target = *first;
    target->name = target->path + (first->name - first->path);
    if (first->is_link)
        return fail_other(err, ELOOP, "a symbolic link: name the file that it points to");
    if (more > sizeof target->path - n)
        return dvi_target_fail(err, ENAMETOOLONG, not_replaced);
    memcpy(target->path + n, suffix, more);
    if (fstatat(target->folder, target->name, &old, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? DV_OK : dvi_target_fail(err, errno, not_replaced);
    return S_ISLNK(old.st_mode) ? DV_OK : check_old(target, &old, err);
}

bool dvi_target_is_same(const dvi_target *a, const dvi_target *b)
{
    return a->folder_id.inode == b->folder_id.inode && a->folder_id.device == b->folder_id.device &&
           strcmp(a->name, b->name) == 0;
}

void dvi_target_close(dvi_target *target)
{
    if (target->folder >= 0)
        close(target->folder);
    target->folder = -1;
}
