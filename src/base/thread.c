/* SPDX-License-Identifier: MIT */
/* thread.c: starts and joins the library's own threads. */
#include "base/thread.h"
#include <signal.h>

/* Block all signals, so that the program's own threads get them; except those raised by faults: if
 * these were blocked, a fault would end the process without calling its handler. */
static void mask_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    const int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

bool dvi_thread_start(dvi_thread *thread, void *(*run)(void *ctx), void *ctx, size_t stack_nbytes)
{
    sigset_t before;
    pthread_attr_t attr;
    thread->is_started = false;
    if (pthread_attr_init(&attr) != 0)
        return false;
    if (stack_nbytes > 0)
        pthread_attr_setstacksize(&attr, stack_nbytes);
    mask_signals(&before);
    thread->is_started = pthread_create(&thread->id, &attr, run, ctx) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return thread->is_started;
}

void dvi_thread_join(dvi_thread *thread)
{
    if (thread->is_started)
        pthread_join(thread->id, NULL);
    thread->is_started = false;
}
