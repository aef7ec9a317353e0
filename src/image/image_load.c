/* SPDX-License-Identifier: MIT */
/* image_load.c: reads files below a folder, and the step `loadbytes`.
 *
 * Paths are data.  Each part of a path is opened in the folder before it, and links are not
 * followed, so that no path leads out, whatever changes meanwhile. */
#include "image/image_load.h"
#include "image/image_paths.h"
#include "image/image_steps.h"
#include <dataview/value.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- The folder ------------------------------------------------------------------------------- */

/* os_code: errno, or 0. */
static dv_status fail(dv_error *err, dv_status status, int os_code, const char *what,
                      const char *path)
{
    char text[360];
    snprintf(text, sizeof text, "%s%s%.200s", what, *path ? ": " : "", path);
    dv_error_set(err, status > 0 ? DV_ERR_IO : status, text); /* it takes errors only */
    if (err)
        err->os_code = os_code;
    return status;
}

/* open_part() refuses both, and the system a loop of links. */
static dv_status fail_os(dv_error *err, dv_status status, int os_code, const char *path)
{
    return fail(err, status, os_code,
                os_code == ELOOP ? "a path with .. or a symbolic link" : strerror(os_code), path);
}

/* A NUL-terminated copy.  Returns false if it does not fit, or has a NUL. */
static bool copy_path(char *dst, size_t cap, dv_text path)
{
    if (path.nbytes <= 0 || (size_t)path.nbytes >= cap || memchr(path.data, 0, (size_t)path.nbytes))
        return false;
    memcpy(dst, path.data, (size_t)path.nbytes);
    dst[path.nbytes] = 0;
    return true;
}

dv_status dvi_loader_open(dvi_loader *loader, const dv_step *step, dv_error *err)
{
    char path[PATH_MAX];
    if (loader->is_open)
        return DV_OK;
    if (!copy_path(path, sizeof path, dv_step_text(step, "folder", 0)))
        return dv_error_set(err, DV_ERR_IO, "folder= is no path");
    loader->follows = dv_step_integer(step, "follow") != 0;
    loader->nbytes_max = dv_step_integer(step, "nbytes");
    loader->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (loader->folder < 0) {
        const int os_code = errno;
        char what[128];
        snprintf(what, sizeof what, "folder= cannot be opened: %s", strerror(os_code));
        fail(err, DV_ERR_IO, os_code, what, path);
        return DV_ERR_IO;
    }
    loader->is_open = true;
    return DV_OK;
}

void dvi_loader_close(dvi_loader *loader)
{
    if (loader->is_open)
        close(loader->folder);
    loader->is_open = false;
    dvi_room_free(&loader->room);
}

/* --- A file ----------------------------------------------------------------------------------- */

/* Open the next part of a path, in `folder`. */
static int open_part(const dvi_loader *loader, int folder, const char *part, bool is_last)
{
    const int how = O_CLOEXEC | (loader->follows ? 0 : O_NOFOLLOW);
    if (strcmp(part, "..") == 0) {
        errno = ELOOP;
        return -1;
    }
    return openat(folder, part,
                  how | (is_last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY));
}

/* Returns the descriptor, or -1 with errno.  `path` is changed. */
static int open_below(const dvi_loader *loader, char *path)
{
    int at = loader->folder;
    while (at >= 0) {
        char *rest = path + strcspn(path, "/");
        while (*rest == '/')
            *rest++ = 0;
        const int next = open_part(loader, at, path, *rest == 0);
        const int os_code = errno;
        if (at != loader->folder)
            close(at);
        errno = os_code;
        if (*rest == 0)
            return next;
        at = next;
        path = rest;
    }
    return -1;
}

static bool is_missing(int os_code)
{
    return os_code == ENOENT || os_code == ENOTDIR || os_code == ELOOP || os_code == EACCES ||
           os_code == EPERM || os_code == ENAMETOOLONG || os_code == ENXIO || os_code == EISDIR;
}

