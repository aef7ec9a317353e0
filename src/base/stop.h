/* SPDX-License-Identifier: MIT */
/* stop.h: a request to stop reaches the threads that work for a call.
 *
 * Only a thread of the program can learn of Ctrl-C, but often it waits for threads of the library,
 * which wait for a server.  The thread that waits for others asks at intervals and sets their
 * dvi_stop, which they read while they wait themselves. */
#ifndef DVI_BASE_STOP_H
#define DVI_BASE_STOP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Shared by the threads that work for one call.  Zeroed: go on. */
typedef struct dvi_stop {
    atomic_bool is_set;
} dvi_stop;

/* Set the function that tells threads of the program: dv_set_stop_check. */
void dvi_stop_set_check(bool (*check)(void));

/* The calling thread of the library reads `stop` from now on. */
void dvi_stop_join(const dvi_stop *stop);

/* Should the call end early for which this thread works?  The caller holds no lock. */
bool dvi_stop_is_wanted(void);

/* As pthread_cond_wait, for a condition made by dvi_os_condition_init, but returns after 20 ms at
 * the latest.  Then it asks, with the lock released, whether this thread's call should end, and
 * sets *stop for the threads that have joined it. */
void dvi_stop_wait(pthread_cond_t *changed, pthread_mutex_t *lock, dvi_stop *stop);

#endif
