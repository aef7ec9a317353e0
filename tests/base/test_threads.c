/* SPDX-License-Identifier: MIT */
/* test_threads.c: jobs are consumed in order and run within their window, in any thread. */
#include "base/threads.h"
#include "support/allocator.h"
#include "support/test.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>

#define WORKERS_MAX 8
#define JOBS_MAX 20000

/* Results of the jobs. Job k uses slot k % window. `given_back` is set before the call, so no job
 * may start before it is set. */
typedef struct record {
    int64_t window;
    atomic_int_least64_t given_back, runs, beyond_window;
    int64_t slots[64];
    atomic_int ran[JOBS_MAX];
    atomic_int_least64_t by_worker[WORKERS_MAX + 1];
} record;

static record shared;

static record *start(int64_t window)
{
    memset(&shared, 0, sizeof shared);
    shared.window = window;
    return &shared;
}

static void note_job(void *ctx, int64_t job, int32_t worker)
{
    record *r = ctx;
    if (job >= atomic_load(&r->given_back) + r->window)
        atomic_fetch_add(&r->beyond_window, 1);
    r->slots[job % r->window] = 3 * job;
    atomic_fetch_add(&r->ran[job], 1);
    atomic_fetch_add(&r->by_worker[worker], 1);
    atomic_fetch_add(&r->runs, 1);
}

static void consume(dvi_threads *threads, record *r, int64_t jobs, int64_t keep)
{
    for (int64_t job = 0; job < jobs; job++) {
        dvi_threads_wait(threads, job);
        cr_assert_eq(r->slots[job % r->window], 3 * job, "job %d", (int)job);
        if (job >= keep) {
            atomic_store(&r->given_back, job - keep + 1);
            dvi_threads_give_back(threads, job - keep + 1);
        }
    }
}

/* keep: the number of finished jobs that the consumer does not give back yet. */
static void run_all(int32_t workers, int64_t window, int64_t jobs, int64_t keep)
{
    record *r = start(window);
    dvi_threads *threads;
    cr_assert_eq(dvi_threads_create(&threads, workers, window, jobs, note_job, r, NULL, NULL),
                 DV_OK);
    consume(threads, r, jobs, keep);
    dvi_threads_free(&threads);
    cr_expect_null(threads);
    cr_expect_eq(atomic_load(&r->runs), jobs);
    cr_expect_eq(atomic_load(&r->beyond_window), 0);
    for (int64_t job = 0; job < jobs; job++)
        cr_assert_eq(atomic_load(&r->ran[job]), 1, "job %d", (int)job);
}

Test(threads, jobs_are_consumed_in_order)
{
    for (int32_t workers = 0; workers <= WORKERS_MAX; workers += 2)
        for (int64_t window = 1; window <= 9; window += 2)
            run_all(workers, window, 300, 0);
}

Test(threads, the_consumer_may_keep_some)
{
    for (int32_t workers = 0; workers <= 4; workers += 2)
        for (int64_t keep = 0; keep < 5; keep++)
            run_all(workers, 5, 100, keep);
}

Test(threads, many_jobs)
{
    run_all(4, 6, JOBS_MAX, 0);
}

/* Jobs are added in groups, which may fill the window. */
Test(threads, more_jobs_may_come)
{
    for (int32_t workers = 0; workers <= 4; workers += 2)
        for (int64_t group = 1; group <= 7; group += 3) {
            record *r = start(7);
            dvi_threads *threads;
            cr_assert_eq(dvi_threads_create(&threads, workers, 7, 0, note_job, r, NULL, NULL),
                         DV_OK);
            for (int64_t first = 0; first < 20 * group; first += group) {
                dvi_threads_allow(threads, first + group);
                for (int64_t job = first; job < first + group; job++) {
                    dvi_threads_wait(threads, job);
                    cr_assert_eq(r->slots[job % 7], 3 * job, "job %d", (int)job);
                }
                atomic_store(&r->given_back, first + group);
                dvi_threads_give_back(threads, first + group);
                cr_expect_eq(atomic_load(&r->runs), first + group);
            }
            dvi_threads_free(&threads);
            cr_expect_eq(atomic_load(&r->beyond_window), 0);
        }
}

/* A worker runs them before the consumer waits. */
Test(threads, allowed_jobs_begin_at_once, .timeout = 60)
{
    record *r = start(3);
    dvi_threads *threads;
    cr_assert_eq(dvi_threads_create(&threads, 1, 3, 0, note_job, r, NULL, NULL), DV_OK);
    dvi_threads_allow(threads, 2);
    while (atomic_load(&r->runs) < 2)
        sched_yield();
    dvi_threads_free(&threads);
}

Test(threads, without_workers_the_consumer_does_all)
{
    run_all(0, 3, 50, 1);
    cr_expect_eq(atomic_load(&shared.by_worker[0]), 50);
}

Test(threads, without_jobs_nothing_runs)
{
    run_all(3, 2, 0, 0);
}

/* Job 0 ends only after job 1, and there is one worker, so the consumer must run one of them. */
typedef struct pair {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_second_done;
} pair;