static bool is_root(int folder)
{
    struct stat here, root;
    return folder >= 0 && fstat(folder, &here) == 0 && stat("/", &root) == 0 &&
           here.st_ino == root.st_ino && here.st_dev == root.st_dev;
}

/* An open file, its size, and its path as text. */
typedef struct found_file {
    int fd;
    int64_t nbytes;
    char path[PATH_MAX];
} found_file;

/* Close it after DV_OK. */
static dv_status find_file(const dvi_loader *loader, found_file *found, dv_text path, dv_error *err)
{
    struct stat facts;
    char parts[PATH_MAX];
    found->nbytes = 0;
    if (!copy_path(found->path, sizeof found->path, path))
        return fail(err, DV_NOT_FOUND, 0, "no path of a file", "");
    if (found->path[0] == '/' && !is_root(loader->folder))
        return fail(err, DV_NOT_FOUND, 0, "the path is not relative to the folder", found->path);
    memcpy(parts, found->path, sizeof parts);
    found->fd = open_below(loader, parts + strspn(parts, "/"));
    if (found->fd < 0)
        return fail_os(err, is_missing(errno) ? DV_NOT_FOUND : DV_ERR_IO, errno, found->path);
    dv_status status = DV_OK;
    if (fstat(found->fd, &facts) != 0)
        status = fail_os(err, DV_ERR_IO, errno, found->path);
    else if (!S_ISREG(facts.st_mode))
        status = fail(err, DV_NOT_FOUND, 0, "not a regular file", found->path);
    else if (facts.st_size > loader->nbytes_max)
        status = fail(err, DV_ERR_LIMIT, 0, "more bytes than `nbytes` allows", found->path);
    else
        found->nbytes = facts.st_size;
    if (status != DV_OK)
        close(found->fd);
    return status;
}

dv_status dvi_loader_find(dvi_loader *loader, dv_text path, dv_error *err)
{
    found_file found;
    const dv_status status = find_file(loader, &found, path, err);
    if (status == DV_OK)
        close(found.fd);
    return status;
}

