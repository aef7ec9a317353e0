/* SPDX-License-Identifier: MIT */
/* test_stop.c: a request to stop reaches jobs, and jobs of jobs, and is forgotten by the next wait.
 */
#include "base/stop.h"
#include "base/threads.h"
#include "support/test.h"
#include <dataview/source.h>
#include <sched.h>

static atomic_bool is_requested;

static bool check(void)
{
    return atomic_load(&is_requested);
}

/* A job that works until the call for which it works is stopped; job 1 ends at once. */
static void work(void *ctx, int64_t job, int32_t worker)
{
    (void)worker;
    while (job == 0 && !dvi_stop_is_wanted()) {
        atomic_store(&is_requested, true);
        sched_yield();
    }
    atomic_fetch_add((atomic_int *)ctx, 1);
}

static dvi_threads *pool_of(int64_t jobs, void (*run)(void *, int64_t, int32_t), void *ctx)
{
    dvi_threads *threads;
    cr_assert_eq(dvi_threads_create(&threads, 1, 2, jobs, run, ctx, NULL, NULL), DV_OK);
    dvi_threads_keep_order(threads);
    return threads;
}

/* The work of a pool of its own, for which a job waits. */
static void nest(void *ctx, int64_t job, int32_t worker)
{
    (void)worker;
    dvi_threads *inner = pool_of(2, work, ctx);
    dvi_threads_wait(inner, job);
    dvi_threads_free(&inner);
}

static void run(void (*job)(void *, int64_t, int32_t))
{
    atomic_int done = 0;
    atomic_store(&is_requested, false);
    dv_set_stop_check(check);
    dvi_threads *threads = pool_of(2, job, &done);
    dvi_threads_wait(threads, 0); /* hangs if the request gets lost */
    atomic_store(&is_requested, false);
    dvi_threads_give_back(threads, 1);
    dvi_threads_wait(threads, 1);
    dvi_threads_free(&threads);
    dv_set_stop_check(NULL);
    cr_expect_geq(atomic_load(&done), 2);
}

Test(stop, reaches_a_job)
{
    run(work);
}

Test(stop, reaches_a_job_of_a_job)
{
    run(nest);
}

static void count_wanted(void *ctx, int64_t job, int32_t worker)
{
    (void)job, (void)worker;
    atomic_fetch_add((atomic_int *)ctx, dvi_stop_is_wanted());
}

Test(stop, nobody_stops_without_a_check)
{
    atomic_int wanted = 0;
    dvi_threads *threads = pool_of(2, count_wanted, &wanted);
    dvi_threads_wait(threads, 0);
    dvi_threads_wait(threads, 1);
    dvi_threads_free(&threads);
    cr_expect_eq(atomic_load(&wanted), 0);
    cr_expect_not(dvi_stop_is_wanted());
}
