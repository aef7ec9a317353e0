/* SPDX-License-Identifier: MIT */
/* feed_prefetch.c: a thread that fills batches ahead, in a ring of matrices.
 *
 * Each side counts its batches, and the other one reads the count. Who has to wait does so awake
 * for a moment, because a system call that wakes a thread takes longer than filling a small batch;
 * then it sleeps, and only then has to be woken. */
#include "feed/feed_prefetch.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/os.h"
#include "base/stop.h"
#include "base/thread.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define AWAKE_NS 20000  /* about what waking a thread takes: at worst, waiting takes twice that */
#define AWAKE_CHECKS 32 /* between two looks at the clock */
#define ASLEEP_WAITS 31 /* that sleep at once, after one that was awake for nothing */

/* How one of the two sides waits. */
typedef struct patience {
    int32_t asleep; /* waits left that sleep at once */
} patience;

struct dvi_feed_prefetch {
    dv_allocator allocator;
    dvi_feed_epochs *rows; /* only the thread uses it */
    dvi_feed_target *targets;
    int64_t n;
    dvi_thread thread;
    bool has_cpus; /* for both sides at the same time */

    /* Batches; number k lies in target k % n. */
    atomic_int_fast64_t filled; /* by the thread */
    atomic_int_fast64_t lent;   /* that may be filled, by the caller */
    int64_t taken, released;    /* only the caller uses them */
    bool is_lent;
    dv_error error;   /* valid once `ended` is an error */
    atomic_int ended; /* what follows the batches; DV_OK: more */
    atomic_bool is_stopping;
    patience of_thread, of_caller;
    dvi_stop stop; /* read by the thread */

    atomic_int sleepers;
    pthread_mutex_t lock; /* of who falls asleep */
    pthread_cond_t changed;
};

/* --- Waiting ---------------------------------------------------------------------------------- */

static bool has_room(dvi_feed_prefetch *a)
{
    return (a->ended == DV_OK && a->filled < a->lent) || a->is_stopping;
}

static bool has_result(dvi_feed_prefetch *a)
{
    return a->filled > a->taken || a->ended != DV_OK;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Let the other thread of the same core go first. */
static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* A slow partner must not cost a CPU: only one of many waits is awake if that was for nothing. */
static bool wait_awake(dvi_feed_prefetch *a, bool (*is_ready)(dvi_feed_prefetch *), patience *p)
{
    if (is_ready(a))
        return true;
    if (!a->has_cpus || p->asleep > 0) {
        p->asleep -= p->asleep > 0;
        return false;
    }
    const int64_t end = now_ns() + AWAKE_NS;
    do {
        for (int i = 0; i < AWAKE_CHECKS; i++) {
            if (is_ready(a))
                return true;
            relax();
        }
    } while (now_ns() < end);
    p->asleep = ASLEEP_WAITS;
    return false;
}

static void wait_for(dvi_feed_prefetch *a, bool (*is_ready)(dvi_feed_prefetch *), patience *p)
{
    if (wait_awake(a, is_ready, p))
        return;
    pthread_mutex_lock(&a->lock);
    a->sleepers++; /* before the last look: the other side changes a count, then looks here */
    while (!is_ready(a))
        if (p == &a->of_thread)
            pthread_cond_wait(&a->changed, &a->lock);
        else
            dvi_stop_wait(&a->changed, &a->lock, &a->stop);
    a->sleepers--;
    pthread_mutex_unlock(&a->lock);
}

/* After a change. Who has counted itself among the sleepers, but does not sleep yet, has the lock.
 */
static void wake(dvi_feed_prefetch *a)
{
    if (a->sleepers == 0)
        return;
    pthread_mutex_lock(&a->lock);
    pthread_mutex_unlock(&a->lock);
    pthread_cond_broadcast(&a->changed);
}

/* --- The thread ------------------------------------------------------------------------------- */

static void fill_one(dvi_feed_prefetch *a)
{
    dv_error error = DV_ERROR_INIT;
    const dv_status status = dvi_feed_epochs_next(a->rows, &a->targets[a->filled % a->n], &error);
    if (status == DV_OK) {
        a->filled++;
    } else {
        a->error = error;
        a->ended = status;
    }
    wake(a);
}

static void *work(void *ctx)
{
    dvi_feed_prefetch *a = ctx;
    dvi_stop_join(&a->stop);
    for (;;) {
        wait_for(a, has_room, &a->of_thread);
        if (a->is_stopping)
            return NULL;
        fill_one(a);
    }
}

/* --- The caller ------------------------------------------------------------------------------- */

dv_status dvi_feed_prefetch_start(dvi_feed_prefetch **ahead_out, dvi_feed_epochs *rows,
                                  dvi_feed_target *targets, int64_t n, bool is_lent,
                                  const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *ahead_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_feed_prefetch), err));
    dvi_feed_prefetch *a = made;
    a->allocator = dvi_allocator_of(allocator);
    a->rows = rows;
    a->targets = targets;
    a->n = n;
    a->is_lent = is_lent;
    a->lent = is_lent ? 0 : n;
    a->has_cpus = dvi_os_cpus() > 1;
    a->error = (dv_error)DV_ERROR_INIT;
    pthread_mutex_init(&a->lock, NULL);
    dvi_os_condition_init(&a->changed);
    if (DVI_ATTEMPT("feed_prefetch.c dvi_feed_prefetch_start",
                    dvi_thread_start(&a->thread, work, a, 0)))
        *ahead_out = a;
    else
        dvi_feed_prefetch_stop(&a);
    return DV_OK;
}

dv_status dvi_feed_prefetch_take(dvi_feed_prefetch *a, const dvi_feed_target **target_out,
                                 dv_error *err)
{
    *target_out = NULL;
    wait_for(a, has_result, &a->of_caller);
    const dv_status ended =
        (dv_status)a->ended; /* read first: after an end, no more batches are filled */
    if (a->filled > a->taken) {
        *target_out = &a->targets[a->taken++ % a->n];
        return DV_OK;
    }
    if (ended < 0 && err)
        *err = a->error;
    return ended;
}

void dvi_feed_prefetch_release(dvi_feed_prefetch *a)
{
    if (a->released == a->taken)
        return;
    a->released = a->taken;
    if (a->is_lent)
        return;
    a->lent = a->released + a->n;
    wake(a);
}

void dvi_feed_prefetch_lend(dvi_feed_prefetch *a)
{
    a->lent++;
    wake(a);
}

void dvi_feed_prefetch_stop(dvi_feed_prefetch **ahead)
{
    dvi_feed_prefetch *a = *ahead;
    *ahead = NULL;
    if (!a)
        return;
    a->is_stopping = true;
    atomic_store(&a->stop.is_set, true);
    wake(a);
    dvi_thread_join(&a->thread);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    const dv_allocator allocator = a->allocator;
    dvi_free(&allocator, a, sizeof *a);
}