static dv_status read_all(dvi_loader *loader, dv_text *file_out, const found_file *found,
                          dv_error *err)
{
    int64_t done = 0;
    const dv_status status = dvi_room_fit(&loader->room, (size_t)found->nbytes + 1, err);
    if (status != DV_OK)
        return status;
    while (done < found->nbytes) {
        const ssize_t n = read(found->fd, loader->room.data + done, (size_t)(found->nbytes - done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_os(err, DV_ERR_IO, errno, found->path);
        if (n == 0)
            break; /* it became shorter */
        done += n;
    }
    *file_out = (dv_text){(const char *)loader->room.data, done};
    return DV_OK;
}

dv_status dvi_loader_read(dvi_loader *loader, dv_text *file_out, dv_text path, dv_error *err)
{
    found_file found;
    *file_out = (dv_text){NULL, 0};
    dv_status status = find_file(loader, &found, path, err);
    if (status != DV_OK)
        return status;
    status = read_all(loader, file_out, &found, err);
    close(found.fd);
    return status;
}

/* --- The step --------------------------------------------------------------------------------- */

typedef struct memory {
    dvi_loader loader;
    dvi_pool *pool; /* of what is made */
    dvi_room bytes; /* of the rows of a batch, end to end */
    int64_t used;
} memory;

static void release(void *of)
{
    memory *m = of;
    dvi_loader_close(&m->loader);
    dvi_room_free(&m->bytes);
    dvi_pool_close(&m->pool);
}

static dv_status type_loadbytes(dv_type *type_out, const dv_step_binding *binding, void *learned,
                                dv_error *err)
{
    (void)learned;
    const dv_type text = dv_type_of(DV_KIND_TX);
    *type_out = dv_type_of(DV_KIND_BY);
    if (dv_type_equal(&dv_schema_column(binding->schema, binding->sources[0])->type, &text))
        return DV_OK;
    return dv_error_set(err, DV_ERR_ARGUMENT, "loadbytes takes paths, which are TX");
}

/* Room for n more bytes; those that are there stay. */
static dv_status grow(memory *m, int64_t n, const dv_allocator *allocator, dv_error *err)
{
    if ((size_t)(m->used + n) <= m->bytes.nbytes)
        return DV_OK;
    dvi_room larger = {.allocator = allocator};
    const dv_status status =
        dvi_room_fit(&larger, (size_t)(m->used + n) + (size_t)m->used / 2, err);
    if (status != DV_OK)
        return status;
    if (m->used > 0)
        memcpy(larger.data, m->bytes.data, (size_t)m->used);
    dvi_room_free(&m->bytes);
    m->bytes = larger;
    return DV_OK;
}

static dv_status add_file(memory *m, const dv_step_filling *f, int64_t row, dv_text path,
                          dv_error *err)
{
    dv_text file;
    dv_error inner = DV_ERROR_INIT;
    const bool is_strict = dv_step_integer(f->binding->step, "strict") != 0;
    dv_status status = dvi_loader_read(&m->loader, &file, path, &inner);
    if (dvi_is_of_value(status) && (!is_strict || path.nbytes <= 0))
        return DV_OK;
    if (status == DV_OK && m->used + file.nbytes > INT32_MAX)
        status =
            dv_error_set(&inner, DV_ERR_LIMIT,
                         "the files of a batch have more than 2^31-1 bytes: reduce batch_rows");
    if (status != DV_OK)
        return dvi_fail_row(err, row, &inner);
    status = grow(m, file.nbytes, f->binding->allocator, err);
    if (status == DV_OK && file.nbytes > 0)
        memcpy(m->bytes.data + m->used, file.data, (size_t)file.nbytes);
    if (status == DV_OK)
        m->used += file.nbytes;
    return status;
}

/* BY has no NA: a missing file has no bytes. */
static dv_status fill_loadbytes(dv_column_view *values_out, const dv_step_filling *f, dv_error *err)
{
    memory *m = f->memory;
    void *ends, *bytes;
    dv_text_layout made = {.first = 0};
    m->used = 0;
    m->loader.room.allocator = f->binding->allocator;
    dv_status status = dvi_pool_begin(&m->pool, f->binding->allocator, err);
    if (status == DV_OK)
        status = dvi_loader_open(&m->loader, f->binding->step, err);
    if (status == DV_OK)
        status = dvi_output_create(&made.ends, &ends, (size_t)f->rows * sizeof(int32_t),
                                   sizeof(int32_t), m->pool, f->binding->allocator, err);
    if (status != DV_OK)
        return status;
    dv_value value = dv_value_first(f->sources[0]);
    for (int64_t i = 0; status == DV_OK && i < f->rows; i++, dv_value_next(&value)) {
        status = add_file(m, f, f->first_row + i, dv_value_tx(&value), err);
        ((int32_t *)ends)[i] = (int32_t)m->used;
    }
    if (status == DV_OK)
        status = dvi_output_create(&made.utf8, &bytes, (size_t)m->used, 1, m->pool,
                                   f->binding->allocator, err);
    if (status != DV_OK) {
        dv_buffer_release(&made.ends);
        return status;
    }
    if (m->used > 0)
        memcpy(bytes, m->bytes.data, (size_t)m->used);
    values_out->layout = DV_LAYOUT_BYTES;
    values_out->as.text = made;
    return DV_OK;
}

static dv_status begin_loadbytes(void **learner_out, const dv_step_binding *b, dv_error *err)
{
    dv_type type;
    const dv_status status = type_loadbytes(&type, b, NULL, err);
    return status == DV_OK ? dvi_paths_begin(learner_out, b, err) : status;
}

DVI_IMAGE_CLASS(loadbytes, .memory = sizeof(memory), .release = release,
                DVI_PATHS_CLASS(loadbytes));
DVI_IMAGE_INFO(loadbytes, "", "Read the files of paths: bytes.", DVI_LOAD_OPTIONS,
               DVI_STRICT_OPTION);
