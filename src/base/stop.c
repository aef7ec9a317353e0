/* SPDX-License-Identifier: MIT */
/* stop.c: a request to stop reaches the threads that work for a call. */
#include "base/stop.h"
#include "base/os.h"
#include <stddef.h>
#include <time.h>

#define STEP_NS 20000000 /* the longest wait */

static _Atomic(bool (*)(void)) program_check;
static _Thread_local const dvi_stop *joined;

void dvi_stop_set_check(bool (*check)(void))
{
    atomic_store(&program_check, check);
}

void dvi_stop_join(const dvi_stop *stop)
{
    joined = stop;
}

bool dvi_stop_is_wanted(void)
{
    if (joined)
        return atomic_load(&joined->is_set);
    bool (*const check)(void) = atomic_load(&program_check);
    return check && check();
}

static struct timespec after_step(void)
{
    struct timespec due;
    clock_gettime(CLOCK_MONOTONIC, &due);
    due.tv_nsec += STEP_NS;
    due.tv_sec += due.tv_nsec / 1000000000;
    due.tv_nsec %= 1000000000;
    return due;
}

void dvi_stop_wait(pthread_cond_t *changed, pthread_mutex_t *lock, dvi_stop *stop)
{
    const struct timespec due = after_step();
    if (dvi_os_condition_wait_until(changed, lock, &due) || atomic_load(&stop->is_set))
        return;
    pthread_mutex_unlock(lock);
    if (dvi_stop_is_wanted())
        atomic_store(&stop->is_set, true);
    pthread_mutex_lock(lock);
}