static void first_needs_second(void *ctx, int64_t job, int32_t worker)
{
    (void)worker;
    pair *p = ctx;
    pthread_mutex_lock(&p->lock);
    if (job == 1)
        p->is_second_done = true;
    pthread_cond_broadcast(&p->changed);
    while (!p->is_second_done)
        pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

Test(threads, the_consumer_helps, .timeout = 60)
{
    pair p = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    dvi_threads *threads;
    cr_assert_eq(dvi_threads_create(&threads, 1, 2, 2, first_needs_second, &p, NULL, NULL), DV_OK);
    dvi_threads_wait(threads, 0);
    dvi_threads_free(&threads);
    cr_expect(p.is_second_done);
}

/* Job 0 ends only after three ticks, which a consumer that runs jobs could not give. */
typedef struct watched {
    atomic_int ticks, by_consumer;
    atomic_int_least64_t done;
} watched;

static void needs_ticks(void *ctx, int64_t job, int32_t worker)
{
    watched *w = ctx;
    atomic_fetch_add(&w->by_consumer, worker == 0);
    while (job == 0 && atomic_load(&w->ticks) < 3)
        sched_yield();
}

static void note_tick(void *ctx, int64_t done)
{
    watched *w = ctx;
    cr_expect_geq(done, atomic_load(&w->done));
    atomic_store(&w->done, done);
    atomic_fetch_add(&w->ticks, 1);
}

Test(threads, a_consumer_that_watches_is_called_while_a_job_runs, .timeout = 60)
{
    for (int32_t workers = 1; workers <= 3; workers++) {
        watched w = {0};
        dvi_threads *threads;
        cr_assert_eq(dvi_threads_create(&threads, workers, 2, 50, needs_ticks, &w, NULL, NULL),
                     DV_OK);
        dvi_threads_watch(threads, note_tick, 1000000);
        for (int64_t job = 0; job < 50; job++) {
            dvi_threads_wait(threads, job);
            dvi_threads_give_back(threads, job);
        }
        dvi_threads_free(&threads);
        cr_expect_geq(atomic_load(&w.ticks), 3);
        cr_expect_leq(atomic_load(&w.done), 50);
        cr_expect_eq(atomic_load(&w.by_consumer), 0);
    }
}

Test(threads, closing_in_the_middle_starts_no_more)
{
    for (int64_t at = 0; at < 40; at++) {
        record *r = start(7);
        dvi_threads *threads;
        cr_assert_eq(dvi_threads_create(&threads, 4, 7, 1000, note_job, r, NULL, NULL), DV_OK);
        consume(threads, r, at, 2);
        dvi_threads_free(&threads);
        const int64_t runs = atomic_load(&r->runs); /* no job runs any more */
        cr_expect(runs >= at && runs <= at + 7);
        cr_expect_eq(atomic_load(&r->beyond_window), 0);
    }
}

/* A job that was given back without a wait marked its slot as done when another job already used
 * it.
 */
Test(threads, jobs_may_be_given_back_without_a_wait)
{
    for (int32_t workers = 0; workers <= 4; workers += 2) {
        record *r = start(4);
        dvi_threads *threads;
        cr_assert_eq(dvi_threads_create(&threads, workers, 4, 500, note_job, r, NULL, NULL), DV_OK);
        for (int64_t job = 3; job < 500; job += 9) {
            atomic_store(&r->given_back, job);
            dvi_threads_give_back(threads, job);
            dvi_threads_wait(threads, job);
            cr_assert_eq(r->slots[job % 4], 3 * job);
        }
        atomic_store(&r->given_back, 500);
        dvi_threads_give_back(threads, INT64_MAX);
        cr_expect_eq(atomic_load(&r->runs), 500);
        cr_expect_eq(atomic_load(&r->beyond_window), 0);
        dvi_threads_free(&threads);
    }
}

/* Jobs that depend on those before them. */
typedef struct sequence {
    atomic_int_least64_t next, misplaced, by_consumer;
} sequence;

static void note_turn(void *ctx, int64_t job, int32_t worker)
{
    sequence *s = ctx;
    atomic_fetch_add(&s->misplaced, job != atomic_load(&s->next));
    sched_yield();
    atomic_store(&s->next, job + 1);
    atomic_fetch_add(&s->by_consumer, worker == 0);
}

Test(threads, one_worker_keeps_the_order)
{
    sequence s = {0};
    dvi_threads *threads;
    cr_assert_eq(dvi_threads_create(&threads, 1, 4, 0, note_turn, &s, NULL, NULL), DV_OK);
    dvi_threads_keep_order(threads);
    for (int64_t job = 0; job < 2000; job++) {
        dvi_threads_give_back(threads, job - 3);
        dvi_threads_allow(threads, job + 1);
    }
    dvi_threads_give_back(threads, INT64_MAX);
    cr_expect_eq(atomic_load(&s.next), 2000);
    cr_expect_eq(atomic_load(&s.misplaced), 0);
    cr_expect_eq(atomic_load(&s.by_consumer), 0);
    dvi_threads_free(&threads);
}

/* Workers started with the pool, so a cursor that was closed without a read had inflated blocks. A
 * thousand yields are enough for an existing thread to run. */
Test(threads, no_job_runs_before_the_first_wait)
{
    record *r = start(4);
    dvi_threads *threads;
    cr_assert_eq(dvi_threads_create(&threads, 4, 4, 50, note_job, r, NULL, NULL), DV_OK);
    for (int i = 0; i < 1000; i++)
        sched_yield();
    cr_expect_eq(atomic_load(&r->runs), 0);
    consume(threads, r, 50, 0);
    dvi_threads_free(&threads);
    cr_expect_eq(atomic_load(&r->runs), 50);

    cr_assert_eq(dvi_threads_create(&threads, 4, 4, 50, note_job, start(4), NULL, NULL), DV_OK);
    dvi_threads_free(&threads); /* without any wait */
    cr_expect_eq(atomic_load(&r->runs), 0);
}

/* An allocator that needs no memory from the system. */
static void *take_pool(void *ctx, size_t nbytes, size_t alignment)
{
    static _Alignas(64) uint8_t pool[16 << 10];
    size_t *used = ctx;
    void *memory = pool + *used;
    *used += (nbytes + alignment - 1) / alignment * alignment;
    return *used <= sizeof pool ? memory : NULL;
}

static void leave_pool(void *ctx, void *memory, size_t nbytes)
{
    (void)ctx;
    (void)memory;
    (void)nbytes;
}

Test(threads, the_system_may_refuse_threads)
{
#if defined(DVT_SANITIZED) || defined(DVT_PLAIN)
    cr_skip_test("a sanitizer needs memory of its own, and stacks of earlier tests are kept");
#endif
    size_t used = 0;
    const dv_allocator pool = {take_pool, leave_pool, &used};
    record *r = start(3);
    struct rlimit before, none;
    getrlimit(RLIMIT_AS, &before);
    none = (struct rlimit){1, before.rlim_max};
    dvi_threads *threads;
    cr_assert_eq(dvi_threads_create(&threads, 4, 3, 50, note_job, r, &pool, NULL), DV_OK);
    setrlimit(RLIMIT_AS, &none); /* no stack for a thread */
    dvi_threads_wait(threads, 0);
    setrlimit(RLIMIT_AS, &before);
    consume(threads, r, 50, 0);
    dvi_threads_free(&threads);
    cr_expect_eq(atomic_load(&r->by_worker[0]), 50);

    sequence s = {0}; /* the consumer also runs jobs that keep their order */
    cr_assert_eq(dvi_threads_create(&threads, 1, 4, 0, note_turn, &s, &pool, NULL), DV_OK);
    dvi_threads_keep_order(threads);
    setrlimit(RLIMIT_AS, &none);
    dvi_threads_allow(threads, 4);
    setrlimit(RLIMIT_AS, &before);
    dvi_threads_give_back(threads, 4);
    dvi_threads_free(&threads);
    cr_expect_eq(atomic_load(&s.by_consumer), 4);
}

Test(threads, survive_every_failed_allocation)
{
    for (int64_t k = 1;; k++) {
        dvt_allocator counted;
        dvt_allocator_init(&counted, k);
        dv_error err = DV_ERROR_INIT;
        dvi_threads *threads;
        const dv_status status =
            dvi_threads_create(&threads, 2, 3, 9, note_job, start(3), &counted.allocator, &err);
        cr_expect_eq(status == DV_OK, threads != NULL);
        cr_expect_eq(status, err.status);
        dvi_threads_free(&threads);
        cr_expect_eq(counted.live, 0);
        if (status == DV_OK)
            break;
        cr_expect_eq(status, DV_ERR_MEMORY);
    }
}

Test(threads, nothing_to_free)
{
    dvi_threads *threads = NULL;
    dvi_threads_free(&threads);
    cr_expect_null(threads);
}

/* The program's own threads get its signals; a fault in a job must still reach a handler. */
static void note_signals(void *ctx, int64_t job, int32_t worker)
{
    (void)job;
    atomic_int *wrong = ctx;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (worker == 0)
        return;
    if (!sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGCHLD))
        atomic_fetch_or(wrong, 1);
    if (sigismember(&blocked, SIGBUS) || sigismember(&blocked, SIGSEGV))
        atomic_fetch_or(wrong, 2);
}

Test(threads, leave_signals_to_the_program)
{
    atomic_int wrong = 0;
    sigset_t before, after;
    sigemptyset(&before);
    sigaddset(&before, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    dvi_threads *threads;
    cr_assert_eq(dvi_threads_create(&threads, 4, 50, 50, note_signals, &wrong, NULL, NULL), DV_OK);
    dvi_threads_give_back(threads, 50);
    dvi_threads_free(&threads);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    cr_expect_eq(atomic_load(&wrong), 0);
    for (int i = 1; i < SIGRTMIN; i++)
        cr_expect_eq(sigismember(&before, i), sigismember(&after, i));
}
