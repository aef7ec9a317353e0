/* SPDX-License-Identifier: MIT */
/* thread.h: a thread of the library's own. */
#ifndef DVI_BASE_THREAD_H
#define DVI_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Zero is a thread that was not started. */
typedef struct dvi_thread {
    pthread_t id;
    bool is_started;
} dvi_thread;

/* Have run(ctx) run in a thread that no signal of the program is delivered to, but for those of its
 * own faults.  stack_nbytes: 0, as the system has it.  false: the system refuses, and the caller
 * does without. */
bool dvi_thread_start(dvi_thread *thread, void *(*run)(void *ctx), void *ctx, size_t stack_nbytes);

/* Wait until it has ended; one that was not started has. */
void dvi_thread_join(dvi_thread *thread);

#endif
