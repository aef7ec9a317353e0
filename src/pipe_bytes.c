/* SPDX-License-Identifier: MIT */
/* pipe_bytes.c: files of this machine, for pipelines that name some. */
#include "base/check.h"
#include "base/error.h"
#include <dataview/open.h>
#include <dataview/pipeline.h>
#include <dataview/source.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_NBYTES (1 << 16)

/* Open a regular file below a folder: at a path from the root, or from the working directory. */
static dv_status open_below(int *fd_out, dv_folder *allowed, const char *path, dv_error *err)
{
    dv_folder *folder;
    DVI_TRY(dv_folder_within(&folder, allowed, *path == '/' ? "/" : ".", err));
    dv_status status = dv_folder_open_file(fd_out, folder, dv_text_of(path), true, err);
    dv_folder_release(&folder);
    return status == DV_NOT_FOUND ? DV_ERR_IO : status;
}

static dv_status open_any(int *fd_out, const char *path, dv_error *err)
{
    *fd_out = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return *fd_out < 0 ? dvi_fail_os(err, errno, "cannot be opened") : DV_OK;
}

static dv_status copy(int fd, const dv_sink *sink, dv_error *err)
{
    char piece[PIECE_NBYTES];
    for (;;) {
        const ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return dvi_fail_os(err, errno, "cannot be read");
        if (n == 0 || !sink->write(sink->ctx, piece, (size_t)n))
            return DV_OK;
    }
}

dv_status dv_pipeline_read_file(void *ctx, const char *path, const dv_sink *sink, dv_error *err)
{
    int fd;
    dv_status status = ctx ? open_below(&fd, ctx, path, err) : open_any(&fd, path, err);
    if (status == DV_OK) {
        status = copy(fd, sink, err);
        close(fd);
    }
    if (status < 0)
        dvi_error_set_file(err, path);
    return status;
}

/* --- A table below a folder ------------------------------------------------------------------- */

static dv_status length(void *ctx, int64_t *nbytes_out, dv_error *err)
{
    struct stat facts;
    if (fstat(*(const int *)ctx, &facts) != 0)
        return dvi_fail_os(err, errno, "cannot be measured");
    *nbytes_out = facts.st_size;
    return DV_OK;
}

static dv_status read_at(void *ctx, int64_t offset, void *dst, size_t nbytes, dv_error *err)
{
    for (size_t done = 0; done < nbytes;) {
        const ssize_t n = pread(*(const int *)ctx, (char *)dst + done, nbytes - done,
                                (off_t)(offset + (int64_t)done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return dvi_fail_os(err, errno, "cannot be read");
        if (n == 0)
            return dv_source_fail(err, DV_NOT_FOUND, "the file is shorter than it was");
        done += (size_t)n;
    }
    return DV_OK;
}

static void release(void *ctx)
{
    close(*(int *)ctx);
    free(ctx);
}

/* Read the file by its descriptor: the name could mean a different file by now, and sidecar files
 * could be links. */
static dv_status open_table_below(dv_view **table_out, dv_folder *allowed, const char *name,
                                  dv_error *err)
{
    dv_source source = DV_SOURCE_INIT;
    int *fd = malloc(sizeof *fd);
    if (!fd)
        return dvi_fail_memory(err, sizeof *fd);
    const dv_status status = open_below(fd, allowed, name, err);
    if (status < 0) {
        free(fd);
        dvi_error_set_file(err, name);
        return status;
    }
    source.ctx = fd;
    source.name = name;
    source.length = length;
    source.read_at = read_at;
    source.release = release;
    return dv_open_source(table_out, &source, 1, NULL, NULL, err);
}

dv_status dv_pipeline_open_table(void *ctx, const char *name, dv_view **table_out, dv_error *err)
{
    *table_out = NULL;
    return ctx ? open_table_below(table_out, ctx, name, err) : dv_open(table_out, name, NULL, err);
}
