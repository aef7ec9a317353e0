/* SPDX-License-Identifier: MIT */
/* thread.h: starts and joins the library's own threads. */
#ifndef DVI_BASE_THREAD_H
#define DVI_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Zeroed: not started. */
typedef struct dvi_thread {
    pthread_t id;
    bool is_started;
} dvi_thread;

/* Start a thread that calls run(ctx). Only signals of its own faults are delivered to it.
 * stack_nbytes: 0: the system's default. false: the system refuses; the caller must work without
 * the thread. */
bool dvi_thread_start(dvi_thread *thread, void *(*run)(void *ctx), void *ctx, size_t stack_nbytes);

/* Wait until the thread has ended. If it was not started, nothing happens. */
void dvi_thread_join(dvi_thread *thread);

#endif
