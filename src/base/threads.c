/* SPDX-License-Identifier: MIT */
/* threads.c: a thread pool for numbered jobs in a bounded window. */
#include "base/threads.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/os.h"
#include "base/size.h"
#include "base/stop.h"
#include "base/thread.h"
#include <assert.h>
#include <errno.h>
#include <time.h>

/* Filling a matrix takes 150 KB, and a view of a chain (option depth) up to 3 KB: twice that under
 * a sanitizer.  The static TLS of the program and of its libraries is taken from a stack too. Pages
 * that are not touched cost nothing. */
#define STACK_NBYTES ((size_t)4 << 20)

typedef struct worker {
    dvi_threads *threads;
    dvi_thread thread;
    int32_t number;
} worker;

struct dvi_threads {
    dv_allocator allocator;
    void (*run)(void *ctx, int64_t job, int32_t worker);
    void *ctx;
    int64_t window;

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    int64_t jobs;       /* number of jobs so far */
    int64_t taken;      /* jobs below this were started */
    int64_t given_back; /* jobs below this were given back */
    int64_t finished;   /* number of jobs that are done */
    bool *done;         /* job k in slot k % window */
    bool is_stopping;

    int32_t workers, started;
    worker *worker;
    dvi_stop stop;

    /* used only by the consumer */
    bool has_started, keeps_order;
    void (*tick)(void *ctx, int64_t done); /* NULL: nobody watches */
    int64_t step_ns;
    struct timespec due; /* the next tick */
};

/* Run the next job if the window allows. The caller holds the lock, which is released while the job
 * runs. false: no job to run. */
static bool run_one(dvi_threads *t, int32_t number)
{
    if (t->taken >= t->jobs || t->taken - t->given_back >= t->window)
        return false;
    const int64_t job = t->taken++;
    pthread_mutex_unlock(&t->lock);
    t->run(t->ctx, job, number);
    pthread_mutex_lock(&t->lock);
    t->done[job % t->window] = true;
    t->finished++;
    pthread_cond_broadcast(&t->changed);
    return true;
}

static void *work(void *ctx)
{
    const worker *w = ctx;
    dvi_threads *t = w->threads;
    dvi_stop_join(&t->stop);
    pthread_mutex_lock(&t->lock);
    while (!t->is_stopping)
        if (!run_one(t, w->number))
            pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Start as many of the threads as the system allows. */
static void start_workers(dvi_threads *t)
{
    for (int32_t i = 0; i < t->workers; i++) {
        t->worker[i] = (worker){.threads = t, .number = i + 1};
        if (!DVI_ATTEMPT("threads.c start_workers",
                         dvi_thread_start(&t->worker[i].thread, work, &t->worker[i], STACK_NBYTES)))
            break;
        t->started++;
    }
}

dv_status dvi_threads_create(dvi_threads **threads_out, int32_t workers, int64_t window,
                             int64_t jobs, void (*run)(void *ctx, int64_t job, int32_t worker),
                             void *ctx, const dv_allocator *allocator, dv_error *err)
{
    *threads_out = NULL;
    void *made, *done = NULL, *each = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_threads), err));
    dvi_threads *t = made;
    dv_status status = dvi_alloc_zeroed(allocator, &done, (size_t)window, err);
    if (status == DV_OK)
        status = dvi_alloc_zeroed(allocator, &each, (size_t)workers * sizeof(worker), err);
    if (status != DV_OK) {
        dvi_free(allocator, done, (size_t)window);
        dvi_free(allocator, made, sizeof *t);
        return status;
    }
    t->allocator = dvi_allocator_of(allocator);
    t->run = run;
    t->ctx = ctx;
    t->window = window;
    t->jobs = jobs;
    t->done = done;
    t->workers = workers;
    t->worker = each;
    pthread_mutex_init(&t->lock, NULL);
    dvi_os_condition_init(&t->changed);
    *threads_out = t;
    return DV_OK;
}

static void set_due(dvi_threads *t)
{
    const int64_t second = 1000000000;
    clock_gettime(CLOCK_MONOTONIC, &t->due);
    const int64_t ns = t->due.tv_nsec + t->step_ns;
    t->due.tv_sec += ns / second;
    t->due.tv_nsec = ns % second;
}

/* Wait for a change, or until a tick is due, which is called without the lock. */
static void wait_for_change(dvi_threads *t)
{
    if (!t->tick) {
        dvi_stop_wait(&t->changed, &t->lock, &t->stop);
        return;
    }
    if (dvi_os_condition_wait_until(&t->changed, &t->lock, &t->due))
        return;
    const int64_t done = t->finished;
    pthread_mutex_unlock(&t->lock);
    if (dvi_stop_is_wanted())
        atomic_store(&t->stop.is_set, true);
    t->tick(t->ctx, done);
    set_due(t);
    pthread_mutex_lock(&t->lock);
}

/* Wait for a job in the window, with the lock held, and run jobs meanwhile. */
static void finish(dvi_threads *t, int64_t job)
{
    const bool helps = t->started == 0 || (!t->keeps_order && !t->tick);
    while (!t->done[job % t->window])
        if (!helps || !run_one(t, 0))
            wait_for_change(t);
}

void dvi_threads_keep_order(dvi_threads *t)
{
    assert(t->workers == 1);
    t->keeps_order = true;
}

void dvi_threads_watch(dvi_threads *t, void (*tick)(void *ctx, int64_t done), int64_t step_ns)
{
    assert(t->workers >= 1);
    t->tick = tick;
    t->step_ns = step_ns;
    set_due(t);
}

static void start_once(dvi_threads *t)
{
    if (t->has_started)
        return;
    t->has_started = true;
    start_workers(t);
}

void dvi_threads_allow(dvi_threads *t, int64_t jobs)
{
    start_once(t);
    pthread_mutex_lock(&t->lock);
    t->jobs = jobs;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

void dvi_threads_wait(dvi_threads *t, int64_t job)
{
    start_once(t);
    if (atomic_load(&t->stop.is_set) && !dvi_stop_is_wanted()) /* it was an earlier call's */
        atomic_store(&t->stop.is_set, false);
    pthread_mutex_lock(&t->lock);
    finish(t, job);
    pthread_mutex_unlock(&t->lock);
}

/* A slot must not be reused while its job runs, so wait also for jobs that the consumer skipped. */
void dvi_threads_give_back(dvi_threads *t, int64_t job)
{
    pthread_mutex_lock(&t->lock);
    for (; t->given_back < dvi_min_i64(job, t->jobs); t->given_back++) {
        finish(t, t->given_back);
        t->done[t->given_back % t->window] = false;
    }
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

void dvi_threads_free(dvi_threads **threads)
{
    dvi_threads *t = *threads;
    *threads = NULL;
    if (!t)
        return;
    atomic_store(&t->stop.is_set, true); /* running jobs wait for no server */
    pthread_mutex_lock(&t->lock);
    t->is_stopping = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    for (int32_t i = 0; i < t->started; i++)
        dvi_thread_join(&t->worker[i].thread);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    const dv_allocator allocator = t->allocator;
    dvi_free(&allocator, t->worker, (size_t)t->workers * sizeof(worker));
    dvi_free(&allocator, t->done, (size_t)t->window);
    dvi_free(&allocator, t, sizeof *t);
}
