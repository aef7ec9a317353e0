/* SPDX-License-Identifier: MIT */
/* map_stream.c: the backend of bytes that come from start to end: of pipes, and of what is packed.
 *
 * All bytes that arrive are kept until dvi_map_begin_reading. From then on bytes far enough before
 * the last span are dropped when more room is needed. map->nbytes is the number of bytes that have
 * arrived. */
#include "base/check.h"
#include "base/size.h"
#include "io/map_priv.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>

#define READ_NBYTES (INT64_C(64) << 10)
#define KEPT_NBYTES (INT64_C(1) << 20) /* before the last span, so that a failed call can retry */

typedef struct stream {
    dvi_map map;
    const dvi_stream_source *source;
    void *self;           /* of the source */
    dvi_map *stored;      /* in which the bytes are packed, one reference; NULL: none */
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

static dv_status read_more(stream *s, dv_error *err)
{
    forget(s);
    const int64_t used = window_nbytes(s);
    DVI_TRY(dvi_memory_extend(&s->window, (size_t)used, (size_t)(used + READ_NBYTES),
                              &s->map.allocator, err));
    size_t got;
    DVI_TRY(s->source->read(s->self, s->window->data + used, READ_NBYTES, &got, err));
    s->has_ended = got == 0;
    s->map.nbytes += (int64_t)got;
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

/* Another stream of the same bytes begins. */
static dv_status begin_again(stream *s, bool is_ahead, dvi_map **reading_out, dv_error *err)
{
    DVI_TRY(s->source->again(s->self, s->stored, is_ahead, reading_out, err));
    ((stream *)*reading_out)->has_begun = true;
    return DV_OK;
}

static dv_status begin_stream(dvi_map *map, bool is_ahead, dvi_map **reading_out, dv_error *err)
{
    stream *s = (stream *)map;
    if (!dvi_map_is_once(map))
        return begin_again(s, is_ahead, reading_out, err);
    pthread_mutex_lock(&s->lock);
    const bool is_second = s->has_begun;
    s->has_begun = true;
    pthread_mutex_unlock(&s->lock);
    DVI_REQUIRE(!is_second, fail_gone(err));
    dvi_map_retain(map);
    *reading_out = map;
    return DV_OK;
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
    if (s->self)
        s->source->close(s->self);
    dvi_map_release(&s->stored);
}

static const dvi_map_backend stream_backend = {.span = span_stream,
                                               .check = check_stream,
                                               .advise = advise_stream,
                                               .close = close_stream,
                                               .reach = reach_stream,
                                               .begin = begin_stream};

bool dvi_map_is_stream(const dvi_map *map)
{
    return map->backend == &stream_backend;
}

bool dvi_map_is_once(const dvi_map *map)
{
    if (!dvi_map_is_stream(map))
        return false;
    const stream *s = (const stream *)map;
    return !s->source->again || dvi_map_is_stream(s->stored);
}

dvi_map *dvi_map_stored(dvi_map *map)
{
    dvi_map *stored = dvi_map_is_stream(map) ? ((stream *)map)->stored : NULL;
    return stored ? stored : map;
}

dv_status dvi_map_create_stream(dvi_map **map_out, const dvi_stream_source *source, void *self,
                                dvi_map *stored, const char *name, const dv_allocator *allocator,
                                dv_error *err)
{
    DVI_TRY(dvi_map_create(map_out, sizeof(stream), &stream_backend, 0, name, allocator, err));
    stream *s = (stream *)*map_out;
    s->map.is_copied = true;
    s->source = source;
    s->self = self;
    s->stored = stored;
    if (stored)
        dvi_map_retain(stored);
    pthread_mutex_init(&s->lock, NULL);
    return DV_OK;
}
