/* SPDX-License-Identifier: MIT */
/* map_spool.c: a stream, read into a temporary file. */
#include "base/check.h"
#include "base/os.h"
#include "base/size.h"
#include "io/map_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE_NBYTES (INT64_C(256) << 10)

/* In $TMPDIR, or /tmp.  Where the file system cannot make one without a name, the name is removed
 * at once. */
static dv_status open_temporary(int *fd_out, dv_error *err)
{
    const char *folder = dvi_os_environment("TMPDIR");
    char path[4096];
    folder = folder && *folder ? folder : "/tmp";
    *fd_out = dvi_os_open_unnamed(folder);
    if (*fd_out < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
        const int n = snprintf(path, sizeof path, "%s/dataview-XXXXXX", folder);
        errno = ENAMETOOLONG;
        *fd_out = n > 0 && (size_t)n < sizeof path ? mkostemp(path, O_CLOEXEC) : -1;
        if (*fd_out >= 0)
            unlink(path);
    }
    if (*fd_out >= 0)
        return DV_OK;
    dvi_fail_os(err, errno, "a temporary file for the pipe cannot be made");
    dvi_error_set_file(err, folder);
    return DV_ERR_IO;
}

static dv_status write_all(int fd, const uint8_t *src, size_t n, dv_error *err)
{
    while (n > 0) {
        const ssize_t wrote = write(fd, src, n);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return dvi_fail_os(err, wrote < 0 ? errno : EIO,
                               "writing the temporary file for the pipe");
        src += wrote;
        n -= (size_t)wrote;
    }
    return DV_OK;
}

/* *nbytes_out: how many bytes were copied. */
static dv_status copy(int fd, dvi_map *from, int64_t limit, int64_t *nbytes_out, dv_error *err)
{
    dvi_memory *memory = NULL;
    dv_status status = DV_OK;
    int64_t at = 0, end = 0;
    for (;; at = end) {
        dvi_span span;
        status = dvi_map_reach(from, at, &end, err);
        if (status != DV_OK || end <= at)
            break;
        end = dvi_min_i64(end, at + PIECE_NBYTES);
        if (end > limit) {
            status = dvi_fail(err, DV_ERR_LIMIT, "spool_nbytes", -1, "bytes in a temporary file",
                              "at most %" PRId64 " (option spool_nbytes)|more", limit);
            break;
        }
        status = dvi_map_span(from, at, (size_t)(end - at), &memory, &span, err);
        if (status == DV_OK)
            status = write_all(fd, span.data, span.nbytes, err);
        if (status != DV_OK)
            break;
    }
    dvi_memory_release(&memory);
    *nbytes_out = at;
    return status;
}

static dv_status spool(dvi_map **map_out, int fd, dvi_map *from, int64_t limit, dv_error *err)
{
    int64_t nbytes;
    DVI_TRY(copy(fd, from, limit, &nbytes, err));
    DVI_TRY(
        dvi_map_open_posix(map_out, fd, nbytes, dvi_map_name(from), dvi_map_allocator(from), err));
    (*map_out)->is_spooled = true;
    return DV_OK;
}

dv_status dvi_map_spool(dvi_map **map, int64_t limit, dv_error *err)
{
    dvi_map *made, *reading;
    int fd;
    if (!dvi_map_is_stream(*map))
        return DV_OK;
    DVI_TRY(open_temporary(&fd, err));
    dv_status status = dvi_map_begin_reading(*map, false, &reading, err);
    if (status == DV_OK)
        status = spool(&made, fd, reading, limit, err);
    dvi_map_release(&reading);
    if (status != DV_OK) {
        close(fd);
        dvi_error_set_file(err, dvi_map_name(*map));
        return status;
    }
    const bool drops_behind = (*map)->drops_behind;
    dvi_map_release(map);
    *map = made;
    return drops_behind ? dvi_map_drop_behind(made, err) : DV_OK;
}
