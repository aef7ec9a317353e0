/* SPDX-License-Identifier: MIT */
/* pipe.c: a pipe, and a thread that writes into it. */
#include "support/pipe.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct writer {
    int fd;
    const uint8_t *data; /* NULL: the pattern */
    int64_t nbytes;
    size_t piece;
} writer;

static uint8_t byte_at(int64_t offset)
{
    const uint64_t z = (uint64_t)offset * UINT64_C(0x9E3779B97F4A7C15);
    return (uint8_t)(z >> 56);
}

bool dvt_is_piped(const uint8_t *data, size_t nbytes, int64_t offset)
{
    for (size_t i = 0; i < nbytes; i++)
        if (data[i] != byte_at(offset + (int64_t)i))
            return false;
    return true;
}

static bool write_piece(const writer *w, uint8_t *room, int64_t at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        room[i] = w->data ? w->data[at + (int64_t)i] : byte_at(at + (int64_t)i);
    for (size_t done = 0; done < n;) {
        const ssize_t wrote = write(w->fd, room + done, n - done);
        if (wrote < 0)
            return false;
        done += (size_t)wrote;
    }
    return true;
}

static void *write_all(void *ctx)
{
    const writer *w = ctx;
    sigset_t broken;
    uint8_t *room = malloc(w->piece);
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, NULL); /* of this thread, and gone with it */
    for (int64_t at = 0; room && at < w->nbytes; at += (int64_t)w->piece) {
        const int64_t left = w->nbytes - at;
        if (!write_piece(w, room, at, left < (int64_t)w->piece ? (size_t)left : w->piece))
            break;
    }
    free(room);
    close(w->fd);
    return NULL;
}

static dvt_pipe start(const void *data, int64_t nbytes, size_t piece)
{
    dvt_pipe pipe = {.fd = -1};
    int ends[2];
    writer *w = malloc(sizeof *w);
    if (!w || pipe2(ends, O_CLOEXEC) != 0)
        abort();
    *w = (writer){ends[1], data, nbytes, piece};
    pipe.fd = ends[0];
    pipe.writer = w;
    snprintf(pipe.path, sizeof pipe.path, "/proc/self/fd/%d", ends[0]);
    if (pthread_create(&pipe.thread, NULL, write_all, w) != 0)
        abort();
    return pipe;
}

dvt_pipe dvt_pipe_open(int64_t nbytes, size_t piece)
{
    return start(NULL, nbytes, piece);
}

dvt_pipe dvt_pipe_of(const void *data, size_t nbytes, size_t piece)
{
    return start(data, (int64_t)nbytes, piece);
}

void dvt_pipe_close(dvt_pipe *pipe)
{
    close(pipe->fd);
    pthread_join(pipe->thread, NULL);
    free(pipe->writer);
}
