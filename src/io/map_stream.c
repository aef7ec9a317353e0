/* SPDX-License-Identifier: MIT */
/* map_stream.c: the backend of pipes.
 *
 * All bytes that arrive are kept until dvi_map_begin_reading. From then on bytes far enough before
 * the last span are dropped when more room is needed. map->nbytes is the number of bytes that have
 * arrived. */
#include "base/check.h"
#include "base/size.h"
#include "io/map_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define READ_NBYTES (INT64_C(64) << 10)
#define KEPT_NBYTES (INT64_C(1) << 20) /* before the last span, so that a failed call can retry */

typedef struct stream {
    dvi_map map;
    int fd;
    pthread_mutex_t lock; /* guards all below */
    dvi_memory *window;   /* the bytes first..map.nbytes - 1 */
    int64_t first, last_span;
    bool has_ended, has_begun;
} stream;

static int64_t window_nbytes(const stream *s)
{
    return s->map.nbytes - s->first;
}

/* Drop bytes that are no longer needed, once there are as many of them as of the others. */
static void forget(stream *s)
{
    const int64_t from = s->last_span - KEPT_NBYTES, gone = from - s->first;
    if (!s->has_begun || gone <= 0 || gone < window_nbytes(s) - gone)
        return;
    memmove(s->window->data, s->window->data + gone, (size_t)(window_nbytes(s) - gone));
    s->first = from;
}

static ssize_t read_some(int fd, uint8_t *dst, size_t nbytes)
{
    ssize_t got;
    do
        got = read(fd, dst, nbytes);
    while (got < 0 && errno == EINTR);
    return got;
}

static dv_status read_more(stream *s, dv_error *err)
{
    forget(s);
    const int64_t used = window_nbytes(s);
    DVI_TRY(dvi_memory_extend(&s->window, (size_t)used, (size_t)(used + READ_NBYTES),
                              &s->map.allocator, err));
    const ssize_t got = read_some(s->fd, s->window->data + used, READ_NBYTES);
    if (got < 0)
        return dvi_fail_os(err, errno, "reading the pipe");
    s->has_ended = got == 0;
    s->map.nbytes += got;
    return DV_OK;
}

static dv_status reach_stream(dvi_map *map, int64_t nbytes, dv_error *err)
{
    stream *s = (stream *)map;
    dv_status status = DV_OK;
    pthread_mutex_lock(&s->lock);
    while (status == DV_OK && !s->has_ended && map->nbytes <= nbytes)
        status = read_more(s, err);
    pthread_mutex_unlock(&s->lock);
    return status;
}

static dv_status fail_gone(dv_error *err)
{
    dvi_fail(err, DV_ERR_IO, "", -1, "cannot be read twice",
             "a file|a pipe, whose first bytes are gone: save it into a file first");
    if (err)
        err->os_code = ESPIPE;
    return DV_ERR_IO;
}

static dv_status copy_span(stream *s, int64_t offset, size_t nbytes, dvi_memory **memory,
                           dv_error *err)
{
    DVI_REQUIRE(offset >= s->first, fail_gone(err));
    DVI_TRY(dvi_memory_reserve(memory, &s->map.allocator, nbytes, err));
    memcpy((*memory)->data, s->window->data + (offset - s->first), nbytes);
    s->last_span = dvi_max_i64(s->last_span, offset);
    return DV_OK;
}

static dv_status span_stream(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                             dvi_span *span_out, dv_error *err)
{
    stream *s = (stream *)map;
    pthread_mutex_lock(&s->lock);
    const dv_status status = copy_span(s, offset, nbytes, memory, err);
    pthread_mutex_unlock(&s->lock);
    if (status == DV_OK)
        *span_out = (dvi_span){(*memory)->data, nbytes, offset, &(*memory)->owner, false};
    return status;
}

static dv_status begin_stream(dvi_map *map, dv_error *err)
{
    stream *s = (stream *)map;
    pthread_mutex_lock(&s->lock);
    const bool is_second = s->has_begun;
    s->has_begun = true;
    pthread_mutex_unlock(&s->lock);
    return is_second ? fail_gone(err) : DV_OK;
}

static dv_status check_stream(dvi_map *map, dv_error *err)
{
    (void)map;
    (void)err;
    return DV_OK;
}

static void advise_stream(dvi_map *map, int64_t offset, int64_t nbytes)
{
    (void)map;
    (void)offset;
    (void)nbytes;
}

static void close_stream(dvi_map *map)
{
    stream *s = (stream *)map;
    dvi_memory_release(&s->window);
    pthread_mutex_destroy(&s->lock);
    if (s->fd >= 0)
        close(s->fd);
}

static const dvi_map_backend stream_backend = {
    span_stream, check_stream, advise_stream, close_stream, reach_stream, begin_stream, NULL};

bool dvi_map_is_stream(const dvi_map *map)
{
    return map->backend == &stream_backend;
}

static dv_status open_pipe(stream *s, const char *path, dv_error *err)
{
    do
        s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    while (s->fd < 0 && errno == EINTR);
    return s->fd < 0 ? dvi_fail_os(err, errno, "cannot be opened") : DV_OK;
}

dv_status dvi_map_open_stream(dvi_map **map_out, const char *path, const dv_allocator *allocator,
                              dv_error *err)
{
    dvi_map *map;
    *map_out = NULL;
    DVI_TRY(dvi_map_create(&map, sizeof(stream), &stream_backend, 0, path, allocator, err));
    stream *s = (stream *)map;
    map->is_copied = true;
    pthread_mutex_init(&s->lock, NULL);
    const dv_status status = open_pipe(s, path, err);
    if (status == DV_OK)
        *map_out = map;
    else
        dvi_map_release(&map);
    if (status != DV_OK)
        dvi_error_set_file(err, path);
    return status;
}
