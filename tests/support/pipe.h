/* SPDX-License-Identifier: MIT */
/* pipe.h: a pipe, and a thread that writes into it. */
#ifndef DVT_PIPE_H
#define DVT_PIPE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dvt_pipe {
    char path[32]; /* to be opened once for reading */
    int fd;        /* of the end that is read */
    void *writer;
    pthread_t thread;
} dvt_pipe;

/* A pipe that delivers this many bytes, in writes of this size: the pattern of dvt_is_piped, or
 * those at data, which must stay. */
dvt_pipe dvt_pipe_open(int64_t nbytes, size_t piece);
dvt_pipe dvt_pipe_of(const void *data, size_t nbytes, size_t piece);

/* Writing ends when the reader closes the pipe, without a signal. */
void dvt_pipe_close(dvt_pipe *pipe);

/* Are these the bytes from `offset` on? */
bool dvt_is_piped(const uint8_t *data, size_t nbytes, int64_t offset);

#endif
