/* SPDX-License-Identifier: MIT */
/* feed_prefetch.c: a thread that fills batches ahead, in a ring of matrices. */
#include "feed/feed_prefetch.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/thread.h"
#include <pthread.h>

struct dvi_feed_prefetch {
    dv_allocator allocator;
    dvi_feed_epochs *rows; /* only the thread uses it */
    dvi_feed_target *targets;
    int64_t n;
    dvi_thread thread;

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    int64_t filled, taken, released; /* batches; number k lies in target k % n */
    int64_t lent;                    /* that may be filled */
    bool is_lent;
    dv_status ended; /* what follows them; DV_OK: more */
    dv_error error;
    bool is_stopping;
};

/* Fill the next target.  Called with the lock held, which is released meanwhile. */
static void fill_one(dvi_feed_prefetch *a)
{
    dv_error error = DV_ERROR_INIT;
    dvi_feed_target *target = &a->targets[a->filled % a->n];
    pthread_mutex_unlock(&a->lock);
    const dv_status status = dvi_feed_epochs_next(a->rows, target, &error);
    pthread_mutex_lock(&a->lock);
    if (status == DV_OK)
        a->filled++;
    else
        a->error = error;
    a->ended = status;
    pthread_cond_signal(&a->changed);
}

static void *work(void *ctx)
{
    dvi_feed_prefetch *a = ctx;
    pthread_mutex_lock(&a->lock);
    while (!a->is_stopping) {
        if (a->ended == DV_OK && a->filled < a->lent)
            fill_one(a);
        else
            pthread_cond_wait(&a->changed, &a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

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
    a->error = (dv_error)DV_ERROR_INIT;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    if (dvi_thread_start(&a->thread, work, a, 0))
        *ahead_out = a;
    else
        dvi_feed_prefetch_stop(&a);
    return DV_OK;
}

dv_status dvi_feed_prefetch_take(dvi_feed_prefetch *a, const dvi_feed_target **target_out,
                                 dv_error *err)
{
    dv_status status = DV_OK;
    *target_out = NULL;
    pthread_mutex_lock(&a->lock);
    while (a->filled == a->taken && a->ended == DV_OK)
        pthread_cond_wait(&a->changed, &a->lock);
    if (a->filled > a->taken) {
        *target_out = &a->targets[a->taken++ % a->n];
    } else {
        status = a->ended;
        if (status < 0 && err)
            *err = a->error;
        if (status == DV_ERR_MEMORY) { /* returned once: the thread tries again */
            a->ended = DV_OK;
            pthread_cond_signal(&a->changed);
        }
    }
    pthread_mutex_unlock(&a->lock);
    return status;
}

void dvi_feed_prefetch_release(dvi_feed_prefetch *a)
{
    pthread_mutex_lock(&a->lock);
    if (a->released < a->taken) {
        a->released = a->taken;
        if (!a->is_lent)
            a->lent = a->released + a->n;
        pthread_cond_signal(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
}

void dvi_feed_prefetch_lend(dvi_feed_prefetch *a)
{
    pthread_mutex_lock(&a->lock);
    a->lent++;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

void dvi_feed_prefetch_stop(dvi_feed_prefetch **ahead)
{
    dvi_feed_prefetch *a = *ahead;
    *ahead = NULL;
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->is_stopping = true;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    dvi_thread_join(&a->thread);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    const dv_allocator allocator = a->allocator;
    dvi_free(&allocator, a, sizeof *a);
}
