/* SPDX-License-Identifier: MIT */
/* piece_fetch.c: fetches the pieces that are queued, with threads, and waits for them. */
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/os.h"
#include "base/size.h"
#include "base/stop.h"
#include "io/piece_cache_priv.h"
#include <string.h>
#include <time.h>

#define STEP_NS (INT64_C(20) * 1000 * 1000)  /* the longest wait */
#define REST_NS (INT64_C(10) * 1000 * 1000)  /* for another process */
#define PAUSE_NS (INT64_C(50) * 1000 * 1000) /* before the second attempt; then it doubles */

/* --- Fetching --------------------------------------------------------------------------------- */

static struct timespec after_ns(int64_t ns)
{
    const int64_t second = 1000000000;
    struct timespec due;
    clock_gettime(CLOCK_MONOTONIC, &due);
    ns += due.tv_nsec;
    due.tv_sec += ns / second;
    due.tv_nsec = ns % second;
    return due;
}

/* Pause after an attempt; false: the source is being closed. */
static bool pause_after(dvi_pieces *s, int32_t attempt)
{
    dvi_piece_cache *cache = s->cache;
    const struct timespec due = after_ns(PAUSE_NS << dvi_min_i64(attempt, 6));
    pthread_mutex_lock(&cache->lock);
    while (!s->is_closing && dvi_os_condition_wait_until(&cache->changed, &cache->lock, &due))
        ;
    const bool goes_on = !s->is_closing;
    pthread_mutex_unlock(&cache->lock);
    return goes_on;
}

/* Wait until another request has ended, or a moment; false: the source is being closed. */
static bool rest(void *ctx)
{
    const dvi_pieces *s = ctx;
    dvi_piece_cache *cache = s->cache;
    const struct timespec due = after_ns(REST_NS);
    pthread_mutex_lock(&cache->lock);
    if (!s->is_closing)
        dvi_os_condition_wait_until(&cache->changed, &cache->lock, &due);
    const bool goes_on = !s->is_closing;
    pthread_mutex_unlock(&cache->lock);
    return goes_on;
}

static dv_status fetch(void *ctx, int64_t offset, void *dst, size_t nbytes, dv_error *err)
{
    dvi_pieces *s = ctx;
    atomic_fetch_add(&s->requests, 1);
    const dv_status status = s->source->read_at(s->source->ctx, offset, dst, nbytes, err);
    if (status == DV_OK)
        atomic_fetch_add(&s->fetched_nbytes, (int64_t)nbytes);
    return status;
}

dvi_disk_below dvi_pieces_below(dvi_pieces *s)
{
    return (dvi_disk_below){fetch, rest, s};
}

static dv_status attempt_all(const dvi_piece *p, dv_error *err)
{
    dvi_pieces *s = p->of;
    const int64_t nbytes = p->to - p->from;
    for (int32_t attempt = 0;; attempt++) {
        const dv_status status = s->disk
                                     ? dvi_disk_source_read(s->disk, p->from, nbytes, p->data, err)
                                     : fetch(s, p->from, p->data, (size_t)nbytes, err);
        if (status != DV_ERR_IO || attempt + 1 >= p->of->cache->options.attempts ||
            !pause_after(p->of, attempt))
            return status == DV_NOT_FOUND ? DV_ERR_IO : status;
    }
}

/* Keep the failure for those who wait; without them it is found again by who needs the bytes. */
static void fail_piece(dvi_piece *p, dv_status status, const dv_error *err)
{
    void *kept;
    dvi_piece_forget(p);
    p->state = DVI_PIECE_FAILED;
    p->status = status;
    if (p->users == 0)
        dvi_piece_free(p);
    else if (DVI_ATTEMPT("piece_fetch.c fail_piece",
                         dvi_alloc(&p->of->cache->allocator, &kept, sizeof *err, NULL) == DV_OK))
        p->err = memcpy(kept, err, sizeof *err);
}

