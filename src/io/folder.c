/* SPDX-License-Identifier: MIT */
/* folder.c: files below a folder, whose paths may come from anyone.
 *
 * Each part of a path is opened in the folder before it, and links are not followed, so that no
 * path leads out, whatever other processes change. The system resolves links that are allowed, and
 * keeps them inside, where it can. A path is compared with the allowed folder as text, so that
 * nothing outside that folder is ever touched. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/os.h"
#include <dataview/folder.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOT_REGULAR ENOTSUP /* our own code: the path leads to something else */

typedef struct path_text {
    char text[PATH_MAX];
} path_text;

struct dv_folder {
    atomic_size_t refs;
    dv_allocator allocator;
    int fd;
    bool is_root;   /* the folder that paths are relative to */
    bool is_narrow; /* from dv_folder_within */
    /* set by dv_folder_open */
    path_text path, cwd; /* as given, and the working directory; "": not known */
    /* set by dv_folder_within */
    path_text inside;    /* the way from `fd` to the folder that paths are relative to */
    path_text before[2]; /* or from that folder to `fd`, under two names: paths begin with one */
    int before_count;
};

/* --- Paths as text ---------------------------------------------------------------------------- */

/* The next part of a path, without "" and "."; empty at the end. */
static dv_text next_part(const char **path)
{
    for (;;) {
        *path += strspn(*path, "/");
        const dv_text part = {*path, (int64_t)strcspn(*path, "/")};
        *path += part.nbytes;
        if (part.nbytes != 1 || *part.data != '.')
            return part;
    }
}

static bool is_up(dv_text part)
{
    return part.nbytes == 2 && memcmp(part.data, "..", 2) == 0;
}

/* Append "/part". Returns false if it does not fit. */
static bool append(path_text *dst, dv_text part)
{
    const size_t n = strlen(dst->text), more = (size_t)part.nbytes;
    if (more >= sizeof dst->text - n - 1)
        return false;
    dst->text[n] = '/';
    memcpy(dst->text + n + 1, part.data, more);
    dst->text[n + 1 + more] = 0;
    return true;
}

/* Make a path absolute: "/a/b", and "" for the root. Returns false if it is too long, or has `..`
 * after a name, which could be a link. */
static bool make_absolute(path_text *dst, const char *cwd, const char *path)
{
    bool has_name = false;
    snprintf(dst->text, sizeof dst->text, "%s", *path == '/' || !cwd[1] ? "" : cwd);
    for (dv_text part = next_part(&path); part.nbytes > 0; part = next_part(&path)) {
        if (!is_up(part)) {
            has_name = true;
            if (!append(dst, part))
                return false;
        } else if (has_name) {
            return false;
        } else {
            char *last = strrchr(dst->text, '/');
            if (last)
                *last = 0;
        }
    }
    return true;
}

/* The rest of an absolute path after the folder; NULL: the path is not below it. */
static const char *rest_of(const path_text *folder, const path_text *path)
{
    const size_t n = strlen(folder->text);
    const char *rest = path->text + n;
    if (strncmp(folder->text, path->text, n) != 0 || (*rest && *rest != '/'))
        return NULL;
    return rest + (*rest == '/');
}

/* --- Opening ---------------------------------------------------------------------------------- */

static dv_status fail(dv_error *err, dv_status status, int os_code, const char *what,
                      const char *path)
{
    char text[360];
    snprintf(text, sizeof text, "%s%s%.200s", what, *path ? ": " : "", path);
    dv_error_set(err, status > 0 ? DV_ERR_IO : status, text); /* it takes errors only */
    if (err)
        err->os_code = os_code == NOT_REGULAR ? 0 : os_code;
    return status;
}

static dv_status fail_open(dv_error *err, int os_code, const char *path)
{
    char what[128];
    snprintf(what, sizeof what, "the folder cannot be opened: %s", strerror(os_code));
    return fail(err, DV_ERR_IO, os_code, what, path);
}

/* open_part() refuses both, and the system a loop of links. */
static const char *reason_of(int os_code)
{
    return os_code == ELOOP         ? "a path with .. or a symbolic link"
           : os_code == NOT_REGULAR ? "not a regular file"
                                    : strerror(os_code);
}

static bool is_missing(int os_code)
{
    return os_code == ENOENT || os_code == ENOTDIR || os_code == ELOOP || os_code == EXDEV ||
           os_code == EACCES || os_code == EPERM || os_code == ENAMETOOLONG || os_code == ENXIO ||
           os_code == EISDIR || os_code == NOT_REGULAR;
}

static int set_errno(int os_code)
{
    errno = os_code;
    return -1;
}

static const int file_flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
static const int folder_flags = DVI_OS_FOLDER | O_DIRECTORY | O_CLOEXEC;

/* Open the next part of a path, in `at`. Opening a device can have effects, so it is looked at
 * before. */
