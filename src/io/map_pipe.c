/* SPDX-License-Identifier: MIT */
/* map_pipe.c: a pipe as the source of a stream. */
#include "base/alloc.h"
#include "base/check.h"
#include "io/map_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

typedef struct pipe_end {
    dv_allocator allocator;
    int fd;
} pipe_end;

static dv_status read_pipe(void *self, uint8_t *dst, size_t cap, size_t *got_out, dv_error *err)
{
    const pipe_end *p = self;
    ssize_t got;
    do
        got = read(p->fd, dst, cap);
    while (got < 0 && errno == EINTR);
    *got_out = got > 0 ? (size_t)got : 0;
    return got < 0 ? dvi_fail_os(err, errno, "reading the pipe") : DV_OK;
}

static void close_pipe(void *self)
{
    pipe_end *p = self;
    const dv_allocator allocator = p->allocator;
    if (p->fd >= 0)
        close(p->fd);
    dvi_free(&allocator, p, sizeof *p);
}

static const dvi_stream_source pipe_source = {read_pipe, close_pipe, NULL};

static dv_status open_end(pipe_end *p, const char *path, dv_error *err)
{
    do
        p->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (p->fd < 0 && errno == EINTR);
    return p->fd < 0 ? dvi_fail_os(err, errno, "cannot be opened") : DV_OK;
}

dv_status dvi_map_open_stream(dvi_map **map_out, const char *path, const dv_allocator *allocator,
                              dv_error *err)
{
    void *made;
    *map_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(pipe_end), err));
    pipe_end *p = made;
    p->allocator = dvi_allocator_of(allocator);
    dv_status status = open_end(p, path, err);
    if (status == DV_OK)
        status = dvi_map_create_stream(map_out, &pipe_source, p, NULL, path, allocator, err);
    if (status != DV_OK) {
        dvi_error_set_file(err, path);
        close_pipe(p);
    }
    return status;
}