/* The first piece of the queue that can be fetched now: of a block on disk one at a time.  NULL:
 * none can. */
static dvi_piece *next_piece(const dvi_piece_cache *cache)
{
    dvi_piece *p = cache->queue.first;
    while (p && dvi_piece_must_wait(p))
        p = p->after;
    return p;
}

/* Fetch a piece of the queue, with the lock held before and after. */
static void fetch_piece(dvi_piece *p)
{
    dvi_pieces *s = p->of;
    dvi_piece_cache *cache = s->cache;
    dv_error err = DV_ERROR_INIT;
    dvi_piece_take_out(&cache->queue, p);
    p->state = DVI_PIECE_FETCHING;
    s->fetching++;
    pthread_mutex_unlock(&cache->lock);
    const dv_status status = attempt_all(p, &err);
    pthread_mutex_lock(&cache->lock);
    s->fetching--;
    if (status < 0) {
        fail_piece(p, status, &err);
    } else {
        p->state = DVI_PIECE_READY;
        if (p->users == 0)
            dvi_piece_append(&cache->unused, p);
    }
    pthread_cond_broadcast(&cache->changed);
}

static void *run_thread(void *ctx)
{
    dvi_piece_cache *cache = ctx;
    pthread_mutex_lock(&cache->lock);
    while (!cache->has_ended) {
        dvi_piece *p = next_piece(cache);
        if (p) {
            fetch_piece(p);
            continue;
        }
        cache->idle++;
        pthread_cond_wait(&cache->changed, &cache->lock);
        cache->idle--;
    }
    pthread_mutex_unlock(&cache->lock);
    return NULL;
}

void dvi_piece_cache_fetch(dvi_piece_cache *cache)
{
    int64_t wanted = 0;
    for (const dvi_piece *p = cache->queue.first; p && wanted < cache->options.requests;
         p = p->after)
        wanted++;
    for (; cache->idle < wanted && cache->threads < cache->options.requests; wanted--) {
        if (!DVI_ATTEMPT("piece_fetch.c dvi_piece_cache_fetch",
                         dvi_thread_start(&cache->thread[cache->threads], run_thread, cache, 0)))
            break;
        cache->threads++;
    }
    pthread_cond_broadcast(&cache->changed);
}

/* --- Waiting ---------------------------------------------------------------------------------- */

/* The aim of a waiting thread: a piece, or the end of all requests of a source. */
typedef struct waiting {
    dvi_piece_cache *cache;
    const dvi_piece *piece; /* NULL: */
    const dvi_pieces *pieces;
    bool is_stopped; /* the call for which this thread works ends early */
} waiting;

static bool is_over(const waiting *w)
{
    return w->piece ? w->piece->state == DVI_PIECE_READY || w->piece->state == DVI_PIECE_FAILED
                    : w->pieces->fetching == 0;
}

/* Without threads, which the system refused, the one that waits fetches. */
static bool wait_step(void *arg)
{
    waiting *w = arg;
    dvi_piece_cache *cache = w->cache;
    const struct timespec due = after_ns(STEP_NS);
    bool is_early = true;
    pthread_mutex_lock(&cache->lock);
    while (!is_over(w) && is_early) {
        dvi_piece *p = cache->threads == 0 ? next_piece(cache) : NULL;
        if (p)
            fetch_piece(p);
        else
            is_early = dvi_os_condition_wait_until(&cache->changed, &cache->lock, &due);
    }
    const bool over = is_over(w);
    pthread_mutex_unlock(&cache->lock);
    w->is_stopped = !over && w->piece && dvi_stop_is_wanted();
    return over || w->is_stopped;
}

bool dvi_pieces_wait(dvi_pieces *s, const dvi_piece *p)
{
    const dv_source *source = s->source;
    waiting w = {s->cache, p, s, false};
    if (source->wait)
        return source->wait(source->ctx, p != NULL, wait_step, &w) && !w.is_stopped;
    while (!wait_step(&w))
        ;
    return !w.is_stopped;
}