static int open_part(int at, const char *part, int flags, bool follow)
{
    struct stat facts;
    if (strcmp(part, "..") == 0)
        return set_errno(ELOOP);
    if (flags == file_flags && fstatat(at, part, &facts, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0 &&
        !S_ISREG(facts.st_mode) && !S_ISLNK(facts.st_mode))
        return set_errno(NOT_REGULAR);
    return openat(at, part, flags | (follow ? 0 : O_NOFOLLOW));
}

/* Open a path part by part, the last one with `flags`. Returns the descriptor, or -1 with errno. */
static int walk(int folder, const char *path, int flags, bool follow)
{
    path_text parts;
    int at = folder;
    snprintf(parts.text, sizeof parts.text, "%s", path);
    for (char *part = parts.text; at >= 0;) {
        char *rest = part + strcspn(part, "/");
        while (*rest == '/')
            *rest++ = 0;
        const bool is_last = *rest == 0;
        const int next = open_part(at, *part ? part : ".", is_last ? flags : folder_flags, follow);
        const int os_code = errno;
        if (at != folder)
            close(at);
        errno = os_code;
        if (is_last)
            return next;
        at = next;
        part = rest;
    }
    return -1;
}

/* Let the system follow links that stay below the folder. */
static int resolve(int folder, const char *path, int flags)
{
    struct stat facts;
    const int look =
        dvi_os_open_below(folder, path, flags == file_flags ? DVI_OS_FOLDER | O_CLOEXEC : flags);
    if (look < 0 && (errno == ENOSYS || errno == EPERM)) /* an older kernel, or it is not allowed */
        return walk(folder, path, flags, false);
    if (look < 0 || flags != file_flags)
        return look;
    const bool is_regular = fstat(look, &facts) == 0 && S_ISREG(facts.st_mode);
    close(look);
    return is_regular ? dvi_os_open_below(folder, path, flags) : set_errno(NOT_REGULAR);
}

static bool is_root(int fd)
{
    struct stat here, root;
    return fstat(fd, &here) == 0 && stat("/", &root) == 0 && here.st_ino == root.st_ino &&
           here.st_dev == root.st_dev;
}

static dv_status create(dv_folder **folder_out, int fd, const dv_allocator *allocator,
                        dv_error *err)
{
    void *made;
    const dv_allocator with = dvi_allocator_of(allocator);
    const dv_status status = dvi_alloc_zeroed(&with, &made, sizeof(dv_folder), err);
    if (status < 0) {
        close(fd);
        return status;
    }
    dv_folder *f = made;
    atomic_init(&f->refs, 1);
    f->allocator = with;
    f->fd = fd;
    *folder_out = f;
    return DV_OK;
}

dv_status dv_folder_open(dv_folder **folder_out, const char *path, const dv_allocator *allocator,
                         dv_error *err)
{
    *folder_out = NULL;
    const int fd = open(path, folder_flags);
    if (fd < 0)
        return fail_open(err, errno, path);
    DVI_TRY(create(folder_out, fd, allocator, err));
    dv_folder *f = *folder_out;
    f->is_root = is_root(fd);
    snprintf(f->path.text, sizeof f->path.text, "%s", path);
    if (!getcwd(f->cwd.text, sizeof f->cwd.text) || *f->cwd.text != '/')
        *f->cwd.text = 0;
    return DV_OK;
}

void dv_folder_retain(dv_folder *f)
{
    atomic_fetch_add(&f->refs, 1);
}

void dv_folder_release(dv_folder **folder)
{
    dv_folder *f = *folder;
    *folder = NULL;
    if (!f || atomic_fetch_sub(&f->refs, 1) != 1)
        return;
    const dv_allocator allocator = f->allocator;
    close(f->fd);
    dvi_free(&allocator, f, sizeof *f);
}

/* --- What is allowed -------------------------------------------------------------------------- */

/* The names of an opened folder: as given, and as the system has it. */
static int names_of(path_text *names, const dv_folder *f)
{
    int n = 0;
    path_text real;
    if (make_absolute(&names[n], f->cwd.text, f->path.text))
        n++;
    char *const resolved = realpath(n > 0 && *names[0].text ? names[0].text : f->path.text, NULL);
    if (resolved && make_absolute(&real, "/", resolved) &&
        (n == 0 || strcmp(real.text, names[0].text) != 0))
        names[n++] = real;
    free(resolved);
    return n;
}

/* Find out how the folder at an absolute path and the allowed one lie. */
static bool compare(dv_folder *f, const path_text *names, int n, const path_text *at)
{
    for (int i = 0; i < n; i++) {
        const char *rest = rest_of(&names[i], at);
        if (!rest)
            continue;
        snprintf(f->inside.text, sizeof f->inside.text, "%s", rest);
        return true;
    }
    for (int i = 0; i < n; i++) {
        const char *rest = rest_of(at, &names[i]);
        if (rest)
            snprintf(f->before[f->before_count++].text, sizeof f->before[0].text, "/%s", rest);
    }
    return f->before_count > 0;
}

static dv_status narrow(dv_folder *f, const dv_folder *allowed, const char *path, dv_error *err)
{
    path_text at, names[2];
    if (allowed->is_narrow || (*path != '/' && !*allowed->cwd.text) ||
        !make_absolute(&at, allowed->cwd.text, path) ||
        !compare(f, names, names_of(names, allowed), &at))
        return fail(err, DV_ERR_ARGUMENT, 0, "not below the folder that is allowed", path);
    f->is_narrow = true;
    f->is_root = !*at.text;
    if (!*f->inside.text)
        return DV_OK;
    const int fd = resolve(f->fd, f->inside.text, folder_flags);
    if (fd < 0 && (errno == EXDEV || errno == ELOOP))
        return fail(err, DV_ERR_IO, 0, "a link leads out of the folder that is allowed", path);
    if (fd < 0)
        return fail_open(err, errno, path);
    close(f->fd);
    f->fd = fd; /* links on the way to the folder are followed once, here */
    *f->inside.text = 0;
    return DV_OK;
}

dv_status dv_folder_within(dv_folder **folder_out, dv_folder *allowed, const char *path,
                           dv_error *err)
{
    *folder_out = NULL;
    const int fd = fcntl(allowed->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return fail_open(err, errno, path);
    DVI_TRY(create(folder_out, fd, &allowed->allocator, err));
    const dv_status status = narrow(*folder_out, allowed, path, err);
    if (status < 0)
        dv_folder_release(folder_out);
    return status;
}

/* --- A file ----------------------------------------------------------------------------------- */

/* A NUL-terminated copy.  Returns false if it does not fit, or has a NUL. */
static bool copy_path(path_text *dst, dv_text path)
{
    if (path.nbytes <= 0 || (size_t)path.nbytes >= sizeof dst->text ||
        memchr(path.data, 0, (size_t)path.nbytes))
        return false;
    memcpy(dst->text, path.data, (size_t)path.nbytes);
    dst->text[path.nbytes] = 0;
    return true;
}

static bool has_up(const char *path)
{
    for (dv_text part = next_part(&path); part.nbytes > 0; part = next_part(&path))
        if (is_up(part))
            return true;
    return false;
}

/* The way from `fd` to a file of a narrow folder. Returns false if it leads out, or is too long. */
static bool find_way(path_text *way, const dv_folder *f, const char *path)
{
    path_text at;
    if (f->before_count == 0)
        return snprintf(way->text, sizeof way->text, "%s%s%s", f->inside.text,
                        *f->inside.text ? "/" : "", path) < (int)sizeof way->text;
    if (!make_absolute(&at, "/", path[strspn(path, "/")] ? path : "."))
        return false;
    for (int i = 0; i < f->before_count; i++) {
        const char *rest = rest_of(&f->before[i], &at);
        if (rest && *rest) {
            snprintf(way->text, sizeof way->text, "%s", rest);
            return true;
        }
    }
    return false;
}

dv_status dv_folder_open_file(int *fd_out, const dv_folder *f, dv_text given, bool follow,
                              dv_error *err)
{
    struct stat facts;
    path_text path, way;
    *fd_out = -1;
    if (!copy_path(&path, given))
        return fail(err, DV_NOT_FOUND, 0, "no path of a file", "");
    if (*path.text == '/' && !f->is_root)
        return fail(err, DV_NOT_FOUND, 0, "the path is not relative to the folder", path.text);
    if (has_up(path.text))
        return fail(err, DV_NOT_FOUND, ELOOP, reason_of(ELOOP), path.text);
    const char *from = path.text + strspn(path.text, "/");
    if (f->is_narrow && !find_way(&way, f, from))
        return fail(err, DV_ERR_IO, 0, "not below the folder that is allowed", path.text);
    if (f->is_narrow)
        from = way.text;
    const int fd = f->is_narrow && follow ? resolve(f->fd, from, file_flags)
                                          : walk(f->fd, from, file_flags, follow);
    if (fd < 0)
        return fail(err, is_missing(errno) ? DV_NOT_FOUND : DV_ERR_IO, errno, reason_of(errno),
                    path.text);
    dv_status status = DV_OK;
    if (fstat(fd, &facts) != 0)
        status = fail(err, DV_ERR_IO, errno, reason_of(errno), path.text);
    else if (!S_ISREG(facts.st_mode))
        status = fail(err, DV_NOT_FOUND, 0, reason_of(NOT_REGULAR), path.text);
    if (status == DV_OK)
        *fd_out = fd;
    else
        close(fd);
    return status;
}
